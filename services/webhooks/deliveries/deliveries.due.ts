import { dueRows } from "../../../core/jobs/due-rows.ts";

/** Days for which deliveries are stored. */
export const KEPT_DAYS = 30;

/** Old deliveries, and those that may have no job. */
export const deliveriesToClear = dueRows(
  ["webhook_deliveries", `r.created_at < now() - interval '${KEPT_DAYS} days'`],
  ["webhook_deliveries", "r.status = 'pending'"],
);

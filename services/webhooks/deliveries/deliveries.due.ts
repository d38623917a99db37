import { runtime } from "../../../core/config/runtime.ts";
import { dueRows } from "../../../core/jobs/due-rows.ts";
import { oldRows } from "../../../core/sql/old-rows.ts";

/** Fewest days that an operator can have deliveries kept. */
const LEAST = "7 days";

/** Deliveries that may be old, and those that may have no job. */
export const deliveriesToClear = dueRows(
  ["webhook_deliveries", `r.created_at < now() - interval '${LEAST}'`],
  ["webhook_deliveries", "r.status = 'pending'"],
);

export const oldDeliveries = oldRows({
  table: "webhook_deliveries",
  age: "r.created_at",
  kept: LEAST,
  days: () => runtime().config.deliveriesDays,
});

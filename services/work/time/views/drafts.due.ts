import { dueRows } from "../../../../core/jobs/due-rows.ts";

/** Days for which an untouched draft is kept. */
export const KEPT_DAYS = 30;

export const oldDrafts = dueRows(["time_drafts", `r.updated_at < now() - interval '${KEPT_DAYS} days'`]);

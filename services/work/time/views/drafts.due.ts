import { dueRows } from "../../../../core/jobs/due-rows.ts";
import { oldRows } from "../../../../core/sql/old-rows.ts";

/** Days for which an untouched draft is kept. */
const KEPT = "30 days";

export const oldDrafts = dueRows(["time_drafts", `r.updated_at < now() - interval '${KEPT}'`]);
export const untouchedDrafts = oldRows({ table: "time_drafts", age: "r.updated_at", kept: KEPT });

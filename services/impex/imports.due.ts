import { DAYS_KEPT } from "../../core/impex/import-jobs.ts";
import { dueRows } from "../../core/jobs/due-rows.ts";

export const oldImports = dueRows(["impex_jobs", `r.created_at < now() - interval '${DAYS_KEPT} days'`]);

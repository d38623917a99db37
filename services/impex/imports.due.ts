import { DAYS_KEPT } from "../../core/impex/import-jobs.ts";
import { dueRows } from "../../core/jobs/due-rows.ts";
import { oldRows } from "../../core/sql/old-rows.ts";

const KEPT = `${DAYS_KEPT} days`;

export const oldImports = dueRows(["impex_jobs", `r.created_at < now() - interval '${KEPT}'`]);
/** Expired jobs; their files go with them. */
export const expiredImports = oldRows({ table: "impex_jobs", age: "r.created_at", kept: KEPT });

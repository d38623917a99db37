import { dueRows } from "../../../core/jobs/due-rows.ts";

export const unfinishedRuns = dueRows(["automation_matches", "true"], ["automation_runs", "r.status in ('pending', 'running')"]);

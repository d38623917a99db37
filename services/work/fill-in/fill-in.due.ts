import { dueRows } from "../../../core/jobs/due-rows.ts";

/** Minutes after which a run counts as stuck (work chapter §3.11). */
export const STUCK_AFTER = 20;

export const stuckFillIns = dueRows([
  "tasks",
  `r.ai_status in ('queued', 'running') and r.ai_status_at < now() - interval '${STUCK_AFTER} minutes'`,
]);

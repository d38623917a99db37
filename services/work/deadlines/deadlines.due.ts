import { dueRows, LATEST_TODAY } from "../../../core/jobs/due-rows.ts";

/** Most days of notice that a person can choose. */
const LONGEST_NOTICE = 90;

/** Open tasks with a due date that has passed or is near enough for a reminder. */
export const nearDeadlines = dueRows([
  "tasks",
  `r.status = any(array(select s.key from task_statuses s where s.organisation_id = o.id and not s.is_terminal))
    and r.due_date <= ${LATEST_TODAY} + ${LONGEST_NOTICE}`,
]);

import { linkedBy } from "../../core/database/lists/linked.ts";

/** Whether task `t` is open: its status is not terminal. */
export const OPEN = `t.status = any(array(select s.key from task_statuses s
  where s.organisation_id = current_organisation() and not s.is_terminal))`;

/** The tasks with an account on their roster. */
export const ON_ROSTER = linkedBy("task_assignees", "task_id", "account_id");
/** Whether an account is on the roster of task `t`. */
export const onRoster = ON_ROSTER.when;

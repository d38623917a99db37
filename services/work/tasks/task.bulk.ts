import { type BulkEntity, bulkUpdate } from "../../../core/bulk/entity.ts";
import { day, oneOf, ownWord, reference } from "../../../core/bulk/readers.ts";
import { lockedRows, lockingRows, withinSelection } from "../../../core/bulk/rows.ts";
import { statement } from "../../../core/sql/statement.ts";
import { requireAssignable } from "../../../mixins/assignees.ts";
import { clientReference } from "../../../mixins/named/client-reference.ts";
import { projectReference } from "../projects/project-reference.ts";
import { forStaffAndClients, tasksOfClient, workOfStaff } from "../visibility.ts";
import { PRIORITIES, TaskUpdate } from "./task-schemas.ts";
import { updateTask } from "./writes/task-changes.ts";
import { removeTask } from "./writes/task-deletion.ts";

const SEEN = forStaffAndClients((clients) => lockingRows("tasks", withinSelection(clients ? tasksOfClient : workOfStaff)));
const MEMBER = statement(`select a.id from memberships m join accounts a on a.id = m.account_id
  where m.organisation_id = $1 and (a.id = $2::uuid or a.email = lower($3::text)) and ($4::uuid[] is null or true) order by a.id`);

/** Bulk changes of tasks (platform §3). Each organisation defines its statuses, so an unknown status refuses each row, not the call. */
export const tasksInBulk: BulkEntity = {
  plural: "tasks",
  seen: (ids) => lockedRows(SEEN(), ids),
  update: bulkUpdate(
    {
      status: { field: "status", read: ownWord("the key of a status of the organisation", "in_progress") },
      priority: { field: "priority", read: oneOf(PRIORITIES) },
      assignee: {
        field: "assignee_user_id",
        read: reference(
          "the user id or e-mail address of an active member",
          () => MEMBER,
          (id) => requireAssignable([id], "assignee"),
        ),
        clearable: true,
      },
      project: { field: "project_id", read: projectReference, clearable: true },
      company: { field: "company_id", read: clientReference(), clearable: true },
      due_date: { field: "due_date", read: day, clearable: true },
    },
    TaskUpdate,
    updateTask,
  ),
  remove: removeTask,
};

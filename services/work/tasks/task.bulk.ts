import { type BulkEntity, bulkUpdate } from "../../../core/bulk/entity.ts";
import { day, isNamed, lookup, oneOf, ownWord, reference, textUpTo } from "../../../core/bulk/readers.ts";
import { lockedRows, lockingRows, withinSelection } from "../../../core/bulk/rows.ts";
import { clientReference } from "../../../mixins/named/client-reference.ts";
import { memberReference } from "../../../mixins/named/member-reference.ts";
import { changeLabels } from "../labels/label-writes.ts";
import { projectReference } from "../projects/project-reference.ts";
import { lockTask } from "../task-access.ts";
import { forStaffAndClients, tasksOfClient, workOfStaff } from "../visibility.ts";
import { PRIORITIES, TaskUpdate } from "./task-schemas.ts";
import { updateTask } from "./writes/task-changes.ts";
import { removeTask } from "./writes/task-deletion.ts";

const SEEN = forStaffAndClients((clients) => lockingRows("tasks", withinSelection(clients ? tasksOfClient : workOfStaff)));
const LABEL = lookup("task_labels", isNamed("t.name"));
const label = reference("the id or name of a label", () => LABEL);

/** The id that the reader of a label has found, if the call has that key. */
const idsOf = (found: unknown): string[] => (found === undefined ? [] : [found as string]);

/** What is a field of the task. */
const fields = bulkUpdate(
  {
    status: { field: "status", read: ownWord("the key of a status of the organisation", "in_progress") },
    priority: { field: "priority", read: oneOf(PRIORITIES) },
    title: { field: "title", read: textUpTo(512, "the title", "Call the client") },
    assignee: { field: "assignee_user_id", read: memberReference("assignee"), clearable: true },
    project: { field: "project_id", read: projectReference, clearable: true },
    company: { field: "company_id", read: clientReference(), clearable: true },
    due_date: { field: "due_date", read: day, clearable: true },
  },
  TaskUpdate,
  updateTask,
);

/** Bulk changes of tasks (platform §3). Each organisation defines its statuses, so an unknown status refuses each row, not the call. */
export const tasksInBulk: BulkEntity = {
  plural: "tasks",
  seen: (ids) => lockedRows(SEEN(), ids),
  update: {
    keys: {
      add_label: { field: "add_label", read: label },
      remove_label: { field: "remove_label", read: label },
      ...fields.keys,
    },
    async write(id, { add_label, remove_label, ...values }) {
      if (Object.keys(values).length > 0) await fields.write(id, values);
      if (add_label === undefined && remove_label === undefined) return;
      await lockTask(id);
      await changeLabels(id, idsOf(add_label), idsOf(remove_label));
    },
  },
  remove: removeTask,
};

import type { ErrorTexts } from "../../../core/declare/module.ts";

/** Keys that `fields` of an answer can carry. */
export const tasksFieldTexts = {
  "errors.due_reason_required": [
    "The reason for a changed due date is blank.",
    "Send a reason, or leave `due_change_reason` out where none is required.",
  ],
  "errors.task_blocks_itself": ["A task waits for itself.", "Leave the task out of `task_ids`."],
  "errors.task_circle": [
    "One of the tasks waits for this one already, directly or through others, so none of them could begin.",
    "Leave that task out; `GET /tasks/{task_id}/blockers` shows what each one waits for.",
  ],
  "errors.tasks_assignee_conflict": [
    "A task has members or a contact as assignees, and the body names both.",
    "Send `assignees` or `assignee_contact_id`, and an empty list or null for the other.",
  ],
  "errors.tasks_assignee_contact_company": [
    "The contact belongs to another client than the task.",
    "Choose a contact of the task's client.",
  ],
  "errors.tasks_closing_interaction_not_linked": [
    "The contact moment does not belong to this task.",
    "Link the contact moment to the task first.",
  ],
  "errors.tasks_closing_interaction_required": [
    "The task can only be finished with a contact moment, and has none.",
    "Send `closing_interaction_id`, or add a contact moment to the task.",
  ],
  "errors.tasks_log_time_not_finishing": [
    "`log_time` is sent with a change that does not finish the task.",
    "Send `log_time` together with the status that finishes the task.",
  ],
  "errors.tasks_recurrence_anchor": [
    "The recurrence has an anchor that its frequency does not use. The name of the anchor follows the key, after a colon.",
    "Leave that anchor out, or choose the frequency that uses it.",
  ],
} satisfies ErrorTexts;

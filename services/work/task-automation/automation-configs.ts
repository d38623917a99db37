import { actionConfig, automationCall } from "../../../core/declare/automation.ts";
import { multiline, nonEmpty, optional, uuid } from "../../../core/schema/schema.ts";
import { priority } from "../tasks/task-schemas.ts";

const TASK = "The task; absent for the task that triggered the rule";

/** The configuration of `task.create`: a template, or the fields of a new task. */
export const CreateConfig = actionConfig(
  "task.create",
  "Adds a task by its `title`, or the tasks of a template by `template_id`. One of the two is needed.",
  {
    template_id: optional(uuid()),
    title: optional(nonEmpty(512)),
    company_id: optional(uuid()),
    project_id: optional(uuid()),
    assignee_user_id: optional(uuid()),
    description: optional(multiline()),
    priority: optional(priority()),
  },
  {
    texts: {
      template_id: "Task template to apply to the client; only `company_id` counts next to it",
      title: "Title of the task",
      company_id: "The client; absent for the client of the record that triggered the rule. A template needs one",
      project_id: "The project; absent for none",
      assignee_user_id: "Account of the member to assign; absent for the starred person of the project, else of the client",
      description: "Description in markdown",
      priority: "`low`, `normal` or `high`; absent for `normal`",
    },
    example: { title: "Kennismakingsgesprek plannen", priority: "high" },
  },
);
export const CreateCall = automationCall(CreateConfig);

/** The configuration of `task.set_status`; the default task is the one that triggered the rule. */
export const SetStatusConfig = actionConfig(
  "task.set_status",
  "Moves a task to another status. Deadline reason, closing contact moment and recurrence are left to people.",
  { status: nonEmpty(50), task_id: optional(uuid()) },
  { texts: { status: "Key of the status, from `GET /tasks/statuses`", task_id: TASK }, example: { status: "done" } },
);
export const SetStatusCall = automationCall(SetStatusConfig);

/** The configuration of `task.assign`; the default task is the one that triggered the rule. */
export const AssignConfig = actionConfig(
  "task.assign",
  "Replaces the roster of a task by one member.",
  { user_id: uuid(), task_id: optional(uuid()) },
  {
    texts: { user_id: "Account of the member", task_id: TASK },
    example: { user_id: "7d9a1f30-0c1e-4a5b-8d2f-7d9a1f300001" },
  },
);
export const AssignCall = automationCall(AssignConfig);

/** The configuration of `task.add_label`; the default task is the one that triggered the rule. */
export const AddLabelConfig = actionConfig(
  "task.add_label",
  "Adds a label to a task and keeps its other labels.",
  { label_id: uuid(), task_id: optional(uuid()) },
  {
    texts: { label_id: "The label, from `GET /tasks/labels`", task_id: TASK },
    example: { label_id: "5b1e7c20-0c1e-4a5b-8d2f-5b1e7c200001" },
  },
);
export const AddLabelCall = automationCall(AddLabelConfig);

/** The configuration of `task.comment`; the default task is the one that triggered the rule. */
export const CommentConfig = actionConfig(
  "task.comment",
  "Adds a comment of the system to a task.",
  { body: multiline(20_000, { pattern: "\\S" }), task_id: optional(uuid()) },
  {
    texts: { body: "Text in markdown, not blank. It can mention people as comments do", task_id: TASK },
    example: { body: "De klant heeft de offerte aanvaard." },
  },
);
export const CommentCall = automationCall(CommentConfig);

import { automationCall } from "../../../../core/declare/automation.ts";
import { label, multiline, optional, Type, text, uuid } from "../../../../core/declare/schema.ts";
import { priority } from "../task-schemas.ts";

/** What `task.create` takes: a template, or what a task of its own says. */
export const CreateConfig = Type.Object({
  template_id: optional(uuid()),
  title: optional(label(512)),
  company_id: optional(uuid()),
  project_id: optional(uuid()),
  assignee_user_id: optional(uuid()),
  description: optional(multiline()),
  priority: optional(priority()),
});
export const CreateCall = automationCall(CreateConfig);

/** What `task.set_status` takes; without a task it is the one that set the rule off. */
export const SetStatusConfig = Type.Object({ status: text(50, { minLength: 1 }), task_id: optional(uuid()) });
export const SetStatusCall = automationCall(SetStatusConfig);

/** What `task.assign` takes; without a task it is the one that set the rule off. */
export const AssignConfig = Type.Object({ user_id: uuid(), task_id: optional(uuid()) });
export const AssignCall = automationCall(AssignConfig);

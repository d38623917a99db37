import { automationCall } from "../../../../core/declare/automation.ts";
import { label, multiline, optional, Type, text, uuid } from "../../../../core/declare/schema.ts";
import { priority } from "../task-schemas.ts";

/** The configuration of `task.create`: a template, or the fields of a new task. */
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

/** The configuration of `task.set_status`; the default task is the one that triggered the rule. */
export const SetStatusConfig = Type.Object({ status: text(50, { minLength: 1 }), task_id: optional(uuid()) });
export const SetStatusCall = automationCall(SetStatusConfig);

/** The configuration of `task.assign`; the default task is the one that triggered the rule. */
export const AssignConfig = Type.Object({ user_id: uuid(), task_id: optional(uuid()) });
export const AssignCall = automationCall(AssignConfig);

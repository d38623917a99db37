import {
  answer,
  choice,
  flag,
  input,
  integer,
  label,
  list,
  multiline,
  neverNull,
  nullable,
  optional,
  Type,
  text,
  uuid,
} from "../../../core/declare/schema.ts";
import { TemplateChecklistItem } from "../checklists/checklist-schemas.ts";
import { PRIORITIES } from "../tasks/task-schemas.ts";

const TRIGGERS = ["manual", "company_status"] as const;
const trigger = (options = {}) => choice(TRIGGERS, { $id: "TemplateTrigger", "x-usage": "both", ...options });
const priority = (options = {}) => choice(PRIORITIES, { $id: "TaskPriority", "x-usage": "both", ...options });
const status = () => nullable(text(20));

export const TemplateItemRead = answer("TemplateItemRead", {
  id: uuid(),
  position: Type.Integer(),
  title: label(512),
  description: nullable(Type.String()),
  priority: priority(),
  relative_due_days: nullable(integer(0, 365)),
  allocated_minutes: nullable(integer(0, 100_000)),
  assignee_user_id: nullable(uuid()),
  assign_responsible: flag(),
  requires_interaction: flag(),
  checklist_title: nullable(text(255)),
  checklist_items: list(TemplateChecklistItem),
});

export const TaskTemplateRead = answer("TaskTemplateRead", {
  id: uuid(),
  name: label(255),
  trigger: trigger(),
  trigger_status: status(),
  active: flag(),
  items: list(TemplateItemRead),
});

/** A task of a template as it is sent; its place is that in the list. */
export const TemplateItemBase = input("TemplateItemBase", {
  title: label(512),
  description: optional(nullable(multiline())),
  priority: optional(priority({ default: "normal" })),
  relative_due_days: optional(nullable(integer(0, 365))),
  allocated_minutes: optional(nullable(integer(0, 100_000))),
  assignee_user_id: optional(nullable(uuid())),
  assign_responsible: optional(flag(false)),
  requires_interaction: optional(flag(false)),
  checklist_title: optional(nullable(text(255))),
  checklist_items: optional(Type.Array(TemplateChecklistItem, { default: [] })),
  position: optional(integer(undefined, undefined, { default: 0 })),
});

export const TaskTemplateCreate = input("TaskTemplateCreate", {
  name: label(255),
  trigger: optional(trigger({ default: "manual" })),
  trigger_status: optional(status()),
  active: optional(flag(true)),
  items: optional(Type.Array(TemplateItemBase, { default: [] })),
});

export const TaskTemplateUpdate = input("TaskTemplateUpdate", {
  name: optional(neverNull(nullable(label(255)))),
  trigger: optional(neverNull(nullable(choice(TRIGGERS)))),
  trigger_status: optional(status()),
  active: optional(neverNull(nullable(flag()))),
  items: optional(neverNull(nullable(list(TemplateItemBase)))),
});

export const TemplateApply = input("TemplateApply", {
  company_id: uuid(),
  project_id: optional(
    nullable(
      Type.String({
        format: "uuid",
        description: "The project the tasks are put on; null or left out: none. It need not be the client's own.",
      }),
    ),
  ),
});

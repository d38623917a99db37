import { namedValues } from "../../../core/naming/named-values.ts";
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
} from "../../../core/schema/schema.ts";
import { TemplateChecklistItem } from "../checklists/checklist-schemas.ts";
import { PRIORITIES } from "../tasks/task-schemas.ts";

const ITEM = {
  position: "Position in the template, from 0",
  title: "Title of the task",
  description: "Description of the task in markdown; null if none",
  priority: "Priority of the task",
  relative_due_days: "Days from the day the template is applied to the due date; null for no due date",
  allocated_minutes: "Hour budget of the task in minutes; null if none",
  assignee_user_id: "Person assigned to the task; null if none. `assign_responsible` overrides it",
  assign_responsible: "Whether the task goes to the person who is the client's starred person when the template is applied",
  requires_interaction: "Whether finishing the task needs a closing contact moment",
  checklist_title: "Title of the task's checklist; null for the name of the template",
  checklist_items: "Items of the task's checklist; empty for no checklist",
};

const TEMPLATE = {
  name: "Name of the template",
  trigger:
    "`manual`: a person applies it. `company_status`: the service applies it when a client is created in, or moves into, `trigger_status`",
  trigger_status: "Client status that applies the template; null if none",
  active: "Whether the service applies it by its trigger. A person may apply it either way",
  items: "One task each, in this order. A sent list replaces the stored one",
};

const TRIGGERS = namedValues("TemplateTrigger", ["manual", "company_status"]);
const trigger = (options = {}) => choice(TRIGGERS, options);
const priority = (options = {}) => choice(PRIORITIES, options);
const status = () => nullable(text(20));

export const TemplateItemRead = answer(
  "TemplateItemRead",
  {
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
  },
  ITEM,
);

export const TaskTemplateRead = answer(
  "TaskTemplateRead",
  {
    id: uuid(),
    name: label(255),
    trigger: trigger(),
    trigger_status: status(),
    active: flag(),
    items: list(TemplateItemRead),
  },
  TEMPLATE,
);

/** A task of a template in a request; its index in the list is its position. */
export const TemplateItemBase = input(
  "TemplateItemBase",
  {
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
  },
  { ...ITEM, position: "Not used: items keep the order in which they are sent" },
);

export const TaskTemplateCreate = input(
  "TaskTemplateCreate",
  {
    name: label(255),
    trigger: optional(trigger({ default: "manual" })),
    trigger_status: optional(status()),
    active: optional(flag(true)),
    items: optional(Type.Array(TemplateItemBase, { default: [] })),
  },
  TEMPLATE,
);

export const TaskTemplateUpdate = input(
  "TaskTemplateUpdate",
  {
    name: optional(neverNull(nullable(label(255)))),
    trigger: optional(neverNull(nullable(choice(TRIGGERS)))),
    trigger_status: optional(status()),
    active: optional(neverNull(nullable(flag()))),
    items: optional(neverNull(nullable(list(TemplateItemBase)))),
  },
  TEMPLATE,
);

export const TemplateApply = input(
  "TemplateApply",
  {
    company_id: uuid(),
    project_id: optional(
      nullable(
        Type.String({
          format: "uuid",
          description: "The project of the tasks; null or absent: none. It can belong to another client.",
        }),
      ),
    ),
  },
  { company_id: "The client the tasks are for" },
);

import {
  answer,
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
  uuid,
} from "../../../core/declare/schema.ts";

const description = () => optional(nullable(multiline()));

export const ChecklistItemRead = answer("ChecklistItemRead", {
  id: uuid(),
  title: Type.String(),
  description: nullable(Type.String()),
  done: flag(),
  position: Type.Integer(),
});
export const ChecklistRead = answer("ChecklistRead", {
  id: uuid(),
  title: Type.String(),
  description: nullable(Type.String()),
  position: Type.Integer(),
  items: list(ChecklistItemRead),
});
/** Every id in the order a move has given. */
export const ChecklistOrderRead = answer("ChecklistOrderRead", { ids: list(uuid()) });

export const ChecklistCreate = input("ChecklistCreate", {
  title: optional(nullable(label(255))),
  description: description(),
  template_id: optional(nullable(uuid())),
});
export const ChecklistUpdate = input("ChecklistUpdate", {
  title: optional(neverNull(nullable(label(255)))),
  description: description(),
  position: optional(neverNull(nullable(integer()))),
});
export const ChecklistDuplicate = input("ChecklistDuplicate", { title: optional(nullable(label(255))) });
export const ChecklistOrder = input("ChecklistOrder", {
  checklist_ids: Type.Array(uuid(), { minItems: 1, maxItems: 200 }),
});

export const ChecklistItemCreate = input("ChecklistItemCreate", { title: label(512), description: description() });
export const ChecklistItemUpdate = input("ChecklistItemUpdate", {
  title: optional(neverNull(nullable(label(512)))),
  description: description(),
  done: optional(neverNull(nullable(flag()))),
  position: optional(neverNull(nullable(integer()))),
});
export const ChecklistItemOrder = input("ChecklistItemOrder", {
  item_ids: Type.Array(uuid(), { minItems: 1, maxItems: 500 }),
});

/** An item before it stands on a task: of a checklist template, and of a task template. */
export const TemplateChecklistItem = Type.Object(
  { title: label(512), description: optional(nullable(multiline())) },
  { $id: "TemplateChecklistItem", "x-usage": "both" },
);

const templateItems = () => Type.Array(TemplateChecklistItem, { maxItems: 100 });

export const ChecklistTemplateRead = answer("ChecklistTemplateRead", {
  id: uuid(),
  title: label(255),
  items: templateItems(),
});
export const ChecklistTemplateCreate = input("ChecklistTemplateCreate", {
  title: label(255),
  items: optional(Type.Array(TemplateChecklistItem, { maxItems: 100, default: [] })),
});
export const ChecklistTemplateUpdate = input("ChecklistTemplateUpdate", {
  title: optional(neverNull(nullable(label(255)))),
  items: optional(neverNull(nullable(templateItems()))),
});

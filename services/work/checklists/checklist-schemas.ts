import { described } from "../../../core/schema/fields.ts";
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
} from "../../../core/schema/schema.ts";

const ITEM = {
  title: "What to do",
  description: "Notes on the item in markdown; null if none",
  done: "Whether the item is ticked off",
  position: "Position in the checklist: lower numbers come first",
};

const LIST = {
  title: "Title of the checklist",
  description: "Notes on the checklist in markdown; null if none",
  position: "Place on the task: lower numbers come first",
  items: "Items of the checklist in their order",
};

const TEMPLATE = {
  title: "Default title of checklists made from the template",
  items: "Items of the template in their order. A sent list replaces the stored one",
};

const description = () => optional(nullable(multiline()));

export const ChecklistItemRead = answer(
  "ChecklistItemRead",
  {
    id: uuid(),
    title: Type.String(),
    description: nullable(Type.String()),
    done: flag(),
    position: Type.Integer(),
  },
  ITEM,
);
export const ChecklistRead = answer(
  "ChecklistRead",
  {
    id: uuid(),
    title: Type.String(),
    description: nullable(Type.String()),
    position: Type.Integer(),
    items: list(ChecklistItemRead),
  },
  LIST,
);
export const ChecklistOrderRead = answer("ChecklistOrderRead", { ids: list(uuid()) }, { ids: "Every id in its new order" });

export const ChecklistCreate = input(
  "ChecklistCreate",
  {
    title: optional(nullable(label(255))),
    description: description(),
    template_id: optional(nullable(uuid())),
  },
  {
    title: "Title of the checklist; without one the template's. Needed where `template_id` is not sent",
    description: "Notes on the checklist in markdown; null if none",
    template_id: "Checklist template whose items are copied, unticked; null for an empty checklist",
  },
);
export const ChecklistUpdate = input(
  "ChecklistUpdate",
  {
    title: optional(neverNull(nullable(label(255)))),
    description: description(),
    position: optional(neverNull(nullable(integer()))),
  },
  LIST,
);
export const ChecklistDuplicate = input(
  "ChecklistDuplicate",
  { title: optional(nullable(label(255))) },
  { title: "Title of the copy; the title of its source where it is null or not sent" },
);
export const ChecklistOrder = input(
  "ChecklistOrder",
  {
    checklist_ids: Type.Array(uuid(), { minItems: 1, maxItems: 200 }),
  },
  {
    checklist_ids: "Checklists of the task in their new order, each once. Omitted ones follow in their present order",
  },
);

export const ChecklistItemCreate = input("ChecklistItemCreate", { title: label(512), description: description() }, ITEM);
export const ChecklistItemUpdate = input(
  "ChecklistItemUpdate",
  {
    title: optional(neverNull(nullable(label(512)))),
    description: description(),
    done: optional(neverNull(nullable(flag()))),
    position: optional(neverNull(nullable(integer()))),
  },
  ITEM,
);
export const ChecklistItemOrder = input(
  "ChecklistItemOrder",
  {
    item_ids: Type.Array(uuid(), { minItems: 1, maxItems: 500 }),
  },
  { item_ids: "Items of the checklist in their new order, each once. Omitted ones follow in their present order" },
);

/** An item of a checklist template or a task template. */
export const TemplateChecklistItem = Type.Object(
  described({ title: label(512), description: optional(nullable(multiline())) }, ITEM),
  { $id: "TemplateChecklistItem", "x-usage": "both" },
);

const templateItems = () => Type.Array(TemplateChecklistItem, { maxItems: 100 });

export const ChecklistTemplateRead = answer(
  "ChecklistTemplateRead",
  {
    id: uuid(),
    title: label(255),
    items: templateItems(),
  },
  TEMPLATE,
);
export const ChecklistTemplateCreate = input(
  "ChecklistTemplateCreate",
  {
    title: label(255),
    items: optional(Type.Array(TemplateChecklistItem, { maxItems: 100, default: [] })),
  },
  TEMPLATE,
);
export const ChecklistTemplateUpdate = input(
  "ChecklistTemplateUpdate",
  {
    title: optional(neverNull(nullable(label(255)))),
    items: optional(neverNull(nullable(templateItems()))),
  },
  TEMPLATE,
);

import { answer, input, integer, label, list, neverNull, nullable, optional, Type, uuid } from "../../../core/schema/schema.ts";

const LABEL = {
  name: "Name of the label, unique in the organisation, whatever its case",
  color: "Colour of the label, as the application draws it",
};

export const LabelRead = answer(
  "LabelRead",
  {
    id: uuid(),
    name: label(100),
    color: label(20),
    position: Type.Integer({ default: 0 }),
  },
  LABEL,
);
export const LabelCreate = input(
  "LabelCreate",
  {
    name: label(100),
    color: label(20),
    position: optional(integer(undefined, undefined, { default: 0 })),
  },
  LABEL,
);
export const LabelUpdate = input(
  "LabelUpdate",
  {
    name: optional(neverNull(nullable(label(100)))),
    color: optional(neverNull(nullable(label(20)))),
    position: optional(neverNull(nullable(integer()))),
  },
  LABEL,
);
export const TaskLabelsSet = input(
  "TaskLabelsSet",
  { label_ids: list(uuid()) },
  { label_ids: "Labels of the task from now on; replaces the set" },
);

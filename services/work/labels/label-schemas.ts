import { answer, input, integer, label, list, neverNull, nullable, optional, Type, uuid } from "../../../core/declare/schema.ts";

export const LabelRead = answer("LabelRead", {
  id: uuid(),
  name: label(100),
  color: label(20),
  position: Type.Integer({ default: 0 }),
});
export const LabelCreate = input("LabelCreate", {
  name: label(100),
  color: label(20),
  position: optional(integer(undefined, undefined, { default: 0 })),
});
export const LabelUpdate = input("LabelUpdate", {
  name: optional(neverNull(nullable(label(100)))),
  color: optional(neverNull(nullable(label(20)))),
  position: optional(neverNull(nullable(integer()))),
});
export const TaskLabelsSet = input("TaskLabelsSet", { label_ids: list(uuid()) });

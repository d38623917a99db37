import { answer, flag, input, label, list, multiline, nullable, optional, Type, uuid } from "../../../core/declare/schema.ts";

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
export const ChecklistItemCreate = input("ChecklistItemCreate", {
  title: label(512),
  description: optional(nullable(multiline())),
});

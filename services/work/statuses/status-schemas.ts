import { answer, flag, input, integer, label, neverNull, nullable, optional, Type, uuid } from "../../../core/declare/schema.ts";

export const StatusRead = answer("StatusRead", {
  id: uuid(),
  key: Type.String(),
  name: label(100),
  color: label(20),
  position: Type.Integer({ default: 0 }),
  is_terminal: flag(false),
  is_default: flag(false),
  requires_interaction: flag(false),
});
export const StatusCreate = input("StatusCreate", {
  key: Type.String({ pattern: "^[a-z0-9_]+$", minLength: 1, maxLength: 50 }),
  name: label(100),
  color: label(20),
  position: optional(integer(undefined, undefined, { default: 0 })),
  is_terminal: optional(flag(false)),
  is_default: optional(flag(false)),
  requires_interaction: optional(flag(false)),
});
export const StatusUpdate = input("StatusUpdate", {
  name: optional(neverNull(nullable(label(100)))),
  color: optional(neverNull(nullable(label(20)))),
  position: optional(neverNull(nullable(integer()))),
  is_terminal: optional(neverNull(nullable(flag()))),
  is_default: optional(neverNull(nullable(flag()))),
  requires_interaction: optional(neverNull(nullable(flag()))),
});

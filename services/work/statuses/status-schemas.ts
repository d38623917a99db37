import { answer, flag, input, integer, label, neverNull, nullable, optional, Type, uuid } from "../../../core/schema/schema.ts";

const STATUS = {
  key: "Key that tasks carry as `status`; it never changes",
  name: "Name of the status",
  color: "Colour of the status, as the application draws it",
  is_terminal: "Whether tasks in it are finished; tasks in any other status are open",
  is_default: "Whether new tasks start in it. Setting it unsets the other statuses",
  requires_interaction: "Whether a task needs a closing contact moment to enter it",
};

export const StatusRead = answer(
  "StatusRead",
  {
    id: uuid(),
    key: Type.String(),
    name: label(100),
    color: label(20),
    position: Type.Integer({ default: 0 }),
    is_terminal: flag(false),
    is_default: flag(false),
    requires_interaction: flag(false),
  },
  STATUS,
);
export const StatusCreate = input(
  "StatusCreate",
  {
    key: Type.String({ pattern: "^[a-z0-9_]+$", minLength: 1, maxLength: 50 }),
    name: label(100),
    color: label(20),
    position: optional(integer(undefined, undefined, { default: 0 })),
    is_terminal: optional(flag(false)),
    is_default: optional(flag(false)),
    requires_interaction: optional(flag(false)),
  },
  STATUS,
);
export const StatusUpdate = input(
  "StatusUpdate",
  {
    name: optional(neverNull(nullable(label(100)))),
    color: optional(neverNull(nullable(label(20)))),
    position: optional(neverNull(nullable(integer()))),
    is_terminal: optional(neverNull(nullable(flag()))),
    is_default: optional(neverNull(nullable(flag()))),
    requires_interaction: optional(neverNull(nullable(flag()))),
  },
  STATUS,
);

import {
  answer,
  flag,
  input,
  instant,
  integer,
  names,
  neverNull,
  nullable,
  optional,
  Type,
  uuid,
} from "../../../../core/schema/schema.ts";

const TYPE = {
  active: "Whether it is offered for new records. Records that have it keep it when it becomes inactive",
  key: "Key that time entries carry as `entry_type_key`; it never changes",
};

/** The key of a type, fixed at creation (work chapter §4.1). */
export const typeKey = () => Type.String({ minLength: 1, maxLength: 50, pattern: "^[a-z0-9_]+$" });

export const TimeEntryTypeRead = answer(
  "TimeEntryTypeRead",
  {
    id: uuid(),
    org_id: uuid(),
    key: typeKey(),
    label_i18n: names(),
    position: integer(),
    active: flag(),
    created_at: instant(),
    updated_at: instant(),
  },
  TYPE,
);

export const TimeEntryTypeCreate = input(
  "TimeEntryTypeCreate",
  {
    key: typeKey(),
    label_i18n: optional(names({ default: {} })),
    position: optional(integer(undefined, undefined, { default: 0 })),
    active: optional(flag(true)),
  },
  TYPE,
);

export const TimeEntryTypeUpdate = input(
  "TimeEntryTypeUpdate",
  {
    label_i18n: optional(nullable(names())),
    position: optional(neverNull(nullable(integer()))),
    active: optional(neverNull(nullable(flag()))),
  },
  TYPE,
);

import {
  answer,
  flag,
  input,
  instant,
  integer,
  list,
  names,
  neverNull,
  nullable,
  optional,
  Type,
  uuid,
} from "../../../../core/schema/schema.ts";

/** The key of a type, fixed at creation. */
const typeKey = () => Type.String({ minLength: 1, maxLength: 50, pattern: "^[a-z0-9_]+$" });
const templates = () => Type.Array(uuid(), { maxItems: 50 });

const TYPE = {
  key: "Name for programs, unique in the organisation and fixed once the type exists",
  label_i18n: "Label by language, as `{nl, en}`",
  position: "Its position in lists, the lowest first",
  active: "Whether it is offered for new agreements",
  task_template_ids:
    "Task templates, applied in this order when an agreement of the type is first active; at most 50. Sent in a change, they replace the list",
};

export const SubscriptionTypeRead = answer(
  "SubscriptionTypeRead",
  {
    id: uuid(),
    org_id: uuid(),
    key: typeKey(),
    label_i18n: names(),
    position: integer(),
    active: flag(),
    task_template_ids: list(uuid()),
    created_at: instant(),
    updated_at: instant(),
  },
  TYPE,
);

export const SubscriptionTypeCreate = input(
  "SubscriptionTypeCreate",
  {
    key: typeKey(),
    label_i18n: optional(names({ default: {} })),
    position: optional(integer(undefined, undefined, { default: 0 })),
    active: optional(flag(true)),
    task_template_ids: optional(templates()),
  },
  TYPE,
);

export const SubscriptionTypeUpdate = input(
  "SubscriptionTypeUpdate",
  {
    label_i18n: optional(nullable(names())),
    position: optional(neverNull(nullable(integer()))),
    active: optional(neverNull(nullable(flag()))),
    task_template_ids: optional(nullable(templates())),
  },
  TYPE,
);

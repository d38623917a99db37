import { CUSTOM_TYPES } from "../../../core/custom-fields/values.ts";
import { described } from "../../../core/schema/fields.ts";
import {
  answer,
  choice,
  flag,
  input,
  instant,
  integer,
  json,
  label,
  list,
  names,
  neverNull,
  nullable,
  optional,
  Type,
  uuid,
} from "../../../core/schema/schema.ts";

const DEFINITION = {
  entity_type: "Kind of record that has the field, such as `company`; it never changes",
  key: "Key of the field in `custom`, unique for the kind of record; it never changes",
  data_type: "Kind of value",
  required: "Whether a record cannot be saved without a value",
  options_json: "Choices of `select` and `multi_select`, in order",
  config_json:
    "Rules by name: `min` and `max` of a number, `max` length and `regex` of a text, `default` and `help_i18n` for forms",
  active: "Whether the field can be written. Values that are stored stay when it becomes inactive",
};

const OPTION = { value: "Value as records store it", label_i18n: "Name of the choice by language" };

const type = () => choice(CUSTOM_TYPES);
const option = () =>
  Type.Object(described({ value: label(128), label_i18n: optional(names({ default: {} })) }, OPTION), {
    $id: "CustomFieldOption",
    "x-usage": "both",
  });

export const CustomFieldDefinitionRead = answer(
  "CustomFieldDefinitionRead",
  {
    id: uuid(),
    org_id: uuid(),
    entity_type: label(64),
    key: Type.String(),
    data_type: type(),
    label_i18n: names(),
    required: flag(),
    options_json: list(option()),
    config_json: json(),
    position: Type.Integer(),
    active: flag(),
    created_at: instant(),
    updated_at: instant(),
  },
  DEFINITION,
);

export const CustomFieldDefinitionCreate = input(
  "CustomFieldDefinitionCreate",
  {
    entity_type: label(64),
    key: label(64),
    data_type: type(),
    label_i18n: optional(names({ default: {} })),
    required: optional(flag(false)),
    options_json: optional(Type.Array(option(), { default: [] })),
    config_json: optional(json({ default: {} })),
    position: optional(integer(undefined, undefined, { default: 0 })),
    active: optional(flag(true)),
  },
  DEFINITION,
);

export const CustomFieldDefinitionUpdate = input(
  "CustomFieldDefinitionUpdate",
  {
    data_type: optional(neverNull(nullable(type()))),
    label_i18n: optional(nullable(names())),
    required: optional(neverNull(nullable(flag()))),
    options_json: optional(nullable(list(option()))),
    config_json: optional(nullable(json())),
    position: optional(neverNull(nullable(integer()))),
    active: optional(neverNull(nullable(flag()))),
  },
  DEFINITION,
);

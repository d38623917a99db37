import { namedValues } from "../../../core/naming/named-values.ts";
import { answer, choice, field, flag, json, list, Type } from "../../../core/schema/schema.ts";

/** Types of fields as rules compare them. */
export const FIELD_TYPES = namedValues("RuleFieldType", ["text", "id", "number", "boolean", "date", "instant", "list", "object"]);
export type FieldType = (typeof FIELD_TYPES)[number];

const named = {
  name: Type.String({ description: "Name of the field, as `field` of a condition" }),
  label: Type.String({ description: "Readable name, in English" }),
  type: choice(FIELD_TYPES, {
    description: "Type of the value. An `id` and a `date` are text, a `date` as `YYYY-MM-DD`; an `instant` is ISO 8601 text",
  }),
  nullable: field(flag(), "Whether the value can be null"),
};
const TriggerField = answer("TriggerField", {
  ...named,
  description: Type.String({ description: "Meaning of the field" }),
  values: field(list(Type.String()), "All possible values; empty if they are not fixed"),
});
const TriggerRecordField = answer("TriggerRecordField", named);

const TriggerInfo = answer("TriggerInfo", {
  event: Type.String({ description: "Name of the event" }),
  entity_type: Type.String({ description: "Kind of the record that the event concerns" }),
  description: Type.String({ description: "When the event happens" }),
  fields: field(list(TriggerField), "Fields of the event. Conditions compare them, runs store them, webhooks of rules send them"),
  record_fields: field(
    list(TriggerRecordField),
    "Fields of the record, as stored right after the change, without those that the event has. Conditions compare them too",
  ),
});
const ActionConfigInfo = answer("ActionConfigInfo", {
  action_type: Type.String({ description: "Kind of action, as in `actions`" }),
  description: Type.String({ description: "Effect of the action" }),
  schema: json({ description: "JSON Schema (2020-12) of its `config`" }),
  example: json({ description: "A valid `config`; its ids are invented" }),
});

export const CatalogRead = answer("CatalogRead", {
  triggers: field(list(TriggerInfo), "Events that can trigger a rule"),
  actions: field(list(Type.String()), "Kinds of actions that a rule can have"),
  configs: field(list(ActionConfigInfo), "The `config` of each of these actions, in the same order"),
  conditions: json({ description: "JSON Schema (2020-12) of the conditions of a rule" }),
});

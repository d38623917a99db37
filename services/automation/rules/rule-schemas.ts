import {
  answer,
  flag,
  input,
  instant,
  integer,
  json,
  label,
  list,
  neverNull,
  nullable,
  optional,
  Type,
  uuid,
} from "../../../core/declare/schema.ts";

const event = () => label(50);
const actions = (options = {}) => Type.Array(ActionWrite, { maxItems: 20, ...options });

const ActionRead = answer("ActionRead", { id: uuid(), position: Type.Integer(), action_type: Type.String(), config: json() });
const ActionWrite = input("ActionWrite", { action_type: label(50), config: optional(json({ default: {} })) });

export const RuleRead = answer("RuleRead", {
  id: uuid(),
  name: Type.String(),
  trigger_event: Type.String(),
  conditions: json(),
  enabled: flag(),
  position: Type.Integer(),
  actions: list(ActionRead),
  created_at: instant(),
  updated_at: instant(),
});

export const RuleCreate = input("RuleCreate", {
  name: label(200),
  trigger_event: event(),
  conditions: optional(json({ default: {} })),
  enabled: optional(flag(true)),
  position: optional(integer(undefined, undefined, { default: 0 })),
  actions: optional(actions({ default: [] })),
});

export const RuleUpdate = input("RuleUpdate", {
  name: optional(neverNull(nullable(label(200)))),
  trigger_event: optional(neverNull(nullable(event()))),
  conditions: optional(neverNull(nullable(json()))),
  enabled: optional(neverNull(nullable(flag()))),
  position: optional(neverNull(nullable(integer()))),
  actions: optional(neverNull(nullable(actions()))),
});

export const DryRunRequest = input("DryRunRequest", {
  trigger_event: event(),
  conditions: optional(json({ default: {} })),
  actions: optional(actions({ default: [] })),
  entity_id: uuid(),
  payload: optional(json({ default: {} })),
});
export const DryRunResult = answer("DryRunResult", {
  matched: flag(),
  would_fire: list(Type.String()),
  snapshot_found: flag(),
});

const TriggerInfo = answer("TriggerInfo", { event: Type.String(), entity_type: Type.String() });
export const CatalogRead = answer("CatalogRead", { triggers: list(TriggerInfo), actions: list(Type.String()) });

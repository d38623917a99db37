import {
  answer,
  field,
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

const ActionRead = answer("ActionRead", {
  id: uuid(),
  position: Type.Integer({ description: "Its place in the rule, from 0" }),
  action_type: Type.String({ description: "What is done, one of `actions` of `GET /automation/catalog`" }),
  config: json({ description: "Settings of the action, by the keys it has" }),
});
const ActionWrite = input("ActionWrite", {
  action_type: field(label(50), "What is done, one of `actions` of `GET /automation/catalog`"),
  config: field(
    optional(json({ default: {} })),
    "Settings of the action, by the keys it has: of `notification.send`, for example, `message` and `user_ids`. An unknown key is refused; values are checked when it runs",
  ),
});

const RULE = {
  name: "What it is called; it is shown in the trail of what the rule does",
  trigger_event: "The event that sets it off, one of `triggers` of `GET /automation/catalog`",
  conditions:
    "`{}`, which is always true; `{field, op, value}` with `op` one of `eq`, `ne`, `in`, `contains`, `gt`, `lt`; or `{all: […]}` or `{any: […]}` of such nodes, 50 in all and at most 5 levels deep. Fields are those of the event, then the record's own",
  enabled: "Whether events set it off",
  position: "Its place among the rules of an event, the lowest first; equal ones by age",
  actions: "What it does, in this order, with the rights of the system; at most 20. Sent in a change, they replace all actions",
};

export const RuleRead = answer(
  "RuleRead",
  {
    id: uuid(),
    name: Type.String(),
    trigger_event: Type.String(),
    conditions: json(),
    enabled: flag(),
    position: Type.Integer(),
    actions: list(ActionRead),
    created_at: instant(),
    updated_at: instant(),
  },
  RULE,
);

export const RuleCreate = input(
  "RuleCreate",
  {
    name: label(200),
    trigger_event: event(),
    conditions: optional(json({ default: {} })),
    enabled: optional(flag(true)),
    position: optional(integer(undefined, undefined, { default: 0 })),
    actions: optional(actions({ default: [] })),
  },
  RULE,
);

export const RuleUpdate = input(
  "RuleUpdate",
  {
    name: optional(neverNull(nullable(label(200)))),
    trigger_event: optional(neverNull(nullable(event()))),
    conditions: optional(neverNull(nullable(json()))),
    enabled: optional(neverNull(nullable(flag()))),
    position: optional(neverNull(nullable(integer()))),
    actions: optional(neverNull(nullable(actions()))),
  },
  RULE,
);

export const DryRunRequest = input("DryRunRequest", {
  trigger_event: field(event(), "The event to try, one of `triggers` of `GET /automation/catalog`"),
  conditions: field(optional(json({ default: {} })), "Conditions to try, as a rule has them"),
  actions: field(optional(actions({ default: [] })), "Actions to try, as a rule has them; none is run"),
  entity_id: field(uuid(), "The record whose stored fields are compared"),
  payload: field(optional(json({ default: {} })), "Fields of the event, which come before the record's own"),
});
export const DryRunResult = answer("DryRunResult", {
  matched: field(flag(), "Whether the conditions are true"),
  would_fire: field(list(Type.String()), "Kinds of the actions that would run, in order; empty when not matched"),
  snapshot_found: field(flag(), "Whether the record was found; otherwise only the payload was compared"),
});

const TriggerInfo = answer("TriggerInfo", {
  event: Type.String({ description: "Name of the event" }),
  entity_type: Type.String({ description: "Kind of record that it is about" }),
});
export const CatalogRead = answer("CatalogRead", {
  triggers: field(list(TriggerInfo), "Events that can set a rule off"),
  actions: field(list(Type.String()), "Kinds of actions that a rule can have"),
});

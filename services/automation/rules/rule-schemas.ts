import { automation, closedConfig } from "../../../core/declare/automation.ts";
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
  shownAs,
  Type,
  uuid,
} from "../../../core/declare/schema.ts";
import { CONDITION_EXAMPLES, ConditionTree } from "./condition-schemas.ts";
import { TriggerPayload } from "./payload-schemas.ts";

const { triggers, actions: kinds } = automation();
const code = (names: Iterable<string>) => [...names].map((name) => `\`${name}\``).join(", ");

const EVENT = `one of ${code(triggers.keys())}`;
const ACTION = `What is done, one of ${code(kinds.keys())}`;
const CONFIG = { oneOf: [...kinds.values()].map(closedConfig) };
const CONFIG_EXAMPLE = { title: "Kennismakingsgesprek plannen", priority: "high" };
/** The names that a plain text can hold, as examples: modules can add to them. */
const named = (names: Iterable<string>) => ({ examples: [...names] });

const event = () => ({ ...label(50), ...named(triggers.keys()) });
const conditions = (options = {}) => shownAs(json({ example: CONDITION_EXAMPLES[0], ...options }), ConditionTree);
const actions = (options = {}) => Type.Array(ActionWrite, { maxItems: 20, ...options });

const ActionRead = answer("ActionRead", {
  id: uuid(),
  position: Type.Integer({ description: "Its place in the rule, from 0" }),
  action_type: Type.String({ description: ACTION, ...named(kinds.keys()) }),
  config: json({
    description: "Settings of the action, as they were saved: `ActionWrite` has their keys by kind of action",
    example: CONFIG_EXAMPLE,
  }),
});
const ActionWrite = input("ActionWrite", {
  action_type: field({ ...label(50), ...named(kinds.keys()) }, ACTION),
  config: field(
    optional(shownAs(json({ default: {}, example: CONFIG_EXAMPLE }), CONFIG)),
    "Settings of the action: the schema whose title is its `action_type`. An unknown key is refused, with the nearest right one in `details`; values are checked when it runs",
  ),
});

const RULE = {
  name: "What it is called; it is shown in the trail of what the rule does",
  trigger_event: `The event that sets it off, ${EVENT}`,
  conditions:
    "When the rule acts: a tree of comparisons of the event's fields, then the record's own. `{}`, which is always true, for every event",
  enabled: "Whether events set it off",
  position: "Its place among the rules of an event, the lowest first; equal ones by age",
  actions: "What it does, in this order, with the rights of the system; at most 20. Sent in a change, they replace all actions",
};

export const RuleRead = answer(
  "RuleRead",
  {
    id: uuid(),
    name: Type.String(),
    trigger_event: Type.String(named(triggers.keys())),
    conditions: conditions(),
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
    conditions: optional(conditions({ default: {} })),
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
    conditions: optional(neverNull(nullable(conditions()))),
    enabled: optional(neverNull(nullable(flag()))),
    position: optional(neverNull(nullable(integer()))),
    actions: optional(neverNull(nullable(actions()))),
  },
  RULE,
);

export const DryRunRequest = input("DryRunRequest", {
  trigger_event: field(event(), `The event to try, ${EVENT}`),
  conditions: field(optional(conditions({ default: {} })), "Conditions to try, as a rule has them"),
  actions: field(optional(actions({ default: [] })), "Actions to try, as a rule has them; none is run"),
  entity_id: field(uuid(), "The record whose stored fields are compared"),
  payload: field(
    optional(shownAs(json({ default: {} }), TriggerPayload)),
    "Fields of the event, which come before the record's own",
  ),
});
export const DryRunResult = answer("DryRunResult", {
  matched: field(flag(), "Whether the conditions are true"),
  would_fire: field(list(Type.String()), "Kinds of the actions that would run, in order; empty when not matched"),
  snapshot_found: field(flag(), "Whether the record was found; otherwise only the payload was compared"),
});

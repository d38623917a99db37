import { closedConfig } from "../../../core/declare/automation.ts";
import { automation } from "../../../core/declare/catalogue/catalogue.ts";
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
  nonEmpty,
  nullable,
  optional,
  shownAs,
  Type,
  uuid,
} from "../../../core/schema/schema.ts";
import { CONDITION_EXAMPLES, ConditionTree } from "./condition-schemas.ts";
import { TriggerPayload } from "./payload-schemas.ts";

const { triggers, actions: kinds } = automation();
const code = (names: Iterable<string>) => [...names].map((name) => `\`${name}\``).join(", ");

const EVENT = `one of ${code(triggers.keys())}`;
const ACTION = `Kind of action, one of ${code(kinds.keys())}`;
/** Its branches have the kind of action as their title, which the document for generators uses as discriminator. */
const CONFIG = { "x-discriminator": "action_type", oneOf: [...kinds.values()].map(closedConfig) };
const CONFIG_EXAMPLE = { title: "Kennismakingsgesprek plannen", priority: "high" };
/** The valid names of a text, as examples instead of a closed set: modules can add more. */
const named = (names: Iterable<string>) => ({ examples: [...names] });

const event = () => ({ ...nonEmpty(50), ...named(triggers.keys()) });
const conditions = (options = {}) => shownAs(json({ example: CONDITION_EXAMPLES[0], ...options }), ConditionTree);
const actions = (options = {}) => Type.Array(ActionWrite, { maxItems: 20, ...options });

const ActionRead = answer("ActionRead", {
  id: uuid(),
  position: Type.Integer({ description: "Position in the rule, from 0" }),
  action_type: Type.String({ description: ACTION, ...named(kinds.keys()) }),
  config: json({
    description: "Settings of the action, as saved: `ActionWrite` has their keys by kind of action",
    example: CONFIG_EXAMPLE,
  }),
});
const ActionWrite = input("ActionWrite", {
  action_type: field({ ...nonEmpty(50), ...named(kinds.keys()) }, ACTION),
  config: field(
    optional(shownAs(json({ default: {}, example: CONFIG_EXAMPLE }), CONFIG)),
    "Settings of the action, by the schema whose title is its `action_type`. An unknown key is refused, and `details` has the nearest valid one; values are checked when the action runs",
  ),
});

const RULE = {
  name: "Name of the rule. The trail shows it on changes that the rule makes",
  trigger_event: `The event that triggers the rule, ${EVENT}`,
  conditions:
    "When the rule acts: a tree of comparisons of the event's fields, else the record's, no others. `{}` is always true",
  enabled: "Whether events trigger the rule",
  position: "Position among the rules of an event: lower numbers come first, equal ones by age",
  actions:
    "Actions in the order they run, at most 20, with the rights of the system. A change that sends actions replaces all of them",
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
  actions: field(optional(actions({ default: [] })), "Actions to try, as a rule has them; none of them runs"),
  entity_id: field(uuid(), "The record whose stored fields are compared"),
  payload: field(
    optional(shownAs(json({ default: {} }), TriggerPayload)),
    "Fields of the event; they take precedence over the record's",
  ),
});
export const DryRunResult = answer("DryRunResult", {
  matched: field(flag(), "Whether the conditions are true"),
  would_fire: field(list(Type.String()), "Kinds of the actions that would run, in order; empty if the conditions are false"),
  snapshot_found: field(flag(), "Whether the record was found; otherwise only the payload was compared"),
});

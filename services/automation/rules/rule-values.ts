import { isDeepStrictEqual } from "node:util";
import { nearestNames } from "../../../core/config/nearest-name.ts";
import { newId, type RowOf } from "../../../core/database/model.ts";
import type { AutomationAction } from "../../../core/declare/automation.ts";
import { automation } from "../../../core/declare/catalogue/catalogue.ts";
import { invalid } from "../../../core/errors/errors.ts";
import { inactiveAmong } from "../../../mixins/assignees.ts";
import type { Rule, StoredAction } from "../models.ts";
import { type Conditions, comparedFields, conditionFault } from "./conditions.ts";
import { seenFields } from "./snapshots.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** An action of a rule, as sent in a body. */
export interface SentAction {
  readonly action_type: string;
  readonly config?: Readonly<Record<string, unknown>>;
}

/** The parts of a stored rule that are validated together with what is sent. */
type StoredRule = Pick<RowOf<typeof Rule>, "trigger_event" | "conditions" | "actions">;

interface SentRule {
  readonly trigger_event?: string | undefined;
  readonly conditions?: unknown;
  readonly actions?: readonly SentAction[] | undefined;
}

/** Actions without ids and positions, for comparison. */
const bare = (actions: readonly SentAction[]) => actions.map(({ action_type, config = {} }) => ({ action_type, config }));

/** An error of a rule: its translation key, and by location the nearest valid name, the type or the limit there. */
interface Refused {
  error: string;
  details: Record<string, string | number>;
}

/** The unknown keys of a configuration, each with the nearest key of its action. */
function unknownKeys(config: object, { config: { properties } }: AutomationAction, at: string): Refused | null {
  const unknown = Object.keys(config).filter((key) => !Object.hasOwn(properties, key));
  if (unknown.length === 0) return null;
  const located = unknown.map((key) => [`${at}.config.${key}`, key] as const);
  return { error: "errors.automation_unknown_config_key", details: nearestNames(located, Object.keys(properties)) };
}

function refusedAction({ action_type, config = {} }: SentAction, at: string, isStored: boolean): Refused | null {
  const { actions: known } = automation();
  const declared = known.get(action_type);
  if (!declared) {
    const details = nearestNames([[`${at}.action_type`, action_type]], [...known.keys()]);
    return { error: "errors.automation_unknown_action", details };
  }
  const unknown = isStored ? null : unknownKeys(config, declared, at);
  if (unknown) return unknown;
  const refused = declared.refused?.(config);
  return refused ? { error: refused.error, details: { [`${at}.config.${refused.field}`]: refused.expected } } : null;
}

/** The error of the first invalid action, or null. A stored action may have keys that no longer exist. */
function refusedActions(actions: readonly SentAction[], before: readonly SentAction[]): Refused | null {
  const stored = bare(before);
  for (const [index, action] of bare(actions).entries()) {
    const isStored = stored.some((one) => isDeepStrictEqual(one, action));
    const refused = refusedAction(action, `actions.${index}`, isStored);
    if (refused) return refused;
  }
  return null;
}

function refusedTrigger(event: string): Refused | null {
  const { triggers } = automation();
  if (triggers.has(event)) return null;
  return { error: "errors.automation_unknown_trigger", details: nearestNames([["trigger_event", event]], [...triggers.keys()]) };
}

const INVALID_CONDITIONS = "errors.automation_invalid_conditions";

/** The fields of conditions that neither the event of a trigger nor its record has, each with the nearest. Null for an unknown trigger. */
async function unknownFields(event: string, conditions: Conditions): Promise<Refused | null> {
  const trigger = automation().triggers.get(event);
  const entity = await automation().entities.get(trigger?.entity_type ?? "")?.();
  if (!trigger || !entity) return null;
  const known = new Set([...trigger.payload, ...seenFields(entity)]);
  const unknown = comparedFields(conditions).filter(([, field]) => !known.has(field));
  if (unknown.length === 0) return null;
  const located = unknown.map(([at, field]) => [`conditions.${at}`, field] as const);
  return { error: INVALID_CONDITIONS, details: nearestNames(located, [...known]) };
}

/** The first error in the form of a rule's conditions, else the fields that its trigger lacks. Unchanged ones of the same trigger are valid. */
async function refusedConditions(
  { trigger_event, conditions }: SentRule,
  before: StoredRule | undefined,
): Promise<Refused | null> {
  const fault = conditions === undefined ? null : conditionFault(conditions);
  if (fault) {
    const at = fault.at === "" ? "conditions" : `conditions.${fault.at}`;
    return { error: INVALID_CONDITIONS, details: { [at]: fault.expected } };
  }
  const event = trigger_event ?? before?.trigger_event;
  const tree = (conditions ?? before?.conditions) as Conditions | undefined;
  if (event === undefined || tree === undefined) return null;
  const isStored = event === before?.trigger_event && isDeepStrictEqual(tree, before.conditions);
  return isStored ? null : unknownFields(event, tree);
}

/** The accounts to which actions hand work, by their location, without those of unchanged actions. */
function handedTo(actions: readonly SentAction[], before: readonly SentAction[]): [at: string, person: string][] {
  const stored = bare(before);
  return bare(actions).flatMap(({ action_type, config }, index) => {
    const key = automation().actions.get(action_type)?.handsTo;
    const person = key === undefined ? undefined : (config as Record<string, unknown>)[key];
    if (typeof person !== "string" || !UUID.test(person)) return [];
    if (stored.some((one) => isDeepStrictEqual(one, { action_type, config }))) return [];
    return [[`actions.${index}.config.${key}`, person.toLowerCase()] as [string, string]];
  });
}

/** @throws 422 on `actions` for an action that hands work to an inactive member (work chapter §1) */
async function requireActive(actions: readonly SentAction[], before: readonly SentAction[]): Promise<void> {
  const handed = handedTo(actions, before);
  const inactive = await inactiveAmong(handed.map(([, person]) => person));
  const refused = handed.filter(([, person]) => inactive.has(person));
  const details = Object.fromEntries(refused.map(([at]) => [at, "active member"]));
  if (refused.length > 0) throw invalid({ actions: "errors.inactive_member" }, details);
}

/**
 * Validates the sent parts of a rule; every path that saves or dry-runs one goes through here.
 * @param before the rule as stored; a change is validated together with what it keeps
 * @returns the conditions, if any were sent
 * @throws 422 on `trigger_event`, `conditions` and `actions` (platform chapter §2.2), with the location of each error in `details`
 */
export async function checkedRule(sent: SentRule, before?: StoredRule): Promise<{ conditions?: Conditions }> {
  const { trigger_event, conditions, actions = [] } = sent;
  const stored = before?.actions ?? [];
  const found = {
    trigger_event: trigger_event === undefined ? null : refusedTrigger(trigger_event),
    conditions: await refusedConditions(sent, before),
    actions: refusedActions(actions, stored),
  };
  const refused = Object.entries(found).flatMap(([field, one]) => (one ? [[field, one] as const] : []));
  if (refused.length > 0) {
    const details: Refused["details"] = Object.assign({}, ...refused.map(([, one]) => one.details));
    const fields = Object.fromEntries(refused.map(([field, { error }]) => [field, error]));
    throw invalid(fields, Object.keys(details).length > 0 ? details : undefined);
  }
  await requireActive(actions, stored);
  return conditions === undefined ? {} : { conditions: conditions as Conditions };
}

/**
 * The actions of a rule as stored, in the order sent.
 * @param before the rule's current actions: resending the same list keeps their ids
 */
export function storedActions(sent: readonly SentAction[], before: readonly StoredAction[] = []): readonly StoredAction[] {
  if (isDeepStrictEqual(bare(sent), bare(before))) return before;
  return bare(sent).map((action, position) => ({ id: newId(), position, ...action }));
}

import type { AutomationAction } from "../../../core/declare/automation.ts";
import { automation, catalogue } from "../../../core/declare/catalogue/catalogue.ts";
import { refusal } from "../../../core/errors/errors.ts";
import { mayCaller } from "../../../core/request/caller.ts";
import type { SentAction } from "./rule-values.ts";

/** The permissions of an action with this configuration, by their location in the action. */
const neededBy = ({ permission, alsoNeeds = {} }: AutomationAction, config: object): (readonly [string, string])[] => [
  ["action_type", permission],
  ...Object.entries(alsoNeeds).flatMap(([key, also]) => (Object.hasOwn(config, key) ? [[`config.${key}`, also] as const] : [])),
];

const lacking = (field: string, details: Record<string, string>) =>
  refusal("forbidden", "errors.forbidden", { fields: { [field]: "errors.forbidden" }, details });

/**
 * The permission to write rules about a trigger's records, null if those belong to clients: its author sees every client. Records of people
 * need their readers' permission, because an action can send them elsewhere.
 */
function neededToSee(event: string): string | null {
  const kind = automation().triggers.get(event)?.entity_type ?? "";
  const { client, readers } = catalogue().records.get(kind) ?? {};
  if (client !== null || !readers) return null;
  return readers.own ? `${readers.permission}:any` : readers.permission;
}

/** The parts of a rule that decide which permissions it needs. */
interface Rights {
  trigger_event: string;
  actions: readonly SentAction[];
}

/** Refuses a change like `requireRights` the rule that it makes; switching a rule off, with `enabled` alone, needs no permission. */
export function requireRightsToChange(
  before: Rights,
  sent: { [Part in keyof Rights]?: Rights[Part] | undefined } & { enabled?: boolean | undefined },
): void {
  const isSwitchingOff = sent.enabled === false && Object.keys(sent).length === 1;
  if (!isSwitchingOff)
    requireRights({ trigger_event: sent.trigger_event ?? before.trigger_event, actions: sent.actions ?? before.actions });
}

/**
 * Refuses the rule of a caller who may not do what it does: its actions run with the rights of the system (platform chapter §2.1). Ignores
 * kinds of actions that do not exist.
 * @param rule its trigger, and all actions that it has when saved, also unchanged ones
 * @throws 403 with the missing permission by its location, such as `actions.0.action_type`, in `details`
 */
export function requireRights({ trigger_event, actions }: Rights): void {
  const toSee = neededToSee(trigger_event);
  if (toSee !== null && !mayCaller(toSee)) throw lacking("trigger_event", { trigger_event: toSee });
  const missing = actions.flatMap(({ action_type, config = {} }, index) => {
    const declared = automation().actions.get(action_type);
    const needed = declared ? neededBy(declared, config) : [];
    return needed.flatMap(([at, permission]) => (mayCaller(permission) ? [] : [[`actions.${index}.${at}`, permission] as const]));
  });
  if (missing.length > 0) throw lacking("actions", Object.fromEntries(missing));
}

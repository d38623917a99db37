import type { AutomationAction } from "../../../core/declare/automation.ts";
import { automation } from "../../../core/declare/catalogue/catalogue.ts";
import { refusal } from "../../../core/errors/errors.ts";
import { mayCaller } from "../../../core/request/caller.ts";
import type { SentAction } from "./rule-values.ts";

/** The permissions of an action with this configuration, by their location in the action. */
const neededBy = ({ permission, alsoNeeds = {} }: AutomationAction, config: object): (readonly [string, string])[] => [
  ["action_type", permission],
  ...Object.entries(alsoNeeds).flatMap(([key, also]) => (Object.hasOwn(config, key) ? [[`config.${key}`, also] as const] : [])),
];

/**
 * Refuses the rule of a caller who may not do what it does: its actions run with the rights of the system (platform chapter §2.1). Ignores
 * kinds of actions that do not exist.
 * @param actions all actions that the saved rule has, also unchanged ones
 * @throws 403 with the missing permission by the location of each such action in `details`
 */
export function requireRights(actions: readonly SentAction[]): void {
  const missing = actions.flatMap(({ action_type, config = {} }, index) => {
    const declared = automation().actions.get(action_type);
    const needed = declared ? neededBy(declared, config) : [];
    return needed.flatMap(([at, permission]) => (mayCaller(permission) ? [] : [[`actions.${index}.${at}`, permission] as const]));
  });
  if (missing.length === 0) return;
  throw refusal("forbidden", "errors.forbidden", {
    fields: { actions: "errors.forbidden" },
    details: Object.fromEntries(missing),
  });
}

import { isDeepStrictEqual } from "node:util";
import { newId } from "../../../core/database/model.ts";
import { automation } from "../../../core/declare/automation.ts";
import { invalid } from "../../../core/declare/errors.ts";
import type { StoredAction } from "../models.ts";
import { areConditions, type Conditions } from "./conditions.ts";

/** An action of a rule, as sent in a body. */
export interface SentAction {
  readonly action_type: string;
  readonly config?: Readonly<Record<string, unknown>>;
}

interface Sent {
  readonly trigger_event?: string | undefined;
  readonly conditions?: unknown;
  readonly actions?: readonly SentAction[] | undefined;
}

/** The error of the first invalid action, or null. */
function refusedAction(actions: readonly SentAction[]): string | null {
  const { actions: known } = automation();
  for (const { action_type, config = {} } of actions) {
    const declared = known.get(action_type);
    const refused = declared ? (declared.refused?.(config) ?? null) : "errors.automation_unknown_action";
    if (refused !== null) return refused;
  }
  return null;
}

/**
 * Validates the sent parts of a rule; every path that saves or dry-runs one goes through here.
 * @returns the conditions, if any were sent
 * @throws 422 on `trigger_event`, `conditions` and `actions` (platform chapter §2.2)
 */
export function checkedRule({ trigger_event, conditions, actions }: Sent): { conditions?: Conditions } {
  const fields: Record<string, string> = {};
  if (trigger_event !== undefined && !automation().triggers.has(trigger_event))
    fields["trigger_event"] = "errors.automation_unknown_trigger";
  const isTree = areConditions(conditions);
  if (conditions !== undefined && !isTree) fields["conditions"] = "errors.automation_invalid_conditions";
  const refused = refusedAction(actions ?? []);
  if (refused !== null) fields["actions"] = refused;
  if (Object.keys(fields).length > 0) throw invalid(fields);
  return isTree ? { conditions } : {};
}

/** Actions without ids and positions, for comparison. */
const bare = (actions: readonly SentAction[]) => actions.map(({ action_type, config = {} }) => ({ action_type, config }));

/**
 * The actions of a rule as stored, in the order sent.
 * @param before the rule's current actions: resending the same list keeps their ids
 */
export function storedActions(sent: readonly SentAction[], before: readonly StoredAction[] = []): readonly StoredAction[] {
  if (isDeepStrictEqual(bare(sent), bare(before))) return before;
  return bare(sent).map((action, position) => ({ id: newId(), position, ...action }));
}

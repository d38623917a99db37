import { queryAll } from "../../../core/database/query.ts";
import type { ActionContext } from "../../../core/declare/action.ts";
import { automation, catalogue } from "../../../core/declare/catalogue/catalogue.ts";
import { isApiError } from "../../../core/errors/errors.ts";
import { prepared } from "../../../core/request/context.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { meets } from "./conditions.ts";
import type { DryRunRequest } from "./rule-schemas.ts";
import { checkedRule } from "./rule-values.ts";
import { factsOf, type Snapshot, snapshotsOf } from "./snapshots.ts";

type Draft = Static<typeof DryRunRequest>;

/**
 * Whether the caller sees the record of a dry run: one that the caller's selection or permissions hide counts as missing, so that a
 * condition reveals nothing about it.
 */
export async function seenByCaller(ctx: ActionContext, { trigger_event, entity_id }: Draft): Promise<boolean> {
  const trigger = automation().triggers.get(trigger_event);
  const { principal } = ctx.meta;
  if (!trigger || !principal) return true;
  const [seen, parameter] = catalogue().records.get(trigger.entity_type)?.seen ?? [];
  if (seen === undefined || parameter === undefined) return false;
  try {
    await ctx.call(seen, { [parameter]: entity_id });
    return true;
  } catch (error) {
    if (isApiError(error) && (error.code === 404 || error.code === 403)) return false;
    throw error;
  }
}

/**
 * Dry-runs an unsaved rule on a record, with the same matching as a saved rule (platform chapter §2.5). Only reads; `prepared()` returns
 * whether the caller sees the record.
 * @throws 422 as when saving the rule
 */
export async function dryRun({ trigger_event, conditions = {}, actions = [], entity_id, payload }: Draft) {
  const { conditions: tree = {} } = await checkedRule({ trigger_event, conditions, actions });
  const type = automation().triggers.get(trigger_event)?.entity_type;
  const found = type && prepared<boolean>() ? await queryAll(await snapshotsOf(new Map([[type, [entity_id]]]))) : [];
  const [snapshot] = (found[0] ?? []) as unknown as Snapshot[];
  const matched = meets(factsOf(snapshot, payload), tree);
  return {
    matched,
    would_fire: matched ? actions.map(({ action_type }) => action_type) : [],
    snapshot_found: snapshot !== undefined,
  };
}

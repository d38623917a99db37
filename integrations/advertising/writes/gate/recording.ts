import { queueInsert } from "../../../../core/database/write.ts";
import { Activity } from "../../../../core/trail/trail.ts";
import { type Actor, currentActor, recordDecisions } from "../../decisions/recording.ts";
import { decided, type Planned } from "../requests/operation.ts";
import type { OperationResult } from "./intent-model.ts";
import { closeIntent, type Unapplied } from "./intents.ts";

/** A write with a known outcome, and the data to record. */
export interface Settled {
  intentId: string;
  accountId: string;
  planned: readonly Planned[];
  results: readonly OperationResult[];
  activity: string;
  resource: string;
  requested: number;
  skipped: number;
  /** The state of the write if no operation was applied; refused by default. */
  unapplied?: Unapplied;
}

/**
 * Closes an intent in the running transaction, and records a decision per applied operation and one activity entry. Does nothing if the
 * intent is closed already.
 * @param actor the initiator, if not the caller
 */
export async function recordSettled(settled: Settled, actor: Actor = currentActor()): Promise<void> {
  const { intentId, accountId, planned, results, activity, resource, requested, skipped } = settled;
  if (!(await closeIntent(intentId, results, null, settled.unapplied))) return;
  const applied = planned.flatMap((one) => {
    const result = results.find(({ index, ok }) => ok && index === one.index);
    return result ? [{ one, name: result.resource_name }] : [];
  });
  if (applied.length === 0) return;
  const recorded = applied.flatMap(({ one, name }) => {
    const { isUnrecorded, ...decision } = decided(one, name);
    return isUnrecorded ? [] : [{ ...decision, applied: true, source: "write" as const, expires_on: null }];
  });
  recordDecisions(accountId, recorded, actor, intentId);
  queueInsert(Activity, {
    entity_type: "ads_account",
    entity_id: accountId,
    action: activity,
    payload: { resource, applied: applied.length, requested, skipped },
    actor_account_id: actor.actor_account_id,
    actor_service_account_id: actor.actor_service_account_id,
    actor_name: actor.actor_name,
    impersonator_name: actor.impersonator_name,
  });
}

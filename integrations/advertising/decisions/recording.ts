import { newId } from "../../../core/database/model.ts";
import { enqueue } from "../../../core/database/query.ts";
import { impersonatorName } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { type DecisionWord, type SubjectType, subjectKey } from "./words.ts";

/** The person or service account that decides, by id and by current name. */
export interface Actor {
  actor_account_id: string | null;
  actor_service_account_id: string | null;
  actor_name: string | null;
  impersonator_name: string | null;
}

export function currentActor(): Actor {
  const { principal } = request();
  return {
    actor_account_id: principal?.accountId ?? null,
    actor_service_account_id: principal?.serviceAccountId ?? null,
    actor_name: principal?.name ?? null,
    impersonator_name: impersonatorName(),
  };
}

/** A decision to be recorded. */
export interface NewDecision {
  subject_type: SubjectType;
  subject: string;
  scope: string;
  decision: DecisionWord;
  reason: string;
  applied: boolean;
  source: "manual" | "write";
  payload: Record<string, unknown>;
  expires_on: string | null;
}

const RECORD =
  statement(`insert into ads_decisions (id, organisation_id, account_id, intent_id, subject_type, subject, subject_key, scope, decision,
    reason, applied, source, payload, expires_on, actor_account_id, actor_service_account_id, actor_name, impersonator_name)
  select d.id, $1, $2, $3, d.subject_type, d.subject, d.subject_key, d.scope, d.decision, d.reason, d.applied, d.source, d.payload, d.expires_on,
    $5, $6, $7, $8
  from jsonb_to_recordset($4::jsonb) d (id uuid, subject_type text, subject text, subject_key text, scope text, decision text, reason text,
    applied boolean, source text, payload jsonb, expires_on date)`);

/**
 * Records decisions in the running transaction, in one statement; each counts as newer than the one before it.
 * @param intentId the write that they result from
 * @returns their ids
 */
export function recordDecisions(
  accountId: string,
  decisions: readonly NewDecision[],
  actor: Actor = currentActor(),
  intentId: string | null = null,
): string[] {
  if (decisions.length === 0) return [];
  const rows = decisions.map((one) => ({ ...one, id: newId(), subject_key: subjectKey(one.subject) }));
  const { actor_account_id, actor_service_account_id, actor_name, impersonator_name } = actor;
  const by = [actor_account_id, actor_service_account_id, actor_name, impersonator_name];
  enqueue(RECORD, [request().organisation.id, accountId, intentId, JSON.stringify(rows), ...by]);
  return rows.map(({ id }) => id);
}

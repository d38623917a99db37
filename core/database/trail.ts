import { request } from "../request/context.ts";
import { newId } from "./model.ts";
import { enqueue } from "./query.ts";
import { statement } from "./statement.ts";

const WRITE = statement(`insert into activity (id, organisation_id, entity_type, entity_id, action, payload, actor_account_id,
    actor_service_account_id, actor_name)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`);

/** A tracked field before and after. */
export type Changes = Record<string, { from: unknown; to: unknown }>;

/** Writes one line of the trail (conventions §12) in the running transaction. The actor's name is kept for the day the account is gone. */
export function trail(entityType: string, entityId: string, action: string, payload: Record<string, unknown> = {}): void {
  const { organisation, principal } = request();
  enqueue(WRITE, [
    newId(),
    organisation.id,
    entityType,
    entityId,
    action,
    JSON.stringify(payload),
    principal?.accountId ?? null,
    principal?.serviceAccountId ?? null,
    principal?.name ?? null,
  ]);
}

/** The tracked fields that really differ between two states of a row. */
export function changesOf(tracked: readonly string[], before: Record<string, unknown>, after: Record<string, unknown>): Changes {
  const changes: Changes = {};
  for (const field of tracked) {
    const [from, to] = [before[field] ?? null, field in after ? (after[field] ?? null) : (before[field] ?? null)];
    if (from !== to) changes[field] = { from, to };
  }
  return changes;
}

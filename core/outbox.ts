import { request } from "./context.ts";
import { statement } from "./database.ts";
import { type EventName, isEvent } from "./events.ts";
import { newId } from "./model.ts";
import { enqueue } from "./query.ts";

const APPEND =
  statement(`insert into outbox (id, organisation_id, event, entity_type, entity_id, payload, actor_account_id, request_id)
  values ($1, $2, $3, $4, $5, $6, $7, $8)`);

/**
 * Records a domain event in the running transaction: it exists exactly when the change does, and is delivered after commit.
 * @throws TypeError for an event that is not in the catalogue
 */
export function emit(event: EventName, entityType: string, entityId: string, payload: Record<string, unknown>): void {
  if (!isEvent(event)) throw new TypeError(`'${event}' is not in the event catalogue`);
  const { organisation, principal, requestId } = request();
  enqueue(APPEND, [
    newId(),
    organisation.id,
    event,
    entityType,
    entityId,
    JSON.stringify(payload),
    principal?.accountId ?? null,
    requestId,
  ]);
}

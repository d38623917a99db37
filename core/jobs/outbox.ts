import { newId } from "../database/model.ts";
import { enqueue } from "../database/query.ts";
import { statement } from "../database/statement.ts";
import { joinTransaction } from "../database/transaction.ts";
import { type EventKind, type EventName, type EventPayload, events, isEvent } from "../declare/events.ts";
import { type Check, compileBody } from "../declare/schema.ts";
import { request } from "../request/context.ts";

const APPEND =
  statement(`insert into outbox (id, organisation_id, event, entity_type, entity_id, payload, actor_account_id, request_id)
  values ($1, $2, $3, $4, $5, $6, $7, $8)`);
const APPEND_ALL =
  statement(`insert into outbox (id, organisation_id, event, entity_type, entity_id, payload, actor_account_id, request_id)
  select e.id, $1, $2, $3, e.entity_id, e.payload, $5, $6 from jsonb_to_recordset($4::jsonb) e (id uuid, entity_id uuid, payload jsonb)`);

const checks = new Map<EventName, Check>();

/** Who carries the outbox away on this node. */
export interface Carrier {
  /** Whether anybody waits for events of this name; the others are cleared away now and then. */
  wants(event: string): boolean;
  /** Something was committed. */
  nudge(): void;
}

const NOBODY: Carrier = { wants: () => false, nudge: () => {} };
let carrier = NOBODY;

/** Names who is told after a local commit that something waits. Without anybody, and on other nodes, polling finds it. */
export function carryOutbox(by: Carrier | null): void {
  carrier = by ?? NOBODY;
}

const tell = () => carrier.nudge();

/** Marks the running transaction as one that leaves a job. */
export function leavesWork(): void {
  joinTransaction().afterCommit(tell);
}

function check(event: EventName, payload: unknown): void {
  let known = checks.get(event);
  if (!known) checks.set(event, (known = compileBody((events()[event] as EventKind).payload, false)));
  try {
    known(payload);
  } catch (error) {
    const { fields } = (error as { data?: { fields?: object } }).data ?? {};
    throw new TypeError(`'${event}' was emitted with a payload that is not the catalogue's: ${JSON.stringify(fields)}`);
  }
}

/**
 * Records a domain event in the running transaction: it exists exactly when the change does, and is delivered at least once after
 * commit, in order per entity, one job per subscriber.
 * @throws TypeError for an event that is not in the catalogue, or a payload that is not its own
 */
export function emit<E extends EventName>(event: E, entityType: string, entityId: string, payload: EventPayload<E>): void {
  if (!isEvent(event)) throw new TypeError(`'${event}' is not in the event catalogue`);
  check(event, payload);
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
  if (carrier.wants(event)) leavesWork();
}

/** The same event about several rows, recorded in one statement. */
export function emitAll<E extends EventName>(
  event: E,
  entityType: string,
  told: readonly { readonly entityId: string; readonly payload: EventPayload<E> }[],
): void {
  if (told.length === 0) return;
  const { organisation, principal, requestId } = request();
  const rows = told.map(({ entityId, payload }) => {
    check(event, payload);
    return { id: newId(), entity_id: entityId, payload };
  });
  enqueue(APPEND_ALL, [organisation.id, event, entityType, JSON.stringify(rows), principal?.accountId ?? null, requestId]);
  leavesWork();
}

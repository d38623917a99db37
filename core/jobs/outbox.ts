import { joinTransaction } from "../database/connection/transaction.ts";
import { newId } from "../database/model.ts";
import { enqueue } from "../database/query.ts";
import { catalogue, events, isEvent } from "../declare/catalogue/catalogue.ts";
import type { ChangedRecord, EventKind, EventName, EventPayload, RecordedEvent } from "../declare/events.ts";
import { request } from "../request/context.ts";
import { type Check, compileBody } from "../schema/validation.ts";
import { statement } from "../sql/statement.ts";

const APPEND =
  statement(`insert into outbox (id, organisation_id, event, entity_type, entity_id, payload, actor_account_id, request_id)
  values ($1, $2, $3, $4, $5, $6, $7, $8)`);
const APPEND_ALL =
  statement(`insert into outbox (id, organisation_id, event, entity_type, entity_id, payload, actor_account_id, request_id)
  select e.id, $1, $2, $3, e.entity_id, e.payload, $5, $6 from jsonb_to_recordset($4::jsonb) e (id uuid, entity_id uuid, payload jsonb)`);

const checks = new Map<EventName, Check>();

/** The relay of this node, which moves the outbox to the queue. */
export interface Carrier {
  /** Whether any subscriber wants events of this name; others are cleared periodically. */
  wants(event: string): boolean;
  /** A transaction with work was committed. */
  nudge(): void;
  /** A transaction with work that is due later was committed; the relay moves it together with what follows soon. */
  nudgeLater(): void;
}

/** Work due at least this far ahead, in ms, need not move at once. */
const AHEAD = 1_000;

const NOBODY: Carrier = { wants: () => false, nudge: () => {}, nudgeLater: () => {} };
let carrier = NOBODY;

/** Sets the relay that local commits notify. Without one, and on other nodes, polling finds the work. */
export function carryOutbox(by: Carrier | null): void {
  carrier = by ?? NOBODY;
}

const notifyRelay = () => carrier.nudge();
const notifyRelayLater = () => carrier.nudgeLater();

/** Notifies this node of work that was committed outside a request's transaction. */
export const nudgeOutbox = (): void => notifyRelay();

/** Marks the current transaction as one that adds a job. @param due when the job may run; at once if omitted */
export function leavesWork(due?: Date): void {
  const isAhead = due !== undefined && due.getTime() - Date.now() >= AHEAD;
  joinTransaction().afterCommit(isAhead ? notifyRelayLater : notifyRelay);
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
 * Runs the in-transaction hooks of the modules that want some of a transaction's events or changes, before it commits. They run
 * concurrently, so their first reads share one message.
 */
async function runEventHooks(things: (RecordedEvent | ChangedRecord)[]): Promise<void> {
  const recorded = things.filter((thing) => "name" in thing);
  const changed = things.filter((thing) => "change" in thing);
  const wanting = catalogue().eventHooks.flatMap(({ events: wanted, changes = false, load }) => {
    const events = wanted === "all" ? recorded : recorded.filter(({ name }) => wanted.includes(name));
    const ofRecords = changes ? changed : [];
    return events.length + ofRecords.length > 0 ? [{ events, changed: ofRecords, loading: load() }] : [];
  });
  const hooks = await Promise.all(wanting.map(({ loading }) => loading));
  // Wait for every hook: a failure makes the request end its transaction, which none may still be using.
  const ended = await Promise.allSettled(
    hooks.map((hook, index) => hook(wanting[index]?.events ?? [], wanting[index]?.changed ?? [])),
  );
  for (const end of ended) if (end.status === "rejected") throw end.reason;
}

/** Registers an event, or a change of a record, for the hooks that run before the current transaction commits. */
export const hookBeforeCommit = (thing: RecordedEvent | ChangedRecord): void =>
  joinTransaction().beforeCommit(runEventHooks, thing);

/**
 * Records a domain event in the current transaction: it exists if and only if the change does. After the commit it is delivered at least
 * once, in order per entity, as one job per subscriber.
 * @throws TypeError for an event that is not in the catalogue, or an invalid payload
 */
export function emit<E extends EventName>(event: E, entityType: string, entityId: string, payload: EventPayload<E>): void {
  if (!isEvent(event)) throw new TypeError(`'${event}' is not in the event catalogue`);
  check(event, payload);
  const { organisation, principal, requestId } = request();
  const id = newId();
  hookBeforeCommit({ id, name: event, entityType, entityId, payload } as RecordedEvent);
  enqueue(APPEND, [
    id,
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

/** Records the same event about several rows, in one statement. */
export function emitAll<E extends EventName>(
  event: E,
  entityType: string,
  events: readonly { readonly entityId: string; readonly payload: EventPayload<E> }[],
): void {
  if (events.length === 0) return;
  const { organisation, principal, requestId } = request();
  const rows = events.map(({ entityId, payload }) => {
    check(event, payload);
    const id = newId();
    hookBeforeCommit({ id, name: event, entityType, entityId, payload } as RecordedEvent);
    return { id, entity_id: entityId, payload };
  });
  enqueue(APPEND_ALL, [organisation.id, event, entityType, JSON.stringify(rows), principal?.accountId ?? null, requestId]);
  leavesWork();
}

import { joinTransaction } from "../database/connection/transaction.ts";
import { newId } from "../database/model.ts";
import { enqueue } from "../database/query.ts";
import { statement } from "../database/statement.ts";
import { catalogue } from "../declare/catalogue/catalogue.ts";
import { type EventKind, type EventName, type EventPayload, events, isEvent, type RecordedEvent } from "../declare/events.ts";
import { type Check, compileBody } from "../declare/schema.ts";
import { request } from "../request/context.ts";
import type { ChangedRecord } from "./record-changes.ts";

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
  /** Something was committed that is due later: it is carried with what else comes soon. */
  nudgeLater(): void;
}

/** What is due so far ahead, in ms, need not be carried at once. */
const AHEAD = 1_000;

const NOBODY: Carrier = { wants: () => false, nudge: () => {}, nudgeLater: () => {} };
let carrier = NOBODY;

/** Names who is told after a local commit that something waits. Without anybody, and on other nodes, polling finds it. */
export function carryOutbox(by: Carrier | null): void {
  carrier = by ?? NOBODY;
}

const tell = () => carrier.nudge();
const tellLater = () => carrier.nudgeLater();

/** Tells this node that something was committed outside of a request's transaction. */
export const nudgeOutbox = (): void => tell();

/** Marks the running transaction as one that leaves a job. @param due when that may run; at once without it */
export function leavesWork(due?: Date): void {
  const isAhead = due !== undefined && due.getTime() - Date.now() >= AHEAD;
  joinTransaction().afterCommit(isAhead ? tellLater : tell);
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
 * Has each module that joins some of the events or changes of a transaction write what follows from them, before it commits. They do so side
 * by side: what they read first goes in one message.
 */
async function joinRecorded(things: (RecordedEvent | ChangedRecord)[]): Promise<void> {
  const recorded = things.filter((thing) => "name" in thing);
  const changed = things.filter((thing) => "change" in thing);
  const joining = catalogue().joins.flatMap(({ events: wanted, changes = false, load }) => {
    const told = wanted === "all" ? recorded : recorded.filter(({ name }) => wanted.includes(name));
    const ofRecords = changes ? changed : [];
    return told.length + ofRecords.length > 0 ? [{ told, changed: ofRecords, loading: load() }] : [];
  });
  const joins = await Promise.all(joining.map(({ loading }) => loading));
  // The request ends its transaction when this fails: not while one of them still uses it.
  const ended = await Promise.allSettled(
    joins.map((join, index) => join(joining[index]?.told ?? [], joining[index]?.changed ?? [])),
  );
  for (const end of ended) if (end.status === "rejected") throw end.reason;
}

/** Names an event, or a change of a record, for the moment before the commit of the running transaction. */
export const beforeCommitJoin = (thing: RecordedEvent | ChangedRecord): void =>
  joinTransaction().beforeCommit(joinRecorded, thing);

/**
 * Records a domain event in the running transaction: it exists exactly when the change does, and is delivered at least once after
 * commit, in order per entity, one job per subscriber.
 * @throws TypeError for an event that is not in the catalogue, or a payload that is not its own
 */
export function emit<E extends EventName>(event: E, entityType: string, entityId: string, payload: EventPayload<E>): void {
  if (!isEvent(event)) throw new TypeError(`'${event}' is not in the event catalogue`);
  check(event, payload);
  const { organisation, principal, requestId } = request();
  const id = newId();
  beforeCommitJoin({ id, name: event, entityType, entityId, payload } as RecordedEvent);
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
    const id = newId();
    beforeCommitJoin({ id, name: event, entityType, entityId, payload } as RecordedEvent);
    return { id, entity_id: entityId, payload };
  });
  enqueue(APPEND_ALL, [organisation.id, event, entityType, JSON.stringify(rows), principal?.accountId ?? null, requestId]);
  leavesWork();
}

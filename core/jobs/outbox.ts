import { AsyncLocalStorage } from "node:async_hooks";
import { joinTransaction } from "../database/connection/transaction.ts";
import { newId } from "../database/model.ts";
import { enqueue, queryAll } from "../database/query.ts";
import { catalogue, events, isEvent } from "../declare/catalogue/catalogue.ts";
import type { ChangedRecord, EventKind, EventName, EventPayload, RecordedEvent } from "../declare/events.ts";
import { jobRetryContext } from "../outbound/provider/retry-context.ts";
import { request } from "../request/context.ts";
import { type Check, compileBody } from "../schema/validation.ts";
import { statement } from "../sql/statement.ts";
import { jsonOf } from "../threads/breath.ts";
import { type Tracing, tracing } from "../tracing/tracing.ts";

/** A row of the outbox: an event, or a job. */
export interface OutboxRow {
  id: string;
  event?: string;
  entity_type?: string;
  entity_id?: string;
  job?: string;
  payload: object;
  key?: string | null;
  dedupe?: string | null;
  run_at?: string | null;
  actor_account_id?: string | null;
  traceparent?: string;
  /** True for work that a clock set off. */
  by_clock?: boolean;
}

// The order of the rows is the order in which they were recorded.
const APPEND =
  statement(`insert into outbox (id, organisation_id, event, entity_type, entity_id, job, payload, key, dedupe, run_at,
    actor_account_id, by_clock, request_id, traceparent)
  select r.id, $1, r.event, r.entity_type, r.entity_id, r.job, r.payload, r.key, r.dedupe, r.run_at, r.actor_account_id,
      coalesce(r.by_clock, false), $3, r.traceparent
    from rows from (jsonb_to_recordset($2::jsonb) as (id uuid, event text, entity_type text, entity_id uuid, job text, payload jsonb,
      key text, dedupe text, run_at timestamptz, actor_account_id uuid, by_clock boolean, traceparent text))
      with ordinality r (id, event, entity_type, entity_id, job, payload, key, dedupe, run_at, actor_account_id, by_clock,
        traceparent, n)
   order by r.n`);
/** Most rows of one statement: an import records a hundred thousand. */
const MOST_ROWS = 1000;

async function store(rows: readonly OutboxRow[]): Promise<void> {
  const { organisation, requestId } = request();
  const stored = tracing ? tracedRows(tracing, rows) : rows;
  for (let from = 0; from < stored.length; from += MOST_ROWS) {
    // What the commit does not send with its last message is sent before, a piece at a time.
    if (from > 0) await queryAll();
    enqueue(APPEND, [organisation.id, await jsonOf(stored.slice(from, from + MOST_ROWS)), requestId]);
  }
}

/**
 * The rows with the trace that their jobs continue. What a job schedules for later begins a trace of its own: a job that always schedules its
 * next run would never end its trace.
 */
function tracedRows(recorder: Tracing, rows: readonly OutboxRow[]): readonly OutboxRow[] {
  const attributes = { "messaging.system": "kantoor", "messaging.operation.type": "send" };
  const batch = { "messaging.destination.name": "outbox", "messaging.batch.message_count": rows.length };
  const traceparent = recorder.mark({ name: "send outbox", kind: "producer", attributes: { ...attributes, ...batch } });
  if (traceparent === null) return rows;
  const isInJob = jobRetryContext() !== undefined;
  return rows.map((row) => (isInJob && row.run_at ? row : { ...row, traceparent }));
}

const clocked = new AsyncLocalStorage<true>();

/** Runs the work of a clock: what it schedules on this node yields to what people wait for, and so does all that follows from it. */
export const onClock = <T>(work: () => T): T => clocked.run(true, work);

/** Adds a row to the outbox with the commit: the rows of a transaction share a statement, in the order of these calls. */
export const append = (row: OutboxRow): void =>
  joinTransaction().lastBeforeCommit(store, clocked.getStore() ? { ...row, by_clock: true } : row);

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

function record<E extends EventName>(event: E, entity_type: string, entity_id: string, payload: EventPayload<E>): void {
  const id = newId();
  hookBeforeCommit({ id, name: event, entityType: entity_type, entityId: entity_id, payload } as RecordedEvent);
  append({ id, event, entity_type, entity_id, payload, actor_account_id: request().principal?.accountId ?? null });
}

/**
 * Records a domain event in the current transaction: it exists if and only if the change does. After the commit it is delivered at least
 * once, in order per entity, as one job per subscriber.
 * @throws TypeError for an event that is not in the catalogue, or an invalid payload
 */
export function emit<E extends EventName>(event: E, entityType: string, entityId: string, payload: EventPayload<E>): void {
  if (!isEvent(event)) throw new TypeError(`'${event}' is not in the event catalogue`);
  check(event, payload);
  record(event, entityType, entityId, payload);
  if (carrier.wants(event)) leavesWork();
}

/** Records the same event about several rows. */
export function emitAll<E extends EventName>(
  event: E,
  entityType: string,
  events: readonly { readonly entityId: string; readonly payload: EventPayload<E> }[],
): void {
  if (events.length === 0) return;
  for (const { entityId, payload } of events) {
    check(event, payload);
    record(event, entityType, entityId, payload);
  }
  leavesWork();
}

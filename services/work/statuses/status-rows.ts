import { type InsertOf, newId } from "../../../core/database/model.ts";
import { enqueue, query } from "../../../core/database/query.ts";
import { queueInsert } from "../../../core/database/write.ts";
import { ByRevision } from "../../../core/request/by-revision.ts";
import { type RequestStore, request } from "../../../core/request/context.ts";
import { type Row, statement } from "../../../core/sql/statement.ts";
import { TaskStatus } from "../task-models.ts";
import type { StatusRules } from "./status-moves.ts";

/** The initial statuses of an organisation (work chapter §3.1). */
const SEEDED = [
  { key: "open", name: "Open", color: "sky", position: 0, is_terminal: false, is_default: true },
  { key: "in_progress", name: "In behandeling", color: "amber", position: 1, is_terminal: false, is_default: false },
  { key: "done", name: "Klaar", color: "green", position: 2, is_terminal: true, is_default: false },
];

const OF = statement(`select key, position, is_terminal, is_default, requires_interaction from task_statuses
  where organisation_id = $1 order by position, key`);
const LOCK = statement("select id, key from task_statuses where organisation_id = $1 order by id for update");
/** The last status is never deleted, so an organisation without any is not seeded. Of two concurrent seeds, the second adds nothing. */
const SEED = statement(`insert into task_statuses (id, organisation_id, key, name, color, position, is_terminal, is_default)
  select s.id, $1, s.key, s.name, s.color, s.position, s.is_terminal, s.is_default
    from jsonb_to_recordset($2::jsonb) s (id uuid, key text, name text, color text, position int, is_terminal boolean, is_default boolean)
   where not exists (select 1 from task_statuses where organisation_id = $1) on conflict do nothing`);

type Status = StatusRules & Row;

/** The organisation's status rules, in order. */
export const storedStatuses = (): Promise<StatusRules[]> => query<Status>(OF, [request().organisation.id]);

/** Requests that add statuses: they must see their own, and no other may, because they can still roll back. */
const adding = new WeakSet<RequestStore>();

/** Seeds the organisation's initial statuses unless it has any. */
export function seedStatuses(): void {
  const store = request();
  adding.add(store);
  enqueue(SEED, [store.organisation.id, JSON.stringify(SEEDED.map((status) => ({ id: newId(), ...status })))]);
}

/** Adds a status. @returns its id */
export function addStatus(values: InsertOf<typeof TaskStatus>): string {
  adding.add(request());
  return queueInsert(TaskStatus, values);
}

const known = new ByRevision<readonly StatusRules[]>();

/** The organisation's status rules, in order, for a request that writes tasks: a node reads them once per access revision. */
export async function knownStatuses(): Promise<readonly StatusRules[]> {
  if (adding.has(request())) return storedStatuses();
  const cached = known.get();
  if (cached) return cached;
  const found = await storedStatuses();
  if (found.length > 0) known.keep(found);
  return found;
}

/** Statuses cached per request, so that a request that writes many tasks reads them once. */
const read = new WeakMap<RequestStore, readonly StatusRules[]>();

/**
 * The organisation's statuses, in a request that writes: the first use seeds the initial ones.
 * @param asked the result of `knownStatuses`, if the caller has it already
 */
export async function statusRules(asked?: readonly StatusRules[]): Promise<readonly StatusRules[]> {
  const store = request();
  let found = asked ?? read.get(store) ?? (await knownStatuses());
  if (found.length === 0) {
    seedStatuses();
    found = await storedStatuses();
  }
  read.set(store, found);
  return found;
}

/** Locks all statuses of the organisation until commit, so that writes to them are serialised. @returns their ids and keys */
export const lockStatuses = () => query<{ id: string; key: string }>(LOCK, [request().organisation.id]);

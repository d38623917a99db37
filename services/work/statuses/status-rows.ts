import { newId } from "../../../core/database/model.ts";
import { enqueue, query } from "../../../core/database/query.ts";
import { type Row, statement } from "../../../core/database/statement.ts";
import { type RequestStore, request } from "../../../core/request/context.ts";
import type { StatusRules } from "./status-moves.ts";

/** The statuses an organisation starts with (work chapter §3.1). */
const SEEDED = [
  { key: "open", name: "Open", color: "sky", position: 0, is_terminal: false, is_default: true },
  { key: "in_progress", name: "In behandeling", color: "amber", position: 1, is_terminal: false, is_default: false },
  { key: "done", name: "Klaar", color: "green", position: 2, is_terminal: true, is_default: false },
];

const OF = statement(`select key, position, is_terminal, is_default, requires_interaction from task_statuses
  where organisation_id = $1 order by position, key`);
const LOCK = statement("select id, key from task_statuses where organisation_id = $1 order by id for update");
/** The last status is never deleted, so an organisation without any has not been seeded. Of two first needs the second waits, and adds none. */
const SEED = statement(`insert into task_statuses (id, organisation_id, key, name, color, position, is_terminal, is_default)
  select s.id, $1, s.key, s.name, s.color, s.position, s.is_terminal, s.is_default
    from jsonb_to_recordset($2::jsonb) s (id uuid, key text, name text, color text, position int, is_terminal boolean, is_default boolean)
   where not exists (select 1 from task_statuses where organisation_id = $1) on conflict do nothing`);

type Status = StatusRules & Row;

/** The rules of the statuses that the organisation has, in their order. */
export const storedStatuses = (): Promise<StatusRules[]> => query<Status>(OF, [request().organisation.id]);

/** Gives the organisation the statuses it starts with, unless it has any. */
export const seedStatuses = (): void =>
  enqueue(SEED, [request().organisation.id, JSON.stringify(SEEDED.map((status) => ({ id: newId(), ...status })))]);

/** What a request has read: one that writes many tasks asks once. */
const read = new WeakMap<RequestStore, readonly StatusRules[]>();

/**
 * The organisation's statuses, in a request that writes: the first need of them makes those it starts with.
 * @param asked what `storedStatuses` gave, if the caller has asked already
 */
export async function statusRules(asked?: readonly StatusRules[]): Promise<readonly StatusRules[]> {
  const store = request();
  let found = asked ?? read.get(store) ?? (await storedStatuses());
  if (found.length === 0) {
    seedStatuses();
    found = await storedStatuses();
  }
  read.set(store, found);
  return found;
}

/** Holds all statuses of the organisation until commit, so that writes to them come one after another. Gives their ids and keys. */
export const lockStatuses = () => query<{ id: string; key: string }>(LOCK, [request().organisation.id]);

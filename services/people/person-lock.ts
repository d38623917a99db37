import { enqueue } from "../../core/database/query.ts";
import { request } from "../../core/request/context.ts";
import { type Statement, statement } from "../../core/sql/statement.ts";

const EVERYBODY_KEY = "hashtextextended('leave ' || $1::uuid, 0)";
const personKey = (user: string) => `hashtextextended('leave ' || $1::uuid || ' ' || ${user}, 0)`;

const SHARE = statement(`select pg_advisory_xact_lock_shared(${EVERYBODY_KEY})`);
const EVERYBODY = statement(`select pg_advisory_xact_lock(${EVERYBODY_KEY})`);
const PEOPLE = statement(`select pg_advisory_xact_lock(key)
  from (select distinct ${personKey("u")} as key from unnest($2::uuid[]) u order by 1) keys`);

/** Tables whose rows belong to a person. */
const OWNED = ["leave_contracts", "leave_requests", "leave_recurring_days", "leave_availability"] as const;
type Owned = (typeof OWNED)[number];
const OWNERS = Object.fromEntries(
  OWNED.map((table) => [
    table,
    statement(
      `select pg_advisory_xact_lock(key) from (select distinct ${personKey("t.user_id")} as key from ${table} t
        where t.organisation_id = $1 and t.id = any($2::uuid[]) order by 1) keys`,
    ),
  ]),
) as Record<Owned, Statement>;

/**
 * Locks the leave of these people until the transaction ends, so that writes to one person's contracts, weeks, pots, requests and
 * patterns run one after the other. The lock is sent with the next read, so call this before reading anything the write depends on.
 */
export function lockPeople(userIds: readonly string[]): void {
  const { id } = request().organisation;
  enqueue(SHARE, [id]);
  enqueue(PEOPLE, [id, userIds]);
}

/** Same as {@link lockPeople} for the owners of rows; does nothing for an id without a row. */
export function lockPersonOf(table: Owned, ...rowIds: readonly string[]): void {
  const { id } = request().organisation;
  enqueue(SHARE, [id]);
  enqueue(OWNERS[table], [id, rowIds]);
}

/** Locks everyone's leave: for a change of the norm or of a type, and for creating many pots. Never call it after `lockPeople`. */
export function lockEverybody(): void {
  enqueue(EVERYBODY, [request().organisation.id]);
}

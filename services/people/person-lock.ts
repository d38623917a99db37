import { enqueue } from "../../core/database/query.ts";
import { type Statement, statement } from "../../core/database/statement.ts";
import { request } from "../../core/request/context.ts";

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
 * Keeps the leave of these people to the running write until it ends: contracts, weeks, pots, requests and patterns of one person change
 * one after the other. Leaves with the next read, so it must come before whatever the write decides on is read.
 */
export function lockPeople(userIds: readonly string[]): void {
  const { id } = request().organisation;
  enqueue(SHARE, [id]);
  enqueue(PEOPLE, [id, userIds]);
}

/** The same for the people that rows belong to; nothing for an id without a row. */
export function lockPersonOf(table: Owned, ...rowIds: readonly string[]): void {
  const { id } = request().organisation;
  enqueue(SHARE, [id]);
  enqueue(OWNERS[table], [id, rowIds]);
}

/** The same for everybody of the organisation: a change of the norm or of a type, and pots made for many. Never after `lockPeople`. */
export function lockEverybody(): void {
  enqueue(EVERYBODY, [request().organisation.id]);
}

import type pg from "pg";
import { discard } from "../core/files/staged-uploads.ts";
import { stores } from "../core/files/storage.ts";
import { OperatorError } from "./organisations.ts";

/** Tables with rows of organisations, those that refer to others first. */
const TABLES = `with recursive tenant as (
    select c.oid, c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'organisation_id' and not a.attisdropped
     where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace),
  refers as (select distinct k.conrelid as child, k.confrelid as parent from pg_constraint k
    join tenant c on c.oid = k.conrelid join tenant p on p.oid = k.confrelid where k.contype = 'f' and k.conrelid <> k.confrelid),
  deep as (select oid, 0 as depth from tenant
    union select r.parent, d.depth + 1 from deep d join refers r on r.child = d.oid where d.depth < 30)
  select format('%I', t.relname) as name from tenant t join deep d using (oid) group by t.relname order by max(d.depth), t.relname`;

/** References to accounts, by table and column. */
const OF_ACCOUNTS = `select format('%s', k.conrelid::regclass) as name, format('%I', a.attname) as column
  from pg_constraint k join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
 where k.contype = 'f' and k.confrelid = 'accounts'::regclass and cardinality(k.conkey) = 1
   and exists (select from pg_attribute o where o.attrelid = k.conrelid and o.attname = 'organisation_id')`;

/** So many passes over all tables delete what refers to each other, and what triggers write meanwhile; then something is wrong. */
const MOST_PASSES = 20;

/** Rows that one transaction of a purge deletes at most: it holds their locks for some milliseconds, and those of no other organisation. */
const BATCH = 2000;

/** What a purge has deleted. */
export interface Purge {
  slug: string;
  rows: number;
  accounts: number;
}

/** Deletes the organisation's rows of one table, or some of them; null if other rows still refer to them. */
async function deleteRows(client: pg.ClientBase, table: string, id: string, some = "true"): Promise<number | null> {
  await client.query("savepoint one");
  try {
    const { rowCount } = await client.query(`delete from ${table} where organisation_id = $1 and ${some}`, [id]);
    await client.query("release savepoint one");
    return rowCount ?? 0;
  } catch (error) {
    if ((error as { code?: string }).code !== "23503") throw error;
    await client.query("rollback to savepoint one");
    return null;
  }
}

/** Makes the triggers of the organisation's tables do nothing in the running transaction: what they note goes, too. */
const withoutTriggers = (client: pg.ClientBase, id: string) =>
  client.query("select set_config('app.organisation_id', $1, true), set_config('app.whole_organisation', 'on', true)", [id]);

/** The organisation, locked. @throws OperatorError unless its deletion was requested */
async function lockCondemned(client: pg.ClientBase, id: string): Promise<{ slug: string }> {
  const { rows } = await client.query<{ slug: string; purge_at: string | null }>(
    `select o.slug, s.purge_at from organisations o left join organisation_suspensions s on s.organisation = o.id where o.id = $1 for update of o`,
    [id],
  );
  const [organisation] = rows;
  if (!organisation) throw new OperatorError("There is no such organisation.");
  const { slug, purge_at: at } = organisation;
  if (at === null) throw new OperatorError(`The deletion of '${slug}' was not requested: request it first.`);
  return { slug };
}

interface PurgeOptions {
  batch?: number;
  /** Purges only an organisation whose day has come. */
  isDue?: boolean;
  /** Is called after each batch, with the number of rows so far. */
  between?: (rows: number) => Promise<void>;
}

/** Runs work in a transaction of its own, as the owner of the tables. */
export type InTransaction = <T>(work: (client: pg.ClientBase) => Promise<T>) => Promise<T>;

/**
 * Deletes most rows of an organisation in batches, each in a transaction of its own, those that refer to others first. From then on the deletion
 * cannot be cancelled. If it breaks off, it goes on when it is called again. `purge` deletes what is left, such as the members.
 * @returns the number of rows
 * @throws OperatorError unless its deletion was requested
 */
export async function purgeInBatches(
  inTransaction: InTransaction,
  id: string,
  { batch = BATCH, isDue = false, between }: PurgeOptions = {},
): Promise<number> {
  const tables = await inTransaction(async (client) => {
    await lockCondemned(client, id);
    const { rowCount } = await client.query(
      `update organisation_suspensions set purging_since = coalesce(purging_since, now())
        where organisation = $1 and (purging_since is not null or purge_at <= now() or not $2)`,
      [id, isDue],
    );
    if (rowCount === 0) throw new OperatorError("The day of its purge has not come.");
    return (await client.query<{ name: string }>(TABLES)).rows;
  });
  let rows = 0;
  for (const { name } of tables.filter((table) => table.name !== "memberships"))
    for (let deleted = batch; deleted === batch; ) {
      deleted = await inTransaction(async (client) => {
        await withoutTriggers(client, id);
        const chosen = `select ctid from ${name} where organisation_id = $1 limit ${batch}`;
        return (await deleteRows(client, name, id, `ctid = any(array(${chosen}))`)) ?? 0;
      });
      rows += deleted;
      if (deleted > 0) await between?.(rows);
    }
  return rows;
}

/** Deletes those accounts that no organisation has or mentions any more. */
async function deleteAccounts(client: pg.ClientBase, candidates: readonly string[]): Promise<number> {
  let left = candidates;
  const { rows } = await client.query<{ name: string; column: string }>(OF_ACCOUNTS);
  for (const { name, column } of rows) {
    if (left.length === 0) return 0;
    const found = await client.query<{ id: string }>(`select distinct ${column} as id from ${name} where ${column} = any($1)`, [
      left,
    ]);
    const mentioned = new Set(found.rows.map(({ id }) => id));
    left = left.filter((one) => !mentioned.has(one));
  }
  return (await client.query("delete from accounts where id = any($1) and not is_superuser", [left])).rowCount ?? 0;
}

/**
 * Deletes everything of an organisation for good, in the running transaction: its rows in every table, its waiting jobs, and accounts that
 * belong to no other organisation. The audit of operators stays. Call `purgeInBatches` before, and `removeBytes` after the commit.
 * @throws OperatorError unless its deletion was requested
 */
export async function purge(client: pg.ClientBase, id: string): Promise<Purge> {
  const { slug } = await lockCondemned(client, id);
  await withoutTriggers(client, id);
  const members = await client.query<{ id: string }>("select account_id as id from memberships where organisation_id = $1", [id]);
  const tables = (await client.query<{ name: string }>(TABLES)).rows;
  let rows = 0;
  for (let pass = 1; ; pass++) {
    let deleted = 0;
    const kept: string[] = [];
    for (const { name } of tables) {
      const count = await deleteRows(client, name, id);
      if (count === null) kept.push(name);
      else deleted += count;
    }
    rows += deleted;
    if (deleted === 0 && kept.length === 0) break;
    if (deleted === 0 || pass === MOST_PASSES) throw new Error(`rows of ${kept.join(", ")} could not be deleted`);
  }
  await client.query("delete from jobs.ordered where data ->> 'organisation' = $1", [id]);
  await client.query("delete from jobs.agenda_jobs where data ->> 'organisation' = $1 and locked_at is null", [id]);
  await client.query("delete from organisations where id = $1", [id]);
  const accounts = await deleteAccounts(
    client,
    members.rows.map((member) => member.id),
  );
  return { slug, rows, accounts };
}

/** Removes the stored bytes of a purged organisation. Safe to repeat. @returns how many there were */
export async function removeBytes(organisationId: string): Promise<number> {
  let removed = 0;
  for (const store of stores().all)
    for await (const page of store.list(organisationId)) {
      await discard(page.map(({ id }) => ({ organisationId, id, backend: store.backend })));
      removed += page.length;
    }
  return removed;
}

import type pg from "pg";
import { type KeyRing, seal, unseal } from "../core/database/sealed.ts";
import { keyIdOf } from "../core/security/crypto.ts";

/** A column of the type `sealed`, as the catalogue describes it. */
export interface SealedColumn {
  table: string;
  column: string;
  /** The table the values are sealed for: its own, unless the column's comment says `sealed in <table>`. */
  sealed_in: string;
  /** SQL for the organisation of a row `t` as text; null if the table has none. */
  organisation: string;
  /** SQL for the primary key of a row `t` without the organisation, joined by `/`. */
  row: string;
}

/** Lists every column with sealed secrets. It reads the database's catalogue, so no column can be missed. */
export async function sealedColumnsOf(client: pg.ClientBase): Promise<SealedColumn[]> {
  const { rows } = await client.query<SealedColumn>(`
    select c.relname as table, a.attname as column,
      coalesce(substring(col_description(c.oid, a.attnum) from '^sealed in (\\w+)$'), c.relname) as sealed_in,
      case when exists (select 1 from pg_attribute o where o.attrelid = c.oid and o.attname = 'organisation_id' and not o.attisdropped)
        then 't.organisation_id::text' else 'null::text' end as organisation,
      coalesce((select 'concat_ws(''/'', ' || string_agg(format('t.%I::text', p.attname), ', ' order by k.place) || ')'
         from pg_index x cross join unnest(x.indkey::int2[]) with ordinality k (attnum, place)
         join pg_attribute p on p.attrelid = x.indrelid and p.attnum = k.attnum
        where x.indrelid = c.oid and x.indisprimary and p.attname <> 'organisation_id'), '''''::text') as row
    from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_type t on t.oid = a.atttypid
    where t.typname = 'sealed' and t.typtype = 'd' and c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and not a.attisdropped
    order by c.relname collate "C", a.attname collate "C"`);
  return rows;
}

/** Counts a column's values by the id of the key that sealed them. */
export async function countByKey(client: pg.ClientBase, { table, column }: SealedColumn): Promise<Record<string, number>> {
  const { rows } = await client.query<{ id: string; count: number }>(
    `select split_part("${column}", '.', 2) as id, count(*)::int as count from "${table}" where "${column}" is not null group by 1 order by 1`,
  );
  return Object.fromEntries(rows.map(({ id, count }) => [id, count]));
}

/** Result of a rotation for one column. */
export interface Rotated {
  table: string;
  column: string;
  rotated: number;
  /** Number of values no known key opens, by key id; they are unchanged. */
  unreadable: Record<string, number>;
}

const BATCH = 500;

interface Value {
  place: string;
  organisation: string | null;
  row: string;
  text: string;
}

/**
 * Re-seals every value of a column with the current key, in batches, while the service runs. A concurrent change by a request wins. After
 * an interruption, the next run does the rest. Versions and dates of the rows do not change.
 */
export async function rotateColumn(client: pg.ClientBase, column: SealedColumn, ring: KeyRing): Promise<Rotated> {
  for (let rotated = 0; ; ) {
    const pass = await onePass(client, column, ring);
    rotated += pass.rotated;
    if (pass.rotated === 0) return { table: column.table, column: column.column, rotated, unreadable: pass.unreadable };
  }
}

async function onePass(client: pg.ClientBase, at: SealedColumn, ring: KeyRing): Promise<Pick<Rotated, "rotated" | "unreadable">> {
  const { table, column, sealed_in } = at;
  const unreadable: Record<string, number> = {};
  let [rotated, last] = [0, "(0,0)"];
  for (;;) {
    const { rows } = await client.query<Value>(
      `select t.ctid::text as place, ${at.organisation} as organisation, ${at.row} as row, t."${column}" as text from "${table}" t
        where t."${column}" is not null and split_part(t."${column}", '.', 2) <> $1 and t.ctid > $2::tid order by t.ctid limit ${BATCH}`,
      [ring[0].id, last],
    );
    if (rows.length === 0) return { rotated, unreadable };
    last = rows.at(-1)?.place as string;
    const changed = rows.flatMap(({ place, organisation, row, text }) => {
      const where = { table: sealed_in, column, organisation, row };
      const plain = unseal(text, where, ring);
      if (plain !== null) return [{ place, text, next: seal(plain, where, ring) }];
      const id = keyIdOf(text) ?? "none";
      unreadable[id] = (unreadable[id] ?? 0) + 1;
      return [];
    });
    rotated += await exchange(client, at, ring, changed);
  }
}

/** Replaces the values with their re-sealed texts, and checks that each opens before it commits. */
async function exchange(
  client: pg.ClientBase,
  at: SealedColumn,
  [current]: KeyRing,
  changed: readonly { place: string; text: string; next: string }[],
): Promise<number> {
  const { table, column, sealed_in } = at;
  await client.query("begin");
  try {
    const { rows } = await client.query<Value>(
      `update "${table}" t set "${column}" = v.next from unnest($1::tid[], $2::text[], $3::text[]) v (place, text, next)
        where t.ctid = v.place and t."${column}" = v.text
        returning '' as place, ${at.organisation} as organisation, ${at.row} as row, t."${column}" as text`,
      [changed.map(({ place }) => place), changed.map(({ text }) => text), changed.map(({ next }) => next)],
    );
    const lost = rows.find(({ text, ...where }) => unseal(text, { table: sealed_in, column, ...where }, [current]) === null);
    if (lost) throw new Error(`a value of ${table}.${column} does not decrypt after it was resealed; its batch was rolled back`);
    await client.query("commit");
    return rows.length;
  } catch (error) {
    await client.query("rollback").catch(() => undefined);
    throw error;
  }
}

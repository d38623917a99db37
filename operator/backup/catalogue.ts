import type pg from "pg";

/** Tables a backup excludes, with the reason. It includes every other table, whatever its schema. */
export const EXCLUDED: Readonly<Record<string, string>> = {
  "public.provider_paces": "when providers were last called, of the running second",
  "public.rate_windows": "counters of the running minute",
  "jobs.leases": "work that running nodes did for all",
  "jobs.workers": "nodes that were running",
};

/** A table as the catalogue describes it. */
export interface Table {
  /** Schema and name, for instance `public.companies`. */
  name: string;
  /** Schema and name, quoted for SQL. */
  sql: string;
  /** Stored columns in order, without generated ones, quoted for SQL. */
  columns: string[];
  /** SQL that orders the rows identically on every machine. */
  order: string;
}

interface Found extends Omit<Table, "order"> {
  keys: string[] | null;
  hidden: boolean;
}

const TABLES = `
  select format('%s.%s', n.nspname, c.relname) as name, format('%I.%I', n.nspname, c.relname) as sql,
    (select array_agg(quote_ident(a.attname) order by a.attnum) from pg_attribute a
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
    (select array_agg(quote_ident(a.attname) || case when a.attcollation = 0 then '' else ' collate "C"' end order by k.place)
       from pg_index x cross join unnest(x.indkey::int2[]) with ordinality k (attnum, place)
       join pg_attribute a on a.attrelid = x.indrelid and a.attnum = k.attnum where x.indrelid = c.oid and x.indisprimary) as keys,
    c.relforcerowsecurity and not exists (select 1 from pg_policy p where p.polrelid = c.oid and p.polpermissive
      and p.polcmd in ('*', 'r') and (select oid from pg_roles where rolname = current_user) = any (p.polroles)
      and pg_get_expr(p.polqual, c.oid) = 'true') as hidden
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p') and not c.relispartition and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
    and not exists (select 1 from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
  order by n.nspname collate "C", c.relname collate "C"`;

/**
 * Lists every table a backup includes, by schema and name.
 * @throws Error if row-level security would hide rows from the connected role
 */
export async function tablesOf(client: pg.ClientBase): Promise<Table[]> {
  const { rows } = await client.query<Found>(TABLES);
  return rows
    .filter(({ name }) => EXCLUDED[name] === undefined)
    .map(({ name, sql, columns, keys, hidden }) => {
      if (hidden) throw new Error(`row-level security hides rows of ${name} from the role that owns the tables`);
      return { name, sql, columns: columns ?? [], order: keys?.join(", ") ?? `(t.*)::text collate "C"` };
    });
}

/** A used sequence and its last value. */
export interface Sequence {
  /** Schema and name, quoted for SQL. */
  sql: string;
  last: string;
}

/** Reads the sequences' last values. Sequences ignore transactions, so call this after copying the tables. */
export async function sequencesOf(client: pg.ClientBase): Promise<Sequence[]> {
  const { rows } = await client.query<Sequence>(`
    select format('%I.%I', schemaname, sequencename) as sql, last_value::text as last from pg_sequences
     where last_value is not null and schemaname !~ '^pg_' order by schemaname collate "C", sequencename collate "C"`);
  return rows;
}

/** Names of the applied migrations, in order; empty if the service has never run on this database. */
export async function appliedSteps(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query("select to_regclass('public.migrations') is not null as there");
  if (!rows[0].there) return [];
  return (await client.query<{ name: string }>(`select name from public.migrations order by name collate "C"`)).rows.map(
    ({ name }) => name,
  );
}

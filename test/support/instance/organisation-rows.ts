import type pg from "pg";

const TABLES = `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'organisation_id' and not a.attisdropped
  where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace order by 1`;

/** Names of all tables with rows of organisations. */
export const tablesOfOrganisations = async (sql: pg.Client): Promise<string[]> =>
  (await sql.query<{ name: string }>(TABLES)).rows.map(({ name }) => name);

/** Every row of an organisation as text, by table. @param where further conditions, by table */
export async function rowsOfOrganisation(
  sql: pg.Client,
  id: string,
  where: Readonly<Record<string, string>> = {},
): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of await tablesOfOrganisations(sql)) {
    const { rows } = await sql.query(
      `select coalesce(string_agg(r.text, E'\\n' order by r.text), '') as rows
         from (select to_jsonb(t)::text as text from "${name}" t where organisation_id = $1 and ${where[name] ?? "true"}) r`,
      [id],
    );
    if (rows[0].rows !== "") found[name] = rows[0].rows;
  }
  return found;
}

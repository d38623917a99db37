import type pg from "pg";

/** Paths of the texts and names in a JSON value that contain a word, without positions in lists. */
export function pathsOf(value: unknown, word: string, at = ""): string[] {
  if (typeof value === "string") return value.includes(word) ? [at] : [];
  if (Array.isArray(value)) return value.flatMap((one) => pathsOf(one, word, at));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => [
    ...(name.includes(word) ? [`${at}.<name>`] : []),
    ...pathsOf(one, word, `${at}.${name}`),
  ]);
}

/** Tables of the service with a row that contains a word, sorted. */
export async function tablesWith(sql: Pick<pg.ClientBase, "query">, word: string): Promise<string[]> {
  const { rows } = await sql.query(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
      where table_type = 'BASE TABLE' and table_schema in ('public', 'jobs') order by 1`,
  );
  if (rows.length < 50) throw new Error(`only ${rows.length} tables are visible`);
  const found: string[] = [];
  for (const { name } of rows)
    if ((await sql.query(`select 1 from ${name} t where strpos(t::text, $1) > 0 limit 1`, [word])).rowCount) found.push(name);
  return found;
}

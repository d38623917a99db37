import path from "node:path";
import type pg from "pg";
import { OperatorError } from "../organisations.ts";
import { appliedSteps, type Table, tablesOf } from "./catalogue.ts";
import { COPY_SESSION, copyFromFile, measuredTable } from "./copy.ts";
import type { Manifest } from "./manifest.ts";

/**
 * Loads a backup's tables in one transaction, and compares them with the manifest before it commits. Foreign keys, triggers, forced
 * row-level security and indexes are removed meanwhile: rows load in any order, values stay unchanged (an access revision does not
 * advance), the owner can use COPY, and each index is built once instead of row by row. Each foreign key is restored at the end and checked
 * against all rows.
 * @throws OperatorError if the target has rows or another schema, or does not match the manifest after loading
 */
export async function loadTables(client: pg.ClientBase, folder: string, manifest: Manifest): Promise<void> {
  await client.query("begin");
  try {
    await client.query(COPY_SESSION);
    await client.query("lock table organisations, accounts in access exclusive mode");
    await refuseFilled(client);
    const tables = await matchingTables(client, manifest);
    const asTheyWere = await setAside(client, tables);
    await client.query(`truncate ${tables.map(({ sql }) => sql).join(", ")} restart identity`);
    const byName = new Map(tables.map((table) => [table.name, table]));
    for (const { table, file } of manifest.tables)
      await copyFromFile(client, byName.get(table) as Table, path.join(folder, file));
    for (const { sql, last } of manifest.sequences) await client.query("select setval($1::regclass, $2)", [sql, last]);
    for (const text of asTheyWere) await client.query(text);
    await verify(client, tables, manifest);
    await client.query("commit");
  } catch (error) {
    await client.query("rollback").catch(() => undefined);
    throw error;
  }
  await client.query("analyze");
}

/** @throws OperatorError if the database has an organisation or an account */
export async function refuseFilled(client: pg.ClientBase): Promise<void> {
  if ((await appliedSteps(client)).length === 0) return;
  const { rows } = await client.query("select exists (select 1 from organisations) or exists (select 1 from accounts) as filled");
  if (rows[0].filled)
    throw new OperatorError(
      "The target is not empty, it has organisations or accounts: restore into a new data directory or database.",
    );
}

async function matchingTables(client: pg.ClientBase, { migrations, tables }: Manifest): Promise<Table[]> {
  const applied = await appliedSteps(client);
  const found = await tablesOf(client);
  const shapes = (all: { name: string; columns: string[] }[]) => all.map(({ name, columns }) => `${name} (${columns.join()})`);
  const [here, there] = [
    [...applied, ...shapes(found)],
    [...migrations, ...shapes(tables.map(({ table, columns }) => ({ name: table, columns })))],
  ];
  const other = here.find((one) => !there.includes(one)) ?? there.find((one) => !here.includes(one));
  if (other !== undefined)
    throw new OperatorError(`The target and the backup do not agree on ${other}: restore into a new data directory or database.`);
  return found;
}

/** Obstacles to a load, each with the statement that removes it and the one that restores it; `$1` is the list of tables. */
const OBSTACLES = [
  `select format('alter table %s no force row level security', oid::regclass) as away,
     format('alter table %s force row level security', oid::regclass) as back
   from pg_class where relforcerowsecurity and oid = any ($1::regclass[])`,
  `select format('alter table %s disable trigger %I', tgrelid::regclass, tgname) as away,
     format('alter table %s enable %s trigger %I', tgrelid::regclass, case tgenabled when 'R' then 'replica' when 'A' then 'always' end, tgname) as back
   from pg_trigger where not tgisinternal and tgenabled <> 'D' and tgrelid = any ($1::regclass[])`,
  `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as away,
     format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as back
   from pg_constraint where contype = 'f' and conparentid = 0 and conrelid = any ($1::regclass[])`,
  `select format('drop index %s', indexrelid::regclass) as away, pg_get_indexdef(indexrelid) as back
   from pg_index x where indisvalid and indrelid = any ($1::regclass[])
     and not exists (select 1 from pg_constraint k where k.conindid = x.indexrelid and k.contype <> 'f')`,
];

/** Removes row-level security, triggers, foreign keys and indexes; returns the statements that restore them. */
async function setAside(client: pg.ClientBase, tables: readonly Table[]): Promise<string[]> {
  const back: string[] = [];
  for (const text of OBSTACLES) {
    const { rows } = await client.query<{ away: string; back: string }>(text, [tables.map(({ sql }) => sql)]);
    for (const obstacle of rows) {
      await client.query(obstacle.away);
      back.unshift(obstacle.back);
    }
  }
  return back;
}

async function verify(client: pg.ClientBase, tables: readonly Table[], manifest: Manifest): Promise<void> {
  const wanted = new Map(manifest.tables.map((part) => [part.table, part]));
  for (const table of tables) {
    const [found, part] = [await measuredTable(client, table), wanted.get(table.name)];
    // Manifests up to version 0.1.0 may record 0 rows for a table that has some; then only the hash is compared.
    const isCounted = part?.rows !== 0;
    if (found.sha256 !== part?.sha256 || (isCounted && found.rows !== part.rows))
      throw new OperatorError(
        `After loading, ${table.name} has ${found.rows} rows that differ from those of the backup (${part?.rows}); no data was kept.`,
      );
  }
}

import { rm } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type pg from "pg";
import { from } from "pg-copy-streams";
import { makeFolder } from "../../core/files/make-folder.ts";
import { stores } from "../../core/files/storage.ts";
import { COPY_SESSION, writeMeasured } from "../backup/copy.ts";
import { OperatorError } from "../organisations.ts";
import { type ArchiveHead, ArchiveReader } from "./archive.ts";
import { includedTables, type OrganisationTable } from "./catalogue.ts";
import type { Renaming } from "./ids.ts";
import type { LocalArchive, Plan, Target } from "./plan.ts";
import type { Progress } from "./snapshot.ts";

/** The organisation that a restore has made. */
export interface Restored {
  id: string;
  slug: string;
  rows: number;
  accounts: number;
}

/** Access revisions that a node may still know of the original. */
const REVISIONS_AHEAD = 1_000_000;

/** Copies the files of a backup into the store. Safe to repeat. @returns their number */
export async function restoreContents(archive: LocalArchive, plan: Plan, progress: Progress): Promise<number> {
  const { writing, spoolFolder } = stores();
  await makeFolder(spoolFolder, 0o700);
  const reader = new ArchiveReader(archive.file, archive.key);
  let done = 0;
  try {
    await reader.head();
    for (let section = await reader.next(); section; section = await reader.next()) {
      if ("table" in section) {
        for await (const _ of reader.rows());
        continue;
      }
      if (done % 100 === 0) await progress("files", done, plan.files);
      const id = plan.rename(section.file);
      const spooled = path.join(spoolFolder, `restore-${plan.organisationId}-${id}`);
      await rm(spooled, { force: true });
      const { sha256 } = await writeMeasured(Readable.from(reader.bytes(section.bytes), { objectMode: false }), spooled);
      if (sha256 !== section.sha256) throw new OperatorError("The backup is damaged: a file differs; nothing was restored.");
      await writing.put(plan.organisationId, id, spooled);
      done += 1;
    }
    return done;
  } finally {
    await reader.close();
  }
}

/**
 * Writes the rows of a backup in the running transaction. The organisation is suspended, so that nothing of it acts before an operator resumes
 * it. Only rows of this organisation are inserted, and accounts that are gone; nothing that was there changes.
 */
export async function restoreRows(
  client: pg.Client,
  archive: LocalArchive,
  plan: Plan,
  { slug, name }: Target,
  progress: Progress,
): Promise<Restored> {
  await client.query(COPY_SESSION);
  await client.query("select set_config('app.whole_organisation', 'on', true), set_config('app.organisation_id', $1, true)", [
    plan.organisationId,
  ]);
  await insertOrganisation(client, plan, { slug, name });
  const tables = new Map((await includedTables(client)).map((table) => [table.name, table]));
  const reader = new ArchiveReader(archive.file, archive.key);
  let [rows, done] = [0, 0];
  let restored: string[] = [];
  try {
    await reader.head();
    for (let section = await reader.next(); section; section = await reader.next()) {
      if ("file" in section) {
        for await (const _ of reader.bytes(section.bytes));
        continue;
      }
      await progress("rows", done++, plan.tables);
      const { table: of, columns } = section;
      await stage(client, of, columns, renamedRows(reader.rows(), plan.rename));
      if (of === "accounts") restored = await insertAccounts(client, columns);
      else if (of === "two_factors") await insertSecondFactors(client, columns, restored);
      else rows += await insertRows(client, tables.get(of) as OrganisationTable, plan);
    }
  } finally {
    await reader.close();
  }
  await setLater(client, [...tables.values()], plan.organisationId);
  await client.query("update file_contents set backend = $2 where organisation_id = $1", [
    plan.organisationId,
    stores().writing.backend,
  ]);
  return { id: plan.organisationId, slug, rows, accounts: restored.length };
}

async function* renamedRows(parts: AsyncIterable<Buffer>, rename: Renaming): AsyncGenerator<Buffer> {
  for await (const part of parts) yield Buffer.from(rename(part.toString("utf8")));
}

async function insertOrganisation(
  client: pg.ClientBase,
  { head, organisationId: id, isCopy, rename }: Plan,
  { slug, name }: Pick<Target, "slug" | "name">,
): Promise<void> {
  const stored = JSON.parse(rename(JSON.stringify(head.organisation))) as ArchiveHead["organisation"];
  const revision = Number(stored["access_revision"]) + REVISIONS_AHEAD;
  const row = {
    ...stored,
    id,
    slug,
    name: name ?? stored.name,
    status: "suspended",
    access_revision: revision,
    ...(isCopy && { instance_mail: false }),
  };
  await client.query("insert into organisations select * from jsonb_populate_record(null::organisations, $1)", [
    JSON.stringify(row),
  ]);
  await client.query("insert into organisation_suspensions (organisation, suspended_at, reason) values ($1, now(), $2)", [
    id,
    `Restored from a backup of ${head.taken_at}`,
  ]);
}

const staging = (table: string): string => `restoring_${table.replaceAll('"', "")}`;

/** Loads rows into a table of this session alone. */
async function stage(client: pg.Client, table: string, columns: readonly string[], rows: AsyncIterable<Buffer>): Promise<void> {
  await client.query(
    `create temporary table ${staging(table)} on commit drop as select ${columns.join(", ")} from ${table} with no data`,
  );
  await pipeline(
    Readable.from(rows, { objectMode: false }),
    client.query(from(`copy ${staging(table)} (${columns.join(", ")}) from stdin`)),
  );
}

const unstage = (client: pg.ClientBase, table: string) => client.query(`drop table ${staging(table)}`);

async function insertAccounts(client: pg.ClientBase, columns: readonly string[]): Promise<string[]> {
  const values = columns.map((column) => (column === "is_superuser" ? "false" : `s.${column}`));
  const { rows } = await client.query<{ id: string }>(
    `insert into accounts (${columns.join(", ")}) select ${values.join(", ")} from ${staging("accounts")} s
      where not exists (select from accounts a where a.id = s.id or a.email = s.email) returning id`,
  );
  await unstage(client, "accounts");
  return rows.map(({ id }) => id);
}

async function insertSecondFactors(
  client: pg.ClientBase,
  columns: readonly string[],
  accounts: readonly string[],
): Promise<void> {
  const list = columns.join(", ");
  await client.query(
    `insert into two_factors (${list}) select ${list} from ${staging("two_factors")} where account_id = any($1)`,
    [accounts],
  );
  await unstage(client, "two_factors");
}

/** Inserts the staged rows. @throws Error for a row of another organisation */
async function insertRows(client: pg.ClientBase, table: OrganisationTable, { organisationId, isCopy }: Plan): Promise<number> {
  const { name, columns, later, sealed, unique } = table;
  const strange = await client.query(`select from ${staging(name)} where organisation_id is distinct from $1 limit 1`, [
    organisationId,
  ]);
  if (strange.rowCount !== 0) throw new Error(`the backup has a row of another organisation in ${name}`);
  const without = new Set([...later, ...(isCopy ? [...sealed, ...unique] : [])]);
  const values = columns.map((column) => (without.has(column) ? "null" : column));
  const { rowCount } = await client.query(
    `insert into ${name} (${columns.join(", ")}) overriding system value select ${values.join(", ")} from ${staging(name)}`,
  );
  if (later.length === 0) await unstage(client, name);
  return rowCount ?? 0;
}

/** Sets the references between tables that refer to each other. */
async function setLater(client: pg.ClientBase, tables: readonly OrganisationTable[], organisationId: string): Promise<void> {
  for (const { name, later, ids } of tables.filter((table) => table.later.length > 0)) {
    const assignments = later.map((column) => `${column} = s.${column}`).join(", ");
    const same = ids.map((column) => `t.${column} = s.${column}`).join(" and ");
    const some = later.map((column) => `s.${column} is not null`).join(" or ");
    await client.query(
      `update ${name} t set ${assignments} from ${staging(name)} s where t.organisation_id = $1 and ${same} and (${some})`,
      [organisationId],
    );
  }
}

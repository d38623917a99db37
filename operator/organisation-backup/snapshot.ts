import type { Readable } from "node:stream";
import pg from "pg";
import { to } from "pg-copy-streams";
import type { ObjectStore } from "../../core/files/storage.ts";
import { stores } from "../../core/files/storage.ts";
import type { Backend } from "../../core/request/context.ts";
import product from "../../package.json" with { type: "json" };
import { appliedSteps } from "../backup/catalogue.ts";
import { COPY_SESSION, measured } from "../backup/copy.ts";
import { OperatorError } from "../organisations.ts";
import { ARCHIVE_FORMAT, type ArchiveHead, framed, type Section } from "./archive.ts";
import { includedTables, ONLY_ROWS, type OrganisationTable } from "./catalogue.ts";

/** What a backup contains. */
export interface Counts {
  tables: number;
  rows: number;
  files: number;
  /** Files whose bytes the store had lost. */
  files_missing: number;
}

/** How far the work has come. */
export type Progress = (step: string, done: number, total: number | null) => Promise<void>;

interface StoredContent {
  id: string;
  backend: Backend;
  sha256: string;
}

type Part = { section: Section; content: AsyncIterable<Buffer> };

/** Tables without an organisation of which a backup includes the rows of the organisation's people. */
export const OF_PEOPLE: readonly { name: string; id: string }[] = [
  { name: "accounts", id: "id" },
  { name: "two_factors", id: "account_id" },
];

/** The stored columns of a table without an organisation. */
export async function columnsOf(client: pg.ClientBase, name: string): Promise<string[]> {
  const { rows } = await client.query<{ column: string }>(
    `select quote_ident(attname) as column from pg_attribute
      where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`,
    [name],
  );
  return rows.map(({ column }) => column);
}

const OWN = "organisation_id = current_organisation()";
const only = ({ name }: OrganisationTable): string => (ONLY_ROWS[name] ? `${OWN} and ${ONLY_ROWS[name]}` : OWN);

/** Ids of the accounts that rows of the organisation mention, as a query. */
const peopleOf = (tables: readonly OrganisationTable[]): string =>
  tables
    .flatMap((table) => table.accounts.map((column) => `select ${column} from ${table.name} where ${only(table)}`))
    .join(" union ");

/**
 * Reads one organisation as of one moment, as the application role: row-level security hides the rows of every other organisation from the
 * connection. The files follow the rows, outside the snapshot: they never change, and are removed a day after their last use.
 * @param use consumes the parts; they end with the connection
 * @throws OperatorError if the organisation is gone, or the schema is changing
 */
export async function readOrganisation<T>(
  databaseUrl: string,
  organisationId: string,
  progress: Progress,
  use: (content: AsyncGenerator<Buffer>, head: ArchiveHead, counts: Counts) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: "kantoor backup of an organisation" });
  await client.connect();
  try {
    const before = await includedTables(client);
    await client.query("begin transaction isolation level repeatable read read only");
    await client.query(COPY_SESSION);
    await client.query("select set_config('app.organisation_id', $1, true)", [organisationId]);
    await client.query(`lock table ${before.map(({ name }) => name).join(", ")} in access share mode`);
    const tables = await includedTables(client);
    if (JSON.stringify(tables) !== JSON.stringify(before))
      throw new OperatorError("The database is being brought to another version at this moment; try again when that is done.");
    const head = await headOf(client, organisationId);
    const counts: Counts = { tables: 0, rows: 0, files: 0, files_missing: 0 };
    return await use(framed(head, partsOf(client, organisationId, tables, counts, progress)), head, counts);
  } finally {
    await client.end();
  }
}

async function headOf(client: pg.ClientBase, organisationId: string): Promise<ArchiveHead> {
  const { rows } = await client.query<Pick<ArchiveHead, "organisation" | "taken_at">>(
    `select to_jsonb(o) as organisation, to_char(statement_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as taken_at
       from organisations o where id = $1 and status <> 'deleted'`,
    [organisationId],
  );
  if (!rows[0]) throw new OperatorError("There is no such organisation.");
  const migrations = await appliedSteps(client);
  return { format: ARCHIVE_FORMAT, version: product.version, migrations, ...rows[0] };
}

async function* partsOf(
  client: pg.Client,
  organisationId: string,
  tables: readonly OrganisationTable[],
  counts: Counts,
  progress: Progress,
): AsyncGenerator<Part> {
  const people = peopleOf(tables);
  for (const { name, id } of OF_PEOPLE) {
    const columns = await columnsOf(client, name);
    yield rowsOf(client, name, columns, `${id} in (${people})`, counts);
  }
  for (const [at, table] of tables.entries()) {
    await progress("rows", at, tables.length);
    yield rowsOf(client, table.name, table.columns, only(table), counts);
  }
  const { rows: contents } = await client.query<StoredContent>(
    "select id, backend, encode(sha256, 'hex') as sha256 from file_contents where organisation_id = $1 order by id",
    [organisationId],
  );
  await client.query("commit");
  for (const [at, content] of contents.entries()) {
    if (at % 100 === 0) await progress("files", at, contents.length);
    const found = await fileOf(organisationId, content);
    if (found === null) counts.files_missing += 1;
    else {
      counts.files += 1;
      yield found;
    }
  }
}

function rowsOf(client: pg.Client, table: string, columns: string[], where: string, counts: Counts): Part {
  async function* lines(): AsyncGenerator<Buffer> {
    const source = client.query(to(`copy (select ${columns.join(", ")} from ${table} where ${where}) to stdout`));
    for await (const part of source as AsyncIterable<Buffer>) {
      for (let at = part.indexOf(10); at >= 0; at = part.indexOf(10, at + 1)) counts.rows += 1;
      yield part;
    }
    counts.tables += 1;
  }
  return { section: { table, columns }, content: lines() };
}

const storeFor = (backend: Backend): ObjectStore | undefined => stores().all.find((store) => store.backend === backend);

/** A stored content; null if its bytes are lost or damaged, which is found before any of them is written. */
async function fileOf(organisationId: string, { id, backend, sha256 }: StoredContent): Promise<Part | null> {
  const open = async (): Promise<{ bytes: Readable; size: number } | null> => {
    const store = storeFor(backend);
    if (!store)
      throw new OperatorError("Files of the organisation are on S3: set SERVICE_FILES_BUCKET and its related settings.");
    return store.open(organisationId, id);
  };
  const checked = await open();
  if (checked === null || (await measured(checked.bytes)).sha256 !== sha256) return null;
  const again = await open();
  return again && { section: { file: id, bytes: again.size, sha256 }, content: again.bytes as AsyncIterable<Buffer> };
}

import { mkdir, open, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import pg from "pg";
import { type Config, isEmbedded } from "../../core/config/config.ts";
import { hasCluster } from "../../core/embedded/placement.ts";
import { makeFolder } from "../../core/files/make-folder.ts";
import product from "../../package.json" with { type: "json" };
import { openInstallation } from "../boot.ts";
import { countByKey, sealedColumnsOf } from "../encryption.ts";
import { OperatorError } from "../organisations.ts";
import { appliedSteps, EXCLUDED, sequencesOf, type Table, tablesOf } from "./catalogue.ts";
import { COPY_SESSION, copyToFile, writeMeasured } from "./copy.ts";
import { contentsOf, keepFiles } from "./files.ts";
import { keepKeys, mainSecretId } from "./keys.ts";
import { type Manifest, manifestFile, manifestText, type TablePart } from "./manifest.ts";

/** Options of a backup. */
export interface BackupOptions {
  /** Also copy contents stored on S3. */
  includeS3: boolean;
}

/**
 * Writes a backup into a new folder while the service runs: all tables from one snapshot, then the file contents it refers to, then the
 * keys, and last the manifest. The folder is named `<folder>.partial` until everything is safely on disk.
 * @throws OperatorError if the folder exists or cannot be written, or there is nothing to back up
 */
export async function makeBackup(
  config: Config,
  folder: string,
  { includeS3 }: BackupOptions,
  note: (line: string) => void,
): Promise<Manifest> {
  for (const taken of [folder, `${folder}.partial`])
    if (await exists(taken)) throw new OperatorError(`${taken} exists already; name another folder, or remove it.`);
  if (isEmbedded(config) && !hasCluster(config.dataDir))
    throw new OperatorError(`There is nothing to back up: ${config.dataDir} contains no database.`);
  const installation = await openInstallation(config, note, { bring: async () => [] });
  try {
    const client = new pg.Client({ connectionString: installation.ownerUrl as string, application_name: "kantoor backup" });
    await client.connect();
    try {
      return await inNewFolder(folder, (partial) => write(client, config, partial, includeS3));
    } finally {
      await client.end();
    }
  } finally {
    await installation.close();
  }
}

const exists = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  );

const REASONS: Record<string, string> = {
  ENOSPC: "the disk is full",
  EACCES: "permission denied",
  EROFS: "the disk is read-only",
};

async function inNewFolder<T>(folder: string, fill: (partial: string) => Promise<T>): Promise<T> {
  const partial = `${folder}.partial`;
  try {
    await makeFolder(path.dirname(folder));
    for (const inside of ["", "database", "keys", "files"]) await mkdir(path.join(partial, inside), { mode: 0o700 });
    const filled = await fill(partial);
    await rename(partial, folder);
    await synced(path.dirname(folder));
    return filled;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    const reason = REASONS[(error as NodeJS.ErrnoException).code ?? ""];
    if (reason) throw new OperatorError(`The backup cannot be written to ${folder}: ${reason}.`);
    throw error;
  }
}

/** Syncs a folder, so that its entries survive a power cut. */
async function synced(folder: string): Promise<void> {
  const handle = await open(folder);
  await handle.sync().finally(() => handle.close());
}

async function write(client: pg.Client, config: Config, folder: string, includeS3: boolean): Promise<Manifest> {
  const tables = await beginSnapshot(client);
  const { rows } = await client.query(
    "select statement_timestamp() as taken_at, current_setting('server_version') as postgresql",
  );
  const migrations = await appliedSteps(client);
  const copied: TablePart[] = [];
  for (const table of tables) {
    const file = `database/${table.name.replaceAll("/", "_")}.copy`;
    const { rows: count, ...measured } = await copyToFile(client, table, path.join(folder, file));
    copied.push({ table: table.name, file, columns: table.columns, rows: count, ...measured });
  }
  const sealed: Record<string, number> = {};
  for (const column of await sealedColumnsOf(client))
    for (const [id, count] of Object.entries(await countByKey(client, column))) sealed[id] = (sealed[id] ?? 0) + count;
  const sequences = await sequencesOf(client);
  const contents = await contentsOf(client);
  await client.query("commit");
  const files = await keepFiles(contents, config, folder, includeS3);
  const parts = await keepKeys(config, folder);
  const manifest: Manifest = {
    format: 1,
    version: product.version,
    git_sha: config.gitSha ?? "unknown",
    ...(rows[0] as { taken_at: string; postgresql: string }),
    migrations,
    tables: copied,
    sequences,
    excluded: EXCLUDED,
    files,
    keys: { parts, main_secret: await mainSecretId(config), sealed },
  };
  for (const inside of ["database", "keys", "files"]) await synced(path.join(folder, inside));
  await writeMeasured(Readable.from([Buffer.from(manifestText(manifest))]), manifestFile(folder));
  await synced(folder);
  return manifest;
}

/**
 * Opens the snapshot that all data is read from. It locks the tables against schema changes first, so that the catalogue matches the rows.
 * @throws OperatorError if the database is empty or its schema is changing
 */
async function beginSnapshot(client: pg.Client): Promise<Table[]> {
  if ((await appliedSteps(client)).length === 0) throw new OperatorError("There is nothing to back up: the database is empty.");
  const before = await tablesOf(client);
  await client.query("begin transaction isolation level repeatable read read only");
  await client.query(COPY_SESSION);
  await client.query(`lock table ${before.map(({ sql }) => sql).join(", ")} in access share mode`);
  const tables = await tablesOf(client);
  if (JSON.stringify(tables) !== JSON.stringify(before))
    throw new OperatorError("The database is being brought to another version at this moment; try again when that is done.");
  return tables;
}

import { globSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import pg from "pg";
import { databaseAddress } from "../core/config/values.ts";
import { PURPOSE } from "../core/database/connection/connections.ts";
import type { Listing } from "../core/database/lists/list.ts";
import type { DueRows } from "../core/jobs/due-rows.ts";
import type { OldRowsEverywhere } from "../core/sql/old-rows.ts";
import { importFound } from "../core/values/found-files.ts";
import { applyStep } from "./apply.ts";
import { applyBaseline } from "./baseline.ts";
import { PauseWatch } from "./pauses.ts";
import { MigrationRefused } from "./refused.ts";
import type { Step } from "./step.ts";

export { MigrationRefused };

const HERE = import.meta.dirname;
/** Any fixed number: it keeps two nodes from migrating at the same time. */
const LOCK = 7_315_042;
/** Oldest PostgreSQL that has everything the migrations use. */
export const MINIMUM_POSTGRESQL = 16;

/** The files of the steps by name. Those of 0.1 to 0.3, on which only older installations go on, have a folder of their own. */
const stepFiles = (): Map<string, string> =>
  new Map(globSync(["[0-9]*.ts", "before-0.3/[0-9]*.ts"], { cwd: HERE }).map((file) => [path.basename(file, ".ts"), file]));

/** Names of the steps this version of the service knows, in order. */
export const knownSteps = (): string[] => [...stepFiles().keys()].sort();

/** The number of the next step, of four digits. */
export const nextStepNumber = (): string =>
  String(Math.max(...knownSteps().map((step) => Number(step.slice(0, 4)))) + 1).padStart(4, "0");

/** Loads a step. @throws Error if this version does not know it */
export async function stepOf(name: string): Promise<Step> {
  const file = stepFiles().get(name);
  if (file === undefined) throw new Error(`there is no step ${name}`);
  return ((await import(pathToFileURL(path.join(HERE, file)).href)) as { default: Step }).default;
}

/** What the modules export from files of one kind, so that a new module needs no entry anywhere. */
async function declared(pattern: string): Promise<unknown[]> {
  const files = globSync(`{services,integrations}/**/${pattern}`, { cwd: path.join(HERE, "..") }).sort();
  const found = await Promise.all(files.map((file) => importFound<Record<string, unknown>>(path.join(HERE, "..", file))));
  return found.flatMap((module) => Object.values(module));
}

/** Every list that declares a search. */
const listings = async (): Promise<Listing[]> =>
  (await declared("*.list.ts")).filter((value): value is Listing => !!(value as Listing).functions);

/** The due rows of every clock. */
export const allDueRows = async (): Promise<DueRows[]> =>
  (await declared("*.due.ts")).filter((value): value is DueRows => typeof (value as DueRows).sql === "string");

/** The old rows that functions remove, of all organisations or of one. */
export const allOldRows = async (): Promise<OldRowsEverywhere[]> =>
  (await declared("*.due.ts")).filter(
    (value): value is OldRowsEverywhere => typeof (value as OldRowsEverywhere).clearingSql === "string",
  );

/** The role part of a PostgreSQL address, quoted for SQL. */
export function roleOf(url: string): string {
  const role = decodeURIComponent(databaseAddress(url).username);
  return `"${role.replaceAll('"', '""')}"`;
}

/** How often a node tries to be the one that migrates, in milliseconds. */
const TURN = 250;

/** How `migrate` makes a new schema, and repeats the steps that other sessions are in the way of. */
export interface Migrating {
  /** Receives a sentence for each step that ran or is repeated. */
  log?: (line: string) => void;
  /** False: a new database gets its schema from the steps, one after another, and not from the baseline. */
  baseline?: boolean;
  /** Waits between the attempts of a step, in milliseconds. */
  waits?: readonly number[];
}

/**
 * Waits until no other node migrates. A session that waited within a statement would hold a snapshot, and an index that is built
 * concurrently waits for all of them.
 */
async function takeTurn(client: pg.Client): Promise<void> {
  while (!(await client.query<{ mine: boolean }>("select pg_try_advisory_lock($1) as mine", [LOCK])).rows[0]?.mine)
    await delay(TURN);
}

/** Names of the steps that a database has. */
async function executedSteps(client: pg.Client): Promise<Set<string>> {
  const { rows } = await client.query<{ name: string }>("select name from migrations");
  return new Set(rows.map(({ name }) => name));
}

/** How long work takes, in milliseconds. */
async function millisecondsOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return Math.round(performance.now() - began);
}

/** Makes the schema of a new database from the baseline. @returns the steps that it has now */
async function beginWithBaseline(client: pg.Client, application: string, log: (line: string) => void): Promise<Set<string>> {
  let isMade = false;
  const took = await millisecondsOf(async () => {
    isMade = await applyBaseline(client, application);
  });
  log(
    isMade
      ? `The schema's baseline took ${took} ms.`
      : "The steps make the schema one after another: max_locks_per_transaction of this PostgreSQL is too low to make it in one transaction.",
  );
  return executedSteps(client);
}

/**
 * Brings the database to this version: a new one begins with the baseline; then forward steps, each in a transaction of its own, then the
 * functions of searches, clocks and clearings.
 * @param ownerUrl address as the role that owns the tables
 * @param application quoted name of the role the service runs as; it gets exactly the grants it needs
 * @param steps only these of the steps this version knows, and no such functions: the schema of a backup
 * @returns names of the steps that ran
 * @throws MigrationRefused when the server is too old, the schema newer than this version, the application role too powerful, or a step got no lock
 */
export async function migrate(
  ownerUrl: string,
  application: string,
  steps?: readonly string[],
  { log = () => {}, baseline = true, ...options }: Migrating = {},
): Promise<string[]> {
  const client = new pg.Client({ connectionString: ownerUrl, application_name: PURPOSE.migration });
  // The running statement reports a lost connection; without a listener the error would end the process.
  client.on("error", () => {});
  await client.connect();
  let watch: PauseWatch | undefined;
  try {
    await takeTurn(client);
    await refuseUnfit(client, application);
    await client.query(
      "create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())",
    );
    await client.query(`grant select on migrations to ${application}`);
    const known = knownSteps();
    const executed = await executedSteps(client);
    const ahead = [...executed].filter((name) => !known.includes(name)).sort();
    if (ahead.length > 0)
      throw new MigrationRefused(
        `The database was migrated by a newer version (${ahead.join(", ")}); start that version, or restore a backup.`,
      );
    const due = known.filter((name) => !executed.has(name) && (steps?.includes(name) ?? true));
    const isNew = executed.size === 0 && due.length === known.length;
    const made = baseline && isNew ? await beginWithBaseline(client, application, log) : executed;
    const left = due.filter((name) => !made.has(name));
    if (left.length > 0) {
      watch = await PauseWatch.open(ownerUrl, client, LOCK);
      const applying = { client, watch, application, log, ...options };
      for (const name of left) {
        const took = await millisecondsOf(async () => applyStep(name, await stepOf(name), applying));
        log(`The schema's step ${name} took ${took} ms.`);
      }
    }
    if (!steps) {
      await createSearchFunctions(client, application);
      await createDueFunctions(client);
      await createClearingFunctions(client, application);
    }
    return due;
  } finally {
    await watch?.close();
    await client.end();
  }
}

async function refuseUnfit(client: pg.Client, application: string): Promise<void> {
  const sentence = await unfit(client, application, true);
  if (sentence !== null) throw new MigrationRefused(sentence);
}

/**
 * Why the service cannot work with a server or with the role of its nodes, in a sentence that names the remedy; null if it can.
 * @param application the role's name, quoted for SQL
 * @param asOwner whether the connection is that of the role that owns the tables
 */
export async function unfit(client: pg.ClientBase, application: string, asOwner: boolean): Promise<string | null> {
  const name = application.slice(1, -1).replaceAll('""', '"');
  const { rows } = await client.query("select current_setting('server_version_num')::int as version");
  if (rows[0].version < MINIMUM_POSTGRESQL * 10_000)
    return `PostgreSQL ${MINIMUM_POSTGRESQL} or later is needed; this server is ${Math.floor(rows[0].version / 10_000)}.`;
  const roles = await client.query(
    `select rolsuper or rolbypassrls as powerful, rolname = current_user and $2
            or exists (select from pg_class where relowner = r.oid and relnamespace = 'public'::regnamespace) as owner
       from pg_roles r where rolname = $1`,
    [name, asOwner],
  );
  const [role] = roles.rows as { powerful: boolean; owner: boolean }[];
  if (!role) return `The role ${application} of SERVICE_DATABASE_URL does not exist; create it with LOGIN and nothing else.`;
  if (role.powerful || role.owner)
    return `The role ${application} of SERVICE_DATABASE_URL must own nothing, be no superuser and not bypass row-level security; name another one.`;
  return null;
}

/** Creates the missing search functions. Their names contain a digest of their text, so none is ever replaced. */
async function createSearchFunctions(client: pg.Client, application: string): Promise<void> {
  for (const { functions } of await listings())
    for (const { name, sql } of functions) {
      const { rows } = await client.query("select 1 from pg_proc where proname = $1", [name]);
      if (rows.length > 0) continue;
      await client.query(sql);
      await client.query(`revoke all on function ${name} from public; grant execute on function ${name} to ${application}`);
    }
}

/** Creates the missing functions of clocks, which functions of the queue alone call. A condition that does not fit the schema fails here. */
async function createDueFunctions(client: pg.Client): Promise<void> {
  for (const { name, sql } of await allDueRows()) {
    const { rows } = await client.query("select 1 from pg_proc where proname = $1", [name]);
    if (rows.length > 0) continue;
    await client.query(sql);
    await client.query(`revoke all on function jobs.${name} from public`);
  }
}

/** Creates the missing functions that remove old rows. */
async function createClearingFunctions(client: pg.Client, application: string): Promise<void> {
  for (const { name, clearingSql } of await allOldRows()) {
    const { rows } = await client.query("select 1 from pg_proc where proname = $1", [name]);
    if (rows.length > 0) continue;
    await client.query(clearingSql);
    await client.query(
      `revoke all on function jobs.${name} from public; grant execute on function jobs.${name} to ${application}`,
    );
  }
}

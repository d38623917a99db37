import { randomBytes, randomUUID } from "node:crypto";
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Pool } from "pg";
import { type Config, ConfigurationError, isEmbedded } from "../core/config/config.ts";
import { setRuntime } from "../core/config/runtime.ts";
import { closeDatabase, openDatabase } from "../core/database/connection/database.ts";
import { GrowthWatch } from "../core/database/connection/growth.ts";
import { closeReplicas, openReplicas } from "../core/database/connection/replicas.ts";
import { type SlowStatements, watchSlowStatements } from "../core/database/connection/slow-statements.ts";
import { Lease } from "../core/database/lease.ts";
import { refusedPlace } from "../core/embedded/placement.ts";
import { startEmbedded } from "../core/embedded/server.ts";
import { cleanSpool } from "../core/files/staged-uploads.ts";
import { setStores } from "../core/files/storage.ts";
import { configuredStores } from "../core/providers/storage/stores.ts";
import { knownSteps, migrate, roleOf } from "../migrations/run.ts";
import manifest from "../package.json" with { type: "json" };
import { watchClock } from "./clock.ts";
import { isLost } from "./lost-database.ts";
import { closeOwner, openOwner } from "./owner.ts";

/** The opened databases of a running process. */
export interface Booted {
  config: Config;
  /** Database URL of the role that owns the tables; undefined if only the application role is configured. */
  ownerUrl: string | undefined;
  /** Migrations this start applied. */
  migrated: string[];
  shutdown(): Promise<void>;
}

/** Where an embedded installation stores its main secret if none is configured. */
export const secretFile = (config: Config): string => path.join(config.dataDir, "secret");

/** The main secret: configured, or generated once and stored next to the embedded database. */
export function mainSecret(config: Config): string {
  if (config.secret) return config.secret;
  const file = secretFile(config);
  const kept = () => readFileSync(file, "utf8").trim();
  try {
    return kept();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw refusedPlace(config.dataDir, error);
    const temporary = `${file}.${process.pid}`;
    writeFileSync(temporary, `${randomBytes(32).toString("hex")}\n`, { mode: 0o600 });
    try {
      linkSync(temporary, file);
    } catch (error) {
      // Another process created it first; use that one.
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    } finally {
      rmSync(temporary, { force: true });
    }
    return kept();
  }
}

/** Publishes the process-wide settings that do not need a database. */
export function prepareRuntime(config: Config): void {
  setRuntime({
    config,
    scheme: config.publicScheme ?? (isEmbedded(config) ? "http" : "https"),
    version: manifest.version,
    gitSha: config.gitSha ?? "unknown",
    builtAt: null,
    migrations: knownSteps(),
    secret: config.secret ?? "",
    publicPort: config.publicPort,
  });
  setStores(configuredStores(config));
}

/** An installation's migrated database and its URLs. */
export interface Installation {
  databaseUrl: string;
  /** Database URL of the role that owns the tables; undefined if only the application role is configured. */
  ownerUrl: string | undefined;
  /** Migrations this start applied. */
  migrated: string[];
  /** Stops an embedded server that no other process uses. */
  close(): Promise<void>;
}

/** Options for opening an installation for longer than one command. */
export interface Opening {
  /** Migrates the schema; by default every missing migration runs. */
  bring?: (ownerUrl: string, application: string, log: (line: string) => void) => Promise<string[]>;
  /** Callbacks for an embedded server that exits unexpectedly: it was restarted, or has exited too often. */
  supervision?: { onRestart(sentence: string): void; onEnd(reason: string): void };
  /** Cancels the opening: everything started is stopped, and the signal's reason thrown. */
  signal?: AbortSignal | undefined;
}

/** Receives the sentences of a node that opens its databases and uses them, by what they report. */
export interface BootLog {
  /** What an embedded server does before it answers. */
  progress(line: string): void;
  /** The migrations that the node waits for. */
  schemaAwaited(line: string): void;
  /** A connection of the pool that ended while no statement used it. */
  connectionLost(line: string): void;
  /** A replica that answers lists now, or no longer does for a reason. */
  replicaChanged(replica: string, reason: string | null): void;
  /** Statements that took `SERVICE_SLOW_STATEMENT_MS` or longer. */
  slowStatements(slow: SlowStatements): void;
}

/** Resolves with the result of the work, or stops waiting once the signal aborts. @throws the signal's reason */
function unlessCalledOff<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const callOff = () => reject(signal.reason as Error);
    if (signal.aborted) callOff();
    signal.addEventListener("abort", callOff, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", callOff));
  });
}

/**
 * Starts PostgreSQL if the installation is embedded, and migrates the schema. Shares a server that already runs.
 * @throws MigrationRefused or StartRefused with one sentence that names the remedy
 */
export async function openInstallation(
  config: Config,
  log: (line: string) => void,
  {
    bring = (owner, application, note) => migrate(owner, application, undefined, { log: note }),
    supervision,
    signal,
  }: Opening = {},
): Promise<Installation> {
  const { onRestart, onEnd = () => {} } = supervision ?? {};
  const { dataDir } = config;
  const embedded = isEmbedded(config) ? await startEmbedded({ dataDir, log, signal, onRestart, onExit: onEnd }) : undefined;
  try {
    const databaseUrl = embedded?.url("application") ?? (config.databaseUrl as string);
    const ownerUrl = embedded?.url("owner") ?? config.migrationUrl;
    const migrated = ownerUrl ? await unlessCalledOff(bring(ownerUrl, roleOf(databaseUrl), log), signal) : [];
    return { databaseUrl, ownerUrl, migrated, close: async () => embedded?.stop() };
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}

/** Seconds until another node looks for grown tables instead of a dead node; longer than the longest wait between two looks. */
const GROWTH_LEASE = 120;

/** How often a node that cannot migrate checks for the schema, in milliseconds. */
const SCHEMA_LOOK = 1000;

/**
 * Resolves once the database has every migration this version needs. A node with only the application role logs one sentence and waits,
 * before its gateway listens, until another node has migrated.
 * @throws ConfigurationError if the database cannot be used at all
 */
async function schemaIsCurrent(pool: Pick<Pool, "query">, config: Config, log: (line: string) => void): Promise<void> {
  for (let waits = false; ; waits = true) {
    const { rows } = await pool.query<{ name: string }>("select name from migrations").catch((error: Error) => {
      if (isEmbedded(config) || isLost(error)) throw error;
      throw new ConfigurationError(
        `SERVICE_DATABASE_URL cannot be used: ${error.message}; set SERVICE_DATABASE_MIGRATION_URL to create the schema.`,
      );
    });
    const there = new Set(rows.map(({ name }) => name));
    const missing = knownSteps().filter((name) => !there.has(name));
    if (missing.length === 0) return;
    if (!waits)
      log(
        `The database lacks ${missing.length === 1 ? "a step" : `${missing.length} steps`} this version needs (the first is ${missing[0]}): ` +
          "this node waits until a node with SERVICE_DATABASE_MIGRATION_URL has brought them.",
      );
    // Without a connection, as while the database restarts, only this keeps the process.
    await delay(SCHEMA_LOOK);
  }
}

/**
 * Opens everything the actors need: the installation's database, the main secret and the pool.
 * @throws ConfigurationError, MigrationRefused or StartRefused with one sentence that names the remedy
 */
export async function boot(config: Config, log: BootLog, opening: Opening = {}): Promise<Booted> {
  prepareRuntime(config);
  const { databaseUrl, ownerUrl, migrated, close } = await openInstallation(config, log.progress, opening);
  const endSlowStatements = watchSlowStatements(config.slowStatement, log.slowStatements);
  try {
    const secret = mainSecret(config);
    prepareRuntime({ ...config, secret });
    const pool = openDatabase({ ...config, databaseUrl }, (error) =>
      log.connectionLost(`database connection lost: ${error.message}`),
    );
    if (config.databaseReadUrls) openReplicas(config.databaseReadUrls, config, log.replicaChanged);
    if (ownerUrl)
      openOwner(ownerUrl, (error) => log.connectionLost(`connection as the owner of the tables lost: ${error.message}`));
    await unlessCalledOff(schemaIsCurrent(pool, config, log.schemaAwaited), opening.signal);
    const endClock = config.transporter ? await watchClock(pool, opening.supervision?.onEnd ?? (() => {})) : () => {};
    void cleanSpool();
    const lease = new Lease("growth", randomUUID(), GROWTH_LEASE);
    const growth = new GrowthWatch(pool, () => lease.take());
    growth.start();
    return {
      config: { ...config, secret },
      ownerUrl,
      migrated,
      async shutdown() {
        endClock();
        endSlowStatements();
        growth.stop();
        await lease.release().catch(() => {});
        await closeReplicas();
        await closeOwner();
        await closeDatabase();
        await close();
      },
    };
  } catch (error) {
    endSlowStatements();
    await closeReplicas();
    await closeOwner();
    await closeDatabase();
    await close();
    throw error;
  }
}

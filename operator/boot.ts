import { randomBytes } from "node:crypto";
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Pool } from "pg";
import { type Config, ConfigurationError, isEmbedded } from "../core/config/config.ts";
import { setRuntime } from "../core/config/runtime.ts";
import { closeDatabase, openDatabase } from "../core/database/connection/database.ts";
import { GrowthWatch } from "../core/database/connection/growth.ts";
import { refusedPlace } from "../core/embedded/placement.ts";
import { startEmbedded } from "../core/embedded/server.ts";
import { cleanSpool } from "../core/files/staged-uploads.ts";
import { setStores } from "../core/files/storage.ts";
import { configuredStores } from "../integrations/storage/stores.ts";
import { knownSteps, migrate, roleOf } from "../migrations/run.ts";
import manifest from "../package.json" with { type: "json" };

/** The databases of a running process and how to leave them. */
export interface Booted {
  config: Config;
  /** Address as the role that owns the tables; undefined when only the application role is configured. */
  ownerUrl: string | undefined;
  /** Steps that ran now. */
  migrated: string[];
  shutdown(): Promise<void>;
}

/** Where the main secret of an embedded installation is kept when none is configured. */
export const secretFile = (config: Config): string => path.join(config.dataDir, "secret");

/** The main secret: configured, or made once and kept beside the embedded database. */
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
      // Another process was first; its secret counts.
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    } finally {
      rmSync(temporary, { force: true });
    }
    return kept();
  }
}

/** Makes everything about this process known that does not need a database. */
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

/** The database of an installation, migrated, and its addresses. */
export interface Installation {
  databaseUrl: string;
  /** Address as the role that owns the tables; undefined when only the application role is configured. */
  ownerUrl: string | undefined;
  /** Steps that ran now. */
  migrated: string[];
  /** Ends an embedded server that no other process uses. */
  close(): Promise<void>;
}

/** How an installation is opened where that is more than for one command. */
export interface Opening {
  /** What brings the schema forward; by default everything that is missing runs. */
  bring?: (ownerUrl: string, application: string) => Promise<string[]>;
  /** What an embedded server that ends by itself is told to: that it was started again, or that this has happened too often. */
  supervision?: { onRestart(sentence: string): void; onEnd(reason: string): void };
  /** Calls the opening off: what it has begun is ended, and the signal's reason thrown. */
  signal?: AbortSignal | undefined;
}

/** What the work gives, unless it is called off; then it is not waited for. @throws the signal's reason */
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
 * Brings up PostgreSQL if it is ours to run, and the schema. Takes part in a server that runs already.
 * @throws MigrationRefused or StartRefused with one sentence that names the way out
 */
export async function openInstallation(
  config: Config,
  log: (line: string) => void,
  { bring = migrate, supervision, signal }: Opening = {},
): Promise<Installation> {
  const { onRestart, onEnd = () => {} } = supervision ?? {};
  const { dataDir } = config;
  const embedded = isEmbedded(config) ? await startEmbedded({ dataDir, log, signal, onRestart, onExit: onEnd }) : undefined;
  try {
    const databaseUrl = embedded?.url("application") ?? (config.databaseUrl as string);
    const ownerUrl = embedded?.url("owner") ?? config.migrationUrl;
    const migrated = ownerUrl ? await unlessCalledOff(bring(ownerUrl, roleOf(databaseUrl)), signal) : [];
    return { databaseUrl, ownerUrl, migrated, close: async () => embedded?.stop() };
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}

/** How often a node that may not change the schema looks whether it has come, in milliseconds. */
const SCHEMA_LOOK = 1000;

/**
 * Resolves once the database has every step this version needs. A node with the application's role alone waits for whoever migrates, before
 * its gateway listens, and says so in one sentence.
 * @throws ConfigurationError when the database cannot be used at all
 */
async function schemaIsCurrent(pool: Pick<Pool, "query">, config: Config, log: (line: string) => void): Promise<void> {
  for (let waits = false; ; waits = true) {
    const { rows } = await pool.query<{ name: string }>("select name from migrations").catch((error: Error) => {
      if (isEmbedded(config)) throw error;
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
    await delay(SCHEMA_LOOK, undefined, { ref: false });
  }
}

/**
 * Brings up what the actors stand on: the installation's database, the main secret and the pool.
 * @throws ConfigurationError, MigrationRefused or StartRefused with one sentence that names the way out
 */
export async function boot(config: Config, log: (line: string) => void, opening: Opening = {}): Promise<Booted> {
  prepareRuntime(config);
  const { databaseUrl, ownerUrl, migrated, close } = await openInstallation(config, log, opening);
  try {
    const secret = mainSecret(config);
    prepareRuntime({ ...config, secret });
    const pool = openDatabase({ ...config, databaseUrl }, (error) => log(`database connection lost: ${error.message}`));
    await unlessCalledOff(schemaIsCurrent(pool, config, log), opening.signal);
    void cleanSpool();
    const growth = new GrowthWatch(pool);
    growth.start();
    return {
      config: { ...config, secret },
      ownerUrl,
      migrated,
      async shutdown() {
        growth.stop();
        await closeDatabase();
        await close();
      },
    };
  } catch (error) {
    await closeDatabase();
    await close();
    throw error;
  }
}

import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type Config, ConfigurationError, isEmbedded } from "../core/config.ts";
import { closeDatabase, openDatabase } from "../core/database.ts";
import { type EmbeddedServer, startEmbedded } from "../core/embedded/server.ts";
import { setRuntime } from "../core/runtime.ts";
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

/** The main secret: configured, or made once and kept beside the embedded database. */
function mainSecret(config: Config): string {
  if (config.secret) return config.secret;
  const file = path.join(config.dataDir, "secret");
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    mkdirSync(config.dataDir, { recursive: true });
    const made = randomBytes(32).toString("hex");
    writeFileSync(file, `${made}\n`, { mode: 0o600, flag: "wx" });
    return made;
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
    secret: "",
  });
}

/**
 * Brings up what the actors stand on: PostgreSQL if it is ours to run, the schema, the pool.
 * @throws ConfigurationError, MigrationRefused or StartRefused with one sentence that names the way out
 */
export async function boot(config: Config, log: (line: string) => void): Promise<Booted> {
  prepareRuntime(config);
  let embedded: EmbeddedServer | undefined;
  if (isEmbedded(config)) {
    mkdirSync(config.dataDir, { recursive: true });
    embedded = await startEmbedded({ dataDir: config.dataDir, log });
  }
  try {
    const databaseUrl = embedded?.url("application") ?? (config.databaseUrl as string);
    const ownerUrl = embedded?.url("owner") ?? config.migrationUrl;
    const migrated = ownerUrl ? await migrate(ownerUrl, roleOf(databaseUrl)) : [];
    const secret = mainSecret(config);
    prepareRuntime({ ...config, secret });
    const pool = openDatabase({ ...config, databaseUrl }, (error) => log(`database connection lost: ${error.message}`));
    await pool.query("select 1 from migrations").catch((error: Error) => {
      throw new ConfigurationError(
        `SERVICE_DATABASE_URL cannot be used: ${error.message}; set SERVICE_DATABASE_MIGRATION_URL to create the schema.`,
      );
    });
    return {
      config: { ...config, secret },
      ownerUrl,
      migrated,
      async shutdown() {
        await closeDatabase();
        await embedded?.stop();
      },
    };
  } catch (error) {
    await closeDatabase();
    await embedded?.stop();
    throw error;
  }
}

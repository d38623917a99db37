import pg from "pg";
import { type Config, isEmbedded } from "../../core/config/config.ts";
import { connectionsOf, MIGRATING } from "../../core/database/connection/connections.ts";
import { hasCluster } from "../../core/embedded/placement.ts";
import { addressKind } from "../../core/outbound/guard/addresses.ts";
import { knownSteps, roleOf, unfit } from "../../migrations/run.ts";
import { openInstallation } from "../boot.ts";
import { clockLead } from "../clock.ts";
import { type Finding, fault, ok, reasonOf, warning } from "./finding.ts";

/** How long a connection may take, in milliseconds. */
const PATIENCE = 5000;
/** Extensions that the steps of the schema create. */
export const EXTENSIONS = ["btree_gin", "pg_trgm", "unaccent"];
const NODES = "select count(*)::int as nodes from jobs.workers where seen_at > now() - interval '180 seconds'";
const CONNECTIONS = `select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as most,
    (select count(*)::int from pg_stat_activity where backend_type = 'client backend' and application_name not like 'kantoor%') as others`;
/** Seconds that a clock may differ without a remark. */
const CLOCK = 2;

/** Runs work with a connection to a server, and says why there is none. */
async function connected(url: string, variable: string, work: (client: pg.Client) => Promise<Finding[]>): Promise<Finding[]> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: PATIENCE,
    statement_timeout: PATIENCE,
    application_name: "kantoor doctor",
  });
  client.on("error", () => {});
  try {
    await client.connect();
    return await work(client);
  } catch (error) {
    return [fault("database", `${variable} cannot be used: ${reasonOf(error)}.`, `Correct ${variable}, or start its server.`)];
  } finally {
    await client.end().catch(() => {});
  }
}

async function clock(client: pg.Client): Promise<Finding> {
  const seconds = Math.round((await clockLead(client)) / 1000);
  if (Math.abs(seconds) <= CLOCK) return ok("clock", "This machine and the database have the same time.");
  return warning(
    "clock",
    `This machine is ${Math.abs(seconds)} seconds ${seconds > 0 ? "ahead of" : "behind"} the database.`,
    "Set both clocks by NTP: nodes that differ by more than 30 seconds do not start.",
  );
}

async function schema(client: pg.Client, canMigrate: boolean): Promise<Finding> {
  const present = await client.query("select to_regclass('public.migrations') is not null as present");
  const rows = present.rows[0].present ? (await client.query<{ name: string }>("select name from migrations")).rows : [];
  const applied = new Set(rows.map(({ name }) => name));
  const missing = knownSteps().filter((name) => !applied.has(name)).length;
  if (missing === 0) return ok("schema", "The schema is that of this version.");
  const found = `The schema lacks ${missing} of ${knownSteps().length} steps of this version.`;
  if (canMigrate) return warning("schema", found, "`npm run cli -- migrate` applies them, and so does the next start.");
  return fault("schema", found, "Set SERVICE_DATABASE_MIGRATION_URL on one node: it applies them.");
}

/** Nodes that reported lately; none before the first start. */
async function nodesOf(client: pg.Client): Promise<number> {
  const present = await client.query("select to_regclass('jobs.workers') is not null as present");
  return present.rows[0].present ? (await client.query(NODES)).rows[0].nodes : 0;
}

/** Compares what all nodes may open with what the server takes; their pools grow when they are busy, so that few are open proves nothing. */
async function connections(client: pg.Client, config: Config): Promise<Finding> {
  const { rows } = await client.query(CONNECTIONS);
  const { most, others } = rows[0] as { most: number; others: number };
  const nodes = Math.max(1, await nodesOf(client));
  const each = connectionsOf(config);
  const needed = nodes * each + MIGRATING;
  const found = `The server takes ${most} connections, of which other programs have ${others}; ${nodes === 1 ? "one node needs" : `${nodes} nodes need`} up to ${needed}: ${each} each (${config.databasePool} for requests) and ${MIGRATING} to migrate.`;
  if (most - others >= needed) return ok("connections", found);
  return warning("connections", found, "Raise max_connections of PostgreSQL, or lower SERVICE_DATABASE_POOL.");
}

async function extensions(client: pg.Client): Promise<Finding> {
  const { rows } = await client.query("select name from pg_available_extensions where name = any ($1)", [EXTENSIONS]);
  const missing = EXTENSIONS.filter((name) => !rows.some((row) => row.name === name));
  if (missing.length === 0) return ok("extensions", `PostgreSQL has ${EXTENSIONS.join(", ")}.`);
  return fault(
    "extensions",
    `PostgreSQL lacks ${missing.join(", ")}.`,
    "Install its contributed extensions (`postgresql-contrib`).",
  );
}

const WIRE = `select coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false) as ssl,
  host(inet_server_addr()) as address`;

/**
 * Warns of a connection in the clear to another machine; nothing is said of any other.
 * @param address of the server; null for a socket of this machine
 */
export function inTheClear({ ssl, address }: { ssl: boolean; address: string | null }): Finding[] {
  if (ssl || address === null || addressKind(address) === "loopback") return [];
  return [
    warning(
      "encryption",
      `The connection to PostgreSQL at ${address} is not encrypted.`,
      "Unless the network between is your own, add `?sslmode=verify-full` to the addresses of the database.",
    ),
  ];
}

/** What the role of the nodes sees. */
const asApplication = (config: Config, url: string, canMigrate: boolean) =>
  connected(url, "SERVICE_DATABASE_URL", async (client) => {
    const sentence = await unfit(client, roleOf(url), false);
    if (sentence !== null) return [fault("database", sentence, "Give the nodes a role of their own, which owns nothing.")];
    const { rows } = await client.query("select current_setting('server_version') as version");
    return [
      ok("database", `PostgreSQL ${rows[0].version} answers, and its role is fit for a node.`),
      await extensions(client),
      await schema(client, canMigrate),
      await connections(client, config),
      await clock(client),
      ...inTheClear((await client.query(WIRE)).rows[0]),
    ];
  });

/** What the role that owns the tables may do. */
const asOwner = (url: string) =>
  connected(url, "SERVICE_DATABASE_MIGRATION_URL", async (client) => {
    const { rows } = await client.query(
      "select has_database_privilege(current_database(), 'create') and has_schema_privilege('public', 'create') as may",
    );
    if (rows[0].may) return [ok("owner", "The role that owns the tables can change the schema.")];
    return [
      fault(
        "owner",
        "The role of SERVICE_DATABASE_MIGRATION_URL can create nothing in its database.",
        "Make it the owner of the database.",
      ),
    ];
  });

/** Tries the database: its server, both roles, extensions, schema, connections and clock. Starts an embedded one that does not run, and creates none. */
export async function checkDatabase(config: Config): Promise<Finding[]> {
  if (!isEmbedded(config)) {
    const { databaseUrl, migrationUrl } = config;
    const seen = await asApplication(config, databaseUrl as string, migrationUrl !== undefined);
    return migrationUrl === undefined ? seen : [...seen, ...(await asOwner(migrationUrl))];
  }
  if (!hasCluster(config.dataDir)) return [ok("database", "There is no database yet: the first start creates it.")];
  try {
    const installation = await openInstallation(config, () => {}, { bring: async () => [] });
    try {
      return await asApplication(config, installation.databaseUrl, true);
    } finally {
      await installation.close();
    }
  } catch (error) {
    return [fault("database", `The embedded PostgreSQL does not start: ${reasonOf(error)}`, "See docs/operating.md, Elsewhere.")];
  }
}

import pg from "pg";
import { cloneDatabase, type TestDatabase } from "../database.ts";
import { send } from "../http.ts";
import { holdTimesOfDay, until } from "../jobs.ts";
import { launchService, type Spawned } from "../process.ts";
import { makeTenant, type Tenant } from "../service.ts";
import { startNats } from "./nats.ts";

export const BASE_DOMAIN = "kantoor.test";

/** Settings of a node on a free local port, with a database and, for several nodes, a NATS server. */
export const nodeSettings = (database: Pick<TestDatabase, "application">, nats?: Spawned): Record<string, string> => ({
  SERVICE_DATABASE_URL: database.application,
  SERVICE_SECRET: "a secret for tests that nobody else has, 0123456789",
  SERVICE_HTTP_PORT: "0",
  SERVICE_HTTP_ADDRESS: "127.0.0.1",
  SERVICE_PUBLIC_SCHEME: "http",
  SERVICE_BASE_DOMAIN: BASE_DOMAIN,
  SERVICE_RATE_LIMIT_PER_KEY: "0",
  SERVICE_LOG_LEVEL: process.env["TEST_LOG"] ?? "error",
  ...(nats && { TRANSPORTER: `nats://127.0.0.1:${nats.port}` }),
});

/** Complete nodes over one database, each a separate process with a gateway and all actors. */
export interface Nodes {
  /** Connection as the role that owns the tables, which sees every organisation. */
  sql: pg.Client;
  ports: number[];
  /** Creates an organisation whose callers use the nodes in turn. */
  tenant(slug: string): Promise<Tenant>;
  stop(): Promise<void>;
}

/**
 * Starts nodes over a new database.
 * @param settings of each node, in addition to the tests' defaults
 */
export async function startNodes(count: number, settings: Record<string, string> = {}): Promise<Nodes> {
  const database = await cloneDatabase();
  const undo: (() => unknown)[] = [() => database.drop()];
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const sql = new pg.Client({ connectionString: database.owner });
    await sql.connect();
    undo.push(() => sql.end());
    await holdTimesOfDay(sql);
    const nats = count > 1 ? await startNats() : undefined;
    if (nats) undo.push(() => nats.stop());
    const environment = { ...nodeSettings(database, nats), ...settings };
    const nodes = await Promise.all(Array.from({ length: count }, () => launchService(environment)));
    undo.push(() => Promise.all(nodes.map((node) => node.stop())));
    const ports = nodes.map(({ port }) => port as number);
    for (const port of ports) await ready(port);
    let turn = 0;
    return { sql, ports, tenant: (slug) => makeTenant(sql, () => ports[turn++ % ports.length] as number, slug), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const ready = (port: number) => until(async () => (await send(port, "GET", "/health/ready")).status === 200);

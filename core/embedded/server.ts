import { realpath } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { type Binaries, findBinaries, packagedMajor } from "./binaries.ts";
import {
  DATABASE,
  initialise,
  isProvisioned,
  type Passwords,
  provision,
  ROLES,
  readPasswords,
  writeSettings,
} from "./cluster.ts";
import { withLock } from "./lock.ts";
import {
  checkVersion,
  makeDataDirectory,
  type Placement,
  placeCluster,
  recordPlacement,
  refusedPlace,
  removeSocketDirectory,
  socketDirectoryOf,
} from "./placement.ts";
import { askToStop, boundLog, lastWords, launch, livePostmaster, type Postmaster, settledPostmaster } from "./postmaster.ts";
import { Presence } from "./presence.ts";
import { StartRefused } from "./refused.ts";

export { StartRefused } from "./refused.ts";

/** A running PostgreSQL that belongs to a data directory. */
export interface EmbeddedServer {
  /** Directory of the unix socket; there is no other way in. */
  socketDirectory: string;
  port: number;
  /** Address for node-postgres and libpq, with the role's password. The database defaults to `kantoor`. */
  url(role: keyof typeof ROLES, database?: string): string;
  /** True when this call started the server, false when one was running already. */
  started: boolean;
  /** Process id of the server. */
  pid: number;
  /** Ends the server (fast shutdown) unless another process uses it; with `force` also then. May be called again. */
  stop(options?: { force?: boolean }): Promise<void>;
}

export interface EmbeddedOptions {
  /** Directory of the service's data; the cluster is `postgres` in it wherever PostgreSQL's account can get there. */
  dataDir: string;
  /** Settings of `postgresql.conf` that differ from ours; they count when this call starts the server. */
  settings?: Record<string, string>;
  /** False gives up safety against a crash of the machine for speed: for tests. */
  durable?: boolean;
  /** Gets a sentence when something takes long or is done in an unusual place. */
  log?: (line: string) => void;
  /** Called once when the server ends and this process did not stop it. */
  onExit?: (reason: string) => void;
}

/**
 * Starts PostgreSQL on the data directory, or takes part in one that runs there already, for instance because Node was killed.
 * A new data directory gets a cluster with the roles `postgres`, `kantoor_owner` and `kantoor_app` and the database `kantoor`.
 * Processes that start at the same moment share one server.
 * @throws StartRefused with a sentence that names the way out
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const major = await packagedMajor();
  await makeDataDirectory(path.resolve(options.dataDir));
  const dataDir = await realpath(options.dataDir);
  return withLock(dataDir, () => open(dataDir, major, options)).catch((error: unknown) => {
    throw refusedPlace(dataDir, error);
  });
}

async function open(dataDir: string, major: string, options: EmbeddedOptions): Promise<EmbeddedServer> {
  const { durable = true, settings = {}, log = () => undefined, onExit = () => undefined } = options;
  const logFile = path.join(dataDir, "postgres.log");
  const placement = await placeCluster(dataDir, log);
  const { cluster, account } = placement;
  if (placement.exists) await checkVersion(cluster, major);
  const passwords = await readPasswords(dataDir, placement.exists);

  const adopted = placement.exists ? await adopt(cluster, passwords, log) : undefined;
  let server = adopted?.server;
  if (!server) {
    const binaries = await findBinaries(account, log);
    if (!placement.exists) await create(binaries, placement, passwords, durable);
    const socketDirectory = await socketDirectoryOf(cluster, account);
    await writeSettings(cluster, account, socketDirectory, { durable, settings });
    server = (await launch(binaries.postgres, account, { cluster, socketDirectory, logFile }, log)).server;
  }

  const { pid, port, socketDirectory } = server;
  const connectTo = (database: string) => connect(server, passwords, database);
  const isAlive = async () => (await livePostmaster(cluster))?.pid === pid;
  const logWatch = setInterval(() => void boundLog(logFile), 600_000).unref();
  const presence = new Presence(
    () => connectTo("postgres"),
    isAlive,
    () => {
      clearInterval(logWatch);
      void lastWords(logFile).then((words) => onExit(`PostgreSQL (process ${pid}) has ended: ${words}`));
    },
  );
  const shutDown = async () => {
    await askToStop(server, cluster);
    await removeSocketDirectory(socketDirectory, cluster);
  };
  try {
    const client = adopted?.client ?? (await connectTo("postgres"));
    if (!(await isProvisioned(client))) await provision(client, passwords, connectTo);
    await presence.join(client);
  } catch (error) {
    clearInterval(logWatch);
    if (!adopted) await shutDown();
    throw error;
  }

  let stopping: Promise<void> | undefined;
  const stop = async (force: boolean) => {
    clearInterval(logWatch);
    await withLock(dataDir, async () => {
      const isLast = await presence.leave();
      if (isLast || force) await shutDown();
    });
  };
  return {
    socketDirectory,
    port,
    pid,
    started: !adopted,
    url: (role, database = DATABASE) =>
      `postgres://${ROLES[role]}:${passwords[ROLES[role]]}@localhost/${encodeURIComponent(database)}` +
      `?host=${encodeURIComponent(socketDirectory)}&port=${port}`,
    stop: ({ force = false } = {}) => (stopping ??= stop(force)),
  };
}

async function create(binaries: Binaries, placement: Placement, passwords: Passwords, durable: boolean): Promise<void> {
  const { cluster, account } = placement;
  await initialise(binaries.initdb, cluster, account, passwords[ROLES.superuser], durable);
  await recordPlacement(placement);
}

/** Connects to the server that already runs on the cluster; undefined when there is none. */
async function adopt(
  cluster: string,
  passwords: Passwords,
  log: (line: string) => void,
): Promise<{ server: Postmaster; client: pg.Client } | undefined> {
  for (let attempt = 1; ; attempt++) {
    const server = await settledPostmaster(cluster, log);
    if (!server) return undefined;
    try {
      return { server, client: await connect(server, passwords, "postgres") };
    } catch (error) {
      // It may just be ending; then the next look finds none.
      if (attempt === 50)
        throw new StartRefused(
          `PostgreSQL (process ${server.pid}) runs on ${cluster} but refuses the connection (${(error as Error).message}): end that process and start again.`,
        );
      await delay(100);
    }
  }
}

async function connect({ socketDirectory, port }: Postmaster, passwords: Passwords, database: string): Promise<pg.Client> {
  const client = new pg.Client({
    host: socketDirectory,
    port,
    database,
    user: ROLES.superuser,
    password: passwords[ROLES.superuser],
    application_name: "kantoor supervisor",
    connectionTimeoutMillis: 10_000,
    ssl: false,
  });
  // A lost connection is reported by 'end'; without a listener 'error' would end the process.
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

import { realpath } from "node:fs/promises";
import path from "node:path";
import type pg from "pg";
import { type Binaries, findBinaries, packagedMajor } from "./binaries.ts";
import { DATABASE, initialise, type Passwords, ROLES, readPasswords, writeSettings } from "./cluster.ts";
import { withLock } from "./lock.ts";
import {
  checkVersion,
  makeDataDirectory,
  type Placement,
  placeCluster,
  recordPlacement,
  refusedPlace,
  socketDirectoryOf,
} from "./placement.ts";
import { launch } from "./postmaster.ts";
import { adopt, type ClusterLocation, type Running, Supervisor } from "./supervisor.ts";

export { StartRefused } from "./refused.ts";

/** The running PostgreSQL of a data directory. */
export interface EmbeddedServer {
  /** Directory of the unix socket; there is no other way to connect. */
  socketDirectory: string;
  port: number;
  /** Address for node-postgres and libpq, including the role's password. The database defaults to `kantoor`. */
  url(role: keyof typeof ROLES, database?: string): string;
  /** True when this call started the server, false when one was running already. */
  started: boolean;
  /** Process id of the server; it changes after a restart. */
  readonly pid: number;
  /** Stops the server (fast shutdown) unless another process uses it; with `force`, even then. Can be called repeatedly. */
  stop(options?: { force?: boolean }): Promise<void>;
}

export interface EmbeddedOptions {
  /** Directory of the service's data; the cluster is its `postgres` directory if PostgreSQL's account can reach that. */
  dataDir: string;
  /** Settings of `postgresql.conf` that override ours; they apply only if this call starts the server. */
  settings?: Record<string, string>;
  /** False trades safety in a crash of the machine for speed: for tests. */
  durable?: boolean;
  /** Receives a sentence when something takes long or uses an unusual location. */
  log?: (line: string) => void;
  /** Called once if the server ends, this process did not stop it, and it is not restarted. */
  onExit?: (reason: string) => void;
  /** Enables restarts when the server ends unexpectedly, until that has happened too often; receives a sentence each time. */
  onRestart?: ((sentence: string) => void) | undefined;
  /** Cancels the start, which then stops what it has started and throws the signal's reason. */
  signal?: AbortSignal | undefined;
}

/**
 * Starts PostgreSQL on the data directory, or joins a server that already runs there, for instance because Node was killed.
 * A new data directory gets a cluster with the roles `postgres`, `kantoor_owner` and `kantoor_app` and the database `kantoor`.
 * Processes that start at the same moment share one server.
 * @throws StartRefused with a sentence that names the remedy
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const major = await packagedMajor();
  await makeDataDirectory(path.resolve(options.dataDir));
  const dataDir = await realpath(options.dataDir);
  return withLock(dataDir, () => open(dataDir, major, options), options.signal).catch((error: unknown) => {
    throw refusedPlace(dataDir, error);
  });
}

async function open(dataDir: string, major: string, options: EmbeddedOptions): Promise<EmbeddedServer> {
  const { durable = true, settings = {}, log = () => undefined, signal } = options;
  const watcher = { log, signal };
  const placement = await placeCluster(dataDir, log);
  const { cluster, account } = placement;
  if (placement.exists) await checkVersion(cluster, major);
  const passwords = await readPasswords(dataDir, placement.exists);
  const place = { dataDir, cluster, account, passwords, logFile: path.join(dataDir, "postgres.log") };

  const adopted = placement.exists ? await adopt(cluster, passwords, watcher) : undefined;
  if (adopted) return supervised(place, { server: adopted.server }, adopted.client, options);
  const binaries = await findBinaries(account, log);
  if (!placement.exists) await create(binaries, placement, passwords, { durable, signal });
  const socketDirectory = await socketDirectoryOf(cluster, account);
  await writeSettings(cluster, account, socketDirectory, { durable, settings });
  const launched = await launch(binaries.postgres, account, { ...place, socketDirectory }, watcher);
  return supervised(place, launched, undefined, options);
}

/** @param client a connection as the superuser to a server that was already running */
async function supervised(
  place: ClusterLocation,
  running: Running,
  client: pg.Client | undefined,
  { log = () => undefined, onExit = () => undefined, onRestart, signal }: EmbeddedOptions,
): Promise<EmbeddedServer> {
  const supervisor = new Supervisor(place, running, { log, onExit, onRestart });
  const { passwords } = place;
  const { port, socketDirectory } = running.server;
  try {
    await supervisor.join(client);
    signal?.throwIfAborted();
  } catch (error) {
    await supervisor.leave(false);
    throw error;
  }
  let stopping: Promise<void> | undefined;
  return {
    socketDirectory,
    port,
    get pid() {
      return supervisor.pid;
    },
    started: client === undefined,
    url: (role, database = DATABASE) =>
      `postgres://${ROLES[role]}:${passwords[ROLES[role]]}@localhost/${encodeURIComponent(database)}` +
      `?host=${encodeURIComponent(socketDirectory)}&port=${port}`,
    stop: ({ force = false } = {}) => (stopping ??= supervisor.stop(force)),
  };
}

async function create(
  binaries: Binaries,
  placement: Placement,
  passwords: Passwords,
  how: { durable: boolean; signal: AbortSignal | undefined },
): Promise<void> {
  const { cluster, account } = placement;
  await initialise(binaries.initdb, cluster, account, passwords[ROLES.superuser], how);
  await recordPlacement(placement);
}

import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import type { Account } from "./account.ts";
import { findBinaries } from "./binaries.ts";
import { isProvisioned, type Passwords, provision, ROLES } from "./cluster.ts";
import { withLock } from "./lock.ts";
import { removeSocketDirectory } from "./placement.ts";
import {
  askToStop,
  boundLog,
  type Launched,
  lastWords,
  launch,
  livePostmaster,
  type Postmaster,
  type StartWatcher,
  settledPostmaster,
} from "./postmaster.ts";
import { Presence } from "./presence.ts";
import { StartRefused } from "./refused.ts";
import { isStartedAgain } from "./restarts.ts";

/** Interval of the check of the log's size, in milliseconds. */
const LOG_WATCH = 600_000;
/** Interval of the check whether the server is shutting down, in milliseconds. */
const END_WATCH = 1000;
/** Longest time between the end of the server's connections and its own end, in milliseconds. */
const LONGEST_GOODBYE = 1000;

/** A cluster, its owner and its credentials. */
export interface ClusterLocation {
  dataDir: string;
  cluster: string;
  account: Account;
  passwords: Passwords;
  logFile: string;
}

/** A server and, if this process started it, how it ends. */
export type Running = Pick<Launched, "server"> & Partial<Pick<Launched, "end">>;

interface Wishes {
  log(line: string): void;
  onExit(reason: string): void;
  onRestart: ((sentence: string) => void) | undefined;
}

/** Joins a running server, and restarts it when it ends although none of our processes stopped it. */
export class Supervisor {
  readonly #place: ClusterLocation;
  readonly #wishes: Wishes;
  readonly #presence: Presence;
  readonly #watches: NodeJS.Timeout[];
  readonly #ends: number[] = [];
  #server: Postmaster;
  /** How a server started by this process ends; undefined for one that was already running. */
  #end: Promise<string> | undefined;
  #isLeaving = false;
  #isHelping = false;
  #reviving: Promise<void> = Promise.resolve();

  constructor(place: ClusterLocation, { server, end }: Running, wishes: Wishes) {
    this.#place = place;
    this.#server = server;
    this.#end = end;
    this.#wishes = wishes;
    this.#presence = new Presence(
      () => this.#connect("postgres"),
      async () => (await livePostmaster(place.cluster))?.pid === this.pid,
      () => (this.#reviving = this.#followEnd()),
    );
    this.#watches = [
      setInterval(() => void boundLog(place.logFile), LOG_WATCH).unref(),
      setInterval(() => void this.#helpToEnd(), END_WATCH).unref(),
    ];
  }

  get pid(): number {
    return this.#server.pid;
  }

  /** Joins, over an open connection or a new one, and completes a new cluster. */
  async join(given?: pg.Client): Promise<void> {
    const client = given ?? (await this.#connect("postgres"));
    try {
      if (!(await isProvisioned(client))) await provision(client, this.#place.passwords, (database) => this.#connect(database));
      await this.#presence.join(client);
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
  }

  /** Stops the server unless another process uses it, or with `force` even then; first waits for other processes' starts and stops. */
  async stop(force: boolean): Promise<void> {
    this.#letGo();
    await this.#reviving;
    await withLock(this.#place.dataDir, () => this.leave(force));
  }

  /** Like `stop`, for a caller that holds the lock of the data directory. */
  async leave(force: boolean): Promise<void> {
    this.#letGo();
    const isLast = await this.#presence.leave();
    if (!isLast && !force) return;
    await askToStop(this.#server, this.#place.cluster);
    await removeSocketDirectory(this.#server.socketDirectory, this.#place.cluster);
  }

  /** From now on, ignores the end of the server. */
  #letGo(): void {
    this.#isLeaving = true;
    this.#presence.expectEnd();
    for (const watch of this.#watches) clearInterval(watch);
  }

  /** Helps a server that was told to shut down: it waits for every connection to close, including ours, and accepts no new ones. */
  async #helpToEnd(): Promise<void> {
    if (!this.#wishes.onRestart || this.#isLeaving || this.#isHelping) return;
    const found = await livePostmaster(this.#place.cluster).catch(() => undefined);
    if (found?.pid !== this.pid || found.status !== "stopping" || this.#isLeaving) return;
    this.#isHelping = true;
    await askToStop(found, this.#place.cluster);
    this.#isHelping = false;
  }

  /** Restarts a server that has ended unexpectedly, or gives up. Never throws. */
  async #followEnd(): Promise<void> {
    for (;;) {
      const reason = `PostgreSQL (process ${this.pid}) has ended${await this.#circumstances()}`;
      this.#ends.push(Date.now());
      const { onRestart } = this.#wishes;
      if (!onRestart) return this.#giveUp(reason);
      if (!isStartedAgain(this.#ends))
        return this.#giveUp(`${reason}, for the third time within a minute: see ${this.#place.logFile}.`);
      try {
        if (await this.#startAgain()) onRestart(`${reason}; it was started again as process ${this.pid}.`);
        return;
      } catch (error) {
        // A server that cannot be started stays down; one that ran for a moment counts as ended once more.
        if (error instanceof StartRefused) return this.#giveUp(`${reason} and cannot be started again. ${error.message}`);
      }
    }
  }

  /** Returns false if the server is no longer wanted. */
  async #startAgain(): Promise<boolean> {
    const { dataDir, cluster, account, passwords } = this.#place;
    return withLock(dataDir, async () => {
      if (this.#isLeaving) return false;
      const { log } = this.#wishes;
      // Another process that uses it may have restarted it first.
      const adopted = await adopt(cluster, passwords, { log });
      const launchAgain = async () => {
        const { postgres } = await findBinaries(account, log);
        const { socketDirectory } = this.#server;
        return launch(postgres, account, { ...this.#place, socketDirectory }, { log });
      };
      const running: Running = adopted ?? (await launchAgain());
      [this.#server, this.#end] = [running.server, running.end];
      await this.join(adopted?.client);
      return true;
    });
  }

  #giveUp(reason: string): void {
    if (this.#isLeaving) return;
    this.#letGo();
    this.#wishes.onExit(reason);
  }

  /** How it has ended, if known. */
  async #circumstances(): Promise<string> {
    if (!this.#end) return "";
    const how = await Promise.race([this.#end, delay(LONGEST_GOODBYE, "without a word", { ref: false })]);
    return how.startsWith("SIG") || how.endsWith(" 0") ? ` (${how})` : ` (${how}: ${await lastWords(this.#place.logFile)})`;
  }

  #connect(database: string): Promise<pg.Client> {
    return connect(this.#server, this.#place.passwords, database);
  }
}

/** Connects to a server that already runs on the cluster; undefined if there is none. */
export async function adopt(
  cluster: string,
  passwords: Passwords,
  watcher: StartWatcher,
): Promise<{ server: Postmaster; client: pg.Client } | undefined> {
  for (let attempt = 1; ; attempt++) {
    const server = await settledPostmaster(cluster, watcher);
    if (!server) return undefined;
    try {
      return { server, client: await connect(server, passwords, "postgres") };
    } catch (error) {
      // It may just be ending; then the next attempt finds none.
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
  // 'end' reports a lost connection; without a listener, 'error' would end the process.
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

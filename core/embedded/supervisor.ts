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
  settledPostmaster,
  type Teller,
} from "./postmaster.ts";
import { Presence } from "./presence.ts";
import { StartRefused } from "./refused.ts";
import { isStartedAgain } from "./restarts.ts";

/** How often the size of the log is looked at, in milliseconds. */
const LOG_WATCH = 600_000;
/** How often the server is asked whether it was told to end, in milliseconds. */
const END_WATCH = 1000;
/** Longest time between the end of its connections and that of the server, in milliseconds. */
const LONGEST_GOODBYE = 1000;

/** A cluster, who owns it and how to get into it. */
export interface Place {
  dataDir: string;
  cluster: string;
  account: Account;
  passwords: Passwords;
  logFile: string;
}

/** A server, and how it ends where this process has started it. */
export type Running = Pick<Launched, "server"> & Partial<Pick<Launched, "end">>;

interface Wishes {
  log(line: string): void;
  onExit(reason: string): void;
  onRestart: ((sentence: string) => void) | undefined;
}

/** Takes part in a running server, and starts it again when it ends although no process of ours has stopped it. */
export class Supervisor {
  readonly #place: Place;
  readonly #wishes: Wishes;
  readonly #presence: Presence;
  readonly #watches: NodeJS.Timeout[];
  readonly #ends: number[] = [];
  #server: Postmaster;
  /** How a server of this process ends; undefined for one that was there before. */
  #end: Promise<string> | undefined;
  #isLeaving = false;
  #isHelping = false;
  #reviving: Promise<void> = Promise.resolve();

  constructor(place: Place, { server, end }: Running, wishes: Wishes) {
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

  /** Takes part, over a connection that is open already or a new one, and completes a cluster that is new. */
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

  /** Ends the server unless another process uses it, or with `force` also then; once no process starts or stops it at the moment. */
  async stop(force: boolean): Promise<void> {
    this.#letGo();
    await this.#reviving;
    await withLock(this.#place.dataDir, () => this.leave(force));
  }

  /** As `stop`, for a caller that holds the lock of the data directory. */
  async leave(force: boolean): Promise<void> {
    this.#letGo();
    const isLast = await this.#presence.leave();
    if (!isLast && !force) return;
    await askToStop(this.#server, this.#place.cluster);
    await removeSocketDirectory(this.#server.socketDirectory, this.#place.cluster);
  }

  /** From now on the end of the server is no news. */
  #letGo(): void {
    this.#isLeaving = true;
    this.#presence.expectEnd();
    for (const watch of this.#watches) clearInterval(watch);
  }

  /** A server that was told to end waits for every connection to go, ours included, and takes no new one meanwhile. */
  async #helpToEnd(): Promise<void> {
    if (!this.#wishes.onRestart || this.#isLeaving || this.#isHelping) return;
    const found = await livePostmaster(this.#place.cluster).catch(() => undefined);
    if (found?.pid !== this.pid || found.status !== "stopping" || this.#isLeaving) return;
    this.#isHelping = true;
    await askToStop(found, this.#place.cluster);
    this.#isHelping = false;
  }

  /** What is done about a server that has ended by itself. Never throws. */
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
        // One that cannot be started stays away; one that was there for a moment has ended once more.
        if (error instanceof StartRefused) return this.#giveUp(`${reason} and cannot be started again. ${error.message}`);
      }
    }
  }

  /** Gives false when it is not wanted any more. */
  async #startAgain(): Promise<boolean> {
    const { dataDir, cluster, account, passwords } = this.#place;
    return withLock(dataDir, async () => {
      if (this.#isLeaving) return false;
      const { log } = this.#wishes;
      // Another process that uses it may have been first.
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

  /** How it has ended, as far as that is known. */
  async #circumstances(): Promise<string> {
    if (!this.#end) return "";
    const how = await Promise.race([this.#end, delay(LONGEST_GOODBYE, "without a word", { ref: false })]);
    return how.startsWith("SIG") || how.endsWith(" 0") ? ` (${how})` : ` (${how}: ${await lastWords(this.#place.logFile)})`;
  }

  #connect(database: string): Promise<pg.Client> {
    return connect(this.#server, this.#place.passwords, database);
  }
}

/** Connects to the server that already runs on the cluster; undefined when there is none. */
export async function adopt(
  cluster: string,
  passwords: Passwords,
  teller: Teller,
): Promise<{ server: Postmaster; client: pg.Client } | undefined> {
  for (let attempt = 1; ; attempt++) {
    const server = await settledPostmaster(cluster, teller);
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

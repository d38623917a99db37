import { execFileSync } from "node:child_process";
import { rmSync, statfsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startEmbedded } from "../../../core/embedded/server.ts";
import groups from "../../../deploy/groups.json" with { type: "json" };
import { send } from "../../support/http.ts";
import { until } from "../../support/jobs.ts";
import { startNats } from "../../support/nodes/nats.ts";
import { type RunningProxy, startProxy } from "../../support/nodes/proxy.ts";
import { freePort } from "../../support/ports.ts";
import { launchService, type Spawned } from "../../support/process.ts";
import { CrashDatabase } from "../database.ts";
import { Wire } from "./wire.ts";

/** How far the clock of a node jumps, in milliseconds: less than the 30 seconds with which a node ends. */
export const CLOCK_JUMP = 20_000;
const CLOCK = ["--import", path.join(import.meta.dirname, "../../support/shifted-clock.mjs")];
/** The room of PostgreSQL and of the service's files, in MB. */
const ROOM = 1500;
/** A start on a busy machine. */
const LONGEST = 900_000;

export type Group = "gateways" | "workers";

/** A process of the service with its own ways to NATS and to PostgreSQL. */
export interface ChaosNode {
  name: string;
  group: Group;
  nats: Wire;
  database: Wire;
  /** From the proxy to it, of a gateway. */
  front: Wire | null;
  process: Spawned;
  /** Output of its earlier runs. */
  said: string;
}

/** The file system of the data is one of its own that can be full; false if this process may not mount one. */
function mountRoom(folder: string): boolean {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${ROOM}m,mode=755`, "tmpfs", folder], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** PostgreSQL, NATS, two gateways and two workers behind a proxy. A wire that can be cut is on each way between them. */
export class Installation {
  readonly database = new CrashDatabase();
  readonly nodes: ChaosNode[] = [];
  /** Whether the disk can be full. */
  hasRoom = false;
  #settings: Record<string, string> = {};
  #nats!: Spawned;
  #natsPort = 0;
  #proxy!: RunningProxy;
  /** In front of the proxy: what the clients call. */
  front!: Wire;

  /** @param settings of all nodes, in addition to those of every run */
  async open(settings: Record<string, string>): Promise<void> {
    const prepare = (folder: string) => {
      this.hasRoom = mountRoom(folder);
    };
    await this.database.open({ prepare });
    this.#natsPort = await freePort();
    this.#nats = await startNats(this.#natsPort);
    this.#settings = settings;
    const add = (group: Group) => this.#add(group);
    this.nodes.push(...(await Promise.all([add("gateways"), add("gateways"), add("workers"), add("workers")])));
    const fronts = this.nodes.flatMap(({ front }) => front ?? []);
    this.#proxy = await startProxy(
      fronts.map(({ port }) => ({ host: "127.0.0.1", port })),
      "127.0.0.1",
    );
    this.front = await new Wire(() => ({ host: "127.0.0.1", port: this.#proxy.port })).open(await freePort());
    await until(async () => (await send(this.front.port, "GET", "/health/ready").catch(() => null))?.status === 200, LONGEST);
  }

  async #add(group: Group): Promise<ChaosNode> {
    const name = `${group.slice(0, -1)}-${crypto.randomUUID().slice(0, 8)}`;
    const nats = await new Wire(() => ({ host: "127.0.0.1", port: this.#natsPort })).open();
    const database = await new Wire(() => {
      const { socketDirectory, port } = this.database.server;
      return { path: path.join(socketDirectory, `.s.PGSQL.${port}`) };
    }).open();
    const port = await freePort();
    const front = group === "gateways" ? await new Wire(() => ({ host: "127.0.0.1", port })).open() : null;
    const node = { name, group, nats, database, front, said: "" };
    return Object.assign(node, { process: await this.#launch(node, port) });
  }

  #launch({ name, group, nats, database }: Omit<ChaosNode, "process">, port: number): Promise<Spawned> {
    const url = new URL(this.database.server.url("application"));
    url.search = "";
    url.host = `127.0.0.1:${database.port}`;
    const environment = {
      SERVICE_NODE_ID: name,
      SERVICE_DATA_DIR: path.join(this.database.dataDir, "service"),
      SERVICE_DATABASE_URL: url.href,
      SERVICE_SECRET: "a secret for the crash run that nobody else has, 0123456789",
      SERVICE_HTTP_PORT: String(port),
      SERVICE_HTTP_ADDRESS: "127.0.0.1",
      SERVICE_PUBLIC_SCHEME: "http",
      SERVICE_BASE_DOMAIN: "kantoor.test",
      SERVICE_TRUSTED_PROXIES: "127.0.0.1",
      SERVICE_RATE_LIMIT_PER_KEY: "0",
      SERVICE_LOG_LEVEL: process.env["TEST_LOG"] ?? "error",
      SERVICE_JOBS_POLL_MS: "1000",
      SERVICE_REQUEST_TIMEOUT_MS: "30000",
      SERVICE_SHUTDOWN_DELAY_MS: "1500",
      SERVICE_OUTBOUND_ALLOWED_RANGES: "127.0.0.0/8",
      SHIFTED_CLOCK_MS: String(CLOCK_JUMP),
      TRANSPORTER: `nats://127.0.0.1:${nats.port}`,
      ...this.#settings,
    };
    return launchService(environment, ["--actors", ...groups[group].actors], { flags: CLOCK, within: LONGEST });
  }

  /** Ends a node by a signal, or at once, and starts it again on the same port. */
  async restart(node: ChaosNode, how: "stop" | "kill"): Promise<void> {
    const { port } = node.process;
    const status = await node.process[how]();
    node.said += node.process.output();
    if (how === "stop" && status !== 0) node.said += `${node.name} ended with ${status} on SIGTERM\n`;
    node.process = await this.#launch(node, port ?? 0);
  }

  /** `kill -9` of NATS, and a start on the same port. */
  async restartNats(away: number, back: () => void): Promise<void> {
    await this.#nats.kill();
    await delay(away);
    this.#nats = await startNats(this.#natsPort);
    back();
  }

  /** Leaves no room on the disk for a while; PostgreSQL is started again if that has ended it. */
  async fillDisk(ms: number): Promise<void> {
    const { dataDir, server } = this.database;
    const filler = path.join(dataDir, "filler");
    for (const until = Date.now() + ms; Date.now() < until; await delay(200)) {
      const { bavail, bsize } = statfsSync(dataDir);
      try {
        // What PostgreSQL sets free meanwhile is taken, too.
        writeFileSync(filler, Buffer.alloc(bavail * bsize), { flag: "a" });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
      }
    }
    rmSync(filler, { force: true });
    try {
      process.kill(server.pid, 0);
    } catch {
      this.database.server = await startEmbedded({ dataDir });
    }
  }

  of(group: Group): ChaosNode[] {
    return this.nodes.filter((node) => node.group === group);
  }

  get wires(): Wire[] {
    return this.nodes.flatMap(({ nats, database, front }) => [nats, database, ...(front ? [front] : [])]);
  }

  /** Stops the nodes in order. @returns a sentence for each that did not end in order */
  async stopNodes(): Promise<string[]> {
    const ends = await Promise.all(this.nodes.map(async ({ name, process }) => ({ name, status: await process.stop() })));
    return ends.flatMap(({ name, status }) => (status === 0 ? [] : [`${name} ended with ${status}`]));
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.nodes.map(({ process }) => process.stop()));
    await this.#proxy?.stop();
    await Promise.allSettled([this.front, ...this.wires].map((wire) => wire?.close()));
    await this.#nats?.stop();
    const { dataDir, server } = this.database;
    await server?.stop({ force: true });
    if (this.hasRoom) execFileSync("umount", ["-l", dataDir]);
    if (dataDir) rmSync(dataDir, { recursive: true, force: true });
  }
}

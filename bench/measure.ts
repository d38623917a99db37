import { type ChildProcess, fork } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import http from "node:http";
import path from "node:path";
import type { EmbeddedServer } from "../core/embedded/server.ts";
import type { Spawned } from "../test/support/process.ts";
import type { Burst, Outcome, Word } from "./load.ts";
import type { Scenario } from "./scenarios.ts";
import { asSuperuser, type Side, startFloor } from "./sides.ts";

/** Figures of one side in one round; CPU in microseconds per request. */
export interface Figures {
  rate: number;
  p50: number;
  p99: number;
  cpu: number;
  databaseCpu: number;
  loadCpu: number;
}

/** Linux counts processor time in hundredths of a second. */
const TICK = 0.01;

interface Usage {
  parent: number;
  seconds: number;
}

/** CPU of a process and its ended children; null if the process is gone. */
function usageOf(pid: number | string): Usage | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11, 15);
    return { parent: fields[1] ?? 0, seconds: (user + system + childUser + childSystem) * TICK };
  } catch {
    return null;
  }
}

function familyUsage(pid: number): number {
  const all = readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [{ name: Number(name), usage: usageOf(name) }] : []));
  return all.reduce((sum, { name, usage }) => (usage && (name === pid || usage.parent === pid) ? sum + usage.seconds : sum), 0);
}

/** The process that generates load. */
export class Load {
  readonly #child: ChildProcess = fork(path.join(import.meta.dirname, "load.ts"), { stdio: "inherit" });
  /** Numbers for `{n}`, never used twice. */
  #next = 100_000;

  /** Sends one burst to a side and returns the figures of its measured part. @throws Error if a response is not 2xx */
  async run(
    side: Side,
    database: EmbeddedServer,
    requests: string[],
    burst: Pick<Burst, "connections" | "warmUpSeconds" | "seconds">,
  ): Promise<Figures> {
    const usage = () => ({ node: usageOf(side.pid)?.seconds ?? Number.NaN, database: familyUsage(database.pid) });
    let [before, after] = [usage(), usage()];
    const outcome = await new Promise<Outcome>((resolve, reject) => {
      const listen = (word: Word) => {
        if ("phase" in word) {
          if (word.phase === "begin") before = usage();
          else after = usage();
          return;
        }
        this.#child.off("message", listen);
        if ("outcome" in word) resolve(word.outcome);
        else reject(new Error(`${side.name}: ${word.failure}`));
      };
      this.#child.on("message", listen);
      this.#child.once("exit", () => reject(new Error("the load has ended")));
      this.#child.send({ ...burst, port: side.port, requests, from: this.#next } satisfies Burst);
    });
    this.#child.removeAllListeners("exit");
    this.#next = outcome.next;
    if (outcome.refused > 0)
      throw new Error(
        `${side.name} refused ${outcome.refused} requests, the first with\n${outcome.firstRefusal}\n${side.output().slice(-2000)}`,
      );
    if (outcome.answered === 0) throw new Error(`${side.name} answered nothing in ${burst.seconds} s`);
    const each = (seconds: number) => (seconds / outcome.answered) * 1e6;
    return {
      rate: outcome.answered / outcome.seconds,
      p50: outcome.p50,
      p99: outcome.p99,
      cpu: each(after.node - before.node),
      databaseCpu: each(after.database - before.database),
      loadCpu: each(outcome.loadCpu),
    };
  }

  /** Sends one request of a scenario on its own. Returns its status and its text. */
  once(side: Side, request: string): Promise<{ status: number; text: string }> {
    const [head = "", body = ""] = request.replaceAll("{n}", String(this.#next++)).split("\r\n\r\n");
    const [line = "", ...headers] = head.split("\r\n");
    const [method, target] = line.split(" ");
    return new Promise((resolve, reject) => {
      const options = {
        port: side.port,
        host: "127.0.0.1",
        method,
        path: target,
        agent: false,
        headers: Object.fromEntries(headers.map((header) => header.split(": ") as [string, string])),
      };
      const sent = http.request(options, (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        response.once("end", () => resolve({ status: response.statusCode as number, text: Buffer.concat(parts).toString() }));
      });
      sent.once("error", reject).end(body);
    });
  }

  stop(): void {
    this.#child.kill();
  }
}

interface Comparison {
  server: EmbeddedServer;
  service: Spawned;
  load: Load;
  /** Headers of the request to the service. */
  headers: Readonly<Record<string, string>>;
  /** A list of 50 rows, relative to `/api/v1`. */
  list: string;
  callers: number;
  /** Alternating bursts per side, and the seconds of each. */
  bursts: number;
  seconds: number;
}

const middleOf = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] as number;

/** Compares a list of the service with the floor's list of 50 companies: the ratio of their rates, and a line with the cost of each. */
export async function listAgainstFloor(comparison: Comparison): Promise<{ ratio: number; told: string }> {
  const { server, service, load, headers, list, callers, bursts, seconds } = comparison;
  const floor = await startFloor(server);
  try {
    const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const about = { name: "service", pid: service.pid, port: service.port as number, ids: [], output: service.output };
    const subject = { ...about, request: () => "", stop: async () => {} };
    const asked = `GET /api/v1${list} HTTP/1.1\r\n${head.join("")}\r\n`;
    const byHand = floor.request("large", "GET", "?limit=50&count=false");
    const burst = { connections: callers, warmUpSeconds: 1, seconds };
    const found: Record<"service" | "floor", Figures[]> = { service: [], floor: [] };
    for (let turn = 0; turn < bursts; turn++) {
      found.floor.push(await load.run(floor, server, [byHand], burst));
      found.service.push(await load.run(subject, server, [asked], burst));
    }
    const middle = (side: keyof typeof found, figure: keyof Figures) => middleOf(found[side].map((one) => one[figure]));
    const cost = (side: keyof typeof found) =>
      `${middle(side, "rate").toFixed(0)} a second, ${middle(side, "cpu").toFixed(0)} µs of Node and ${middle(side, "databaseCpu").toFixed(0)} of PostgreSQL each`;
    return {
      ratio: middle("service", "rate") / middle("floor", "rate"),
      told: `${cost("service")}; the floor's list of companies: ${cost("floor")}`,
    };
  } finally {
    await floor.stop();
  }
}

/** Counts the statements PostgreSQL runs for a request, including transaction brackets, in PostgreSQL's own log. */
export class StatementCount {
  readonly #database: EmbeddedServer;
  readonly #log: string;
  readonly #load: Load;

  constructor(database: EmbeddedServer, dataDir: string, load: Load) {
    this.#database = database;
    this.#log = path.join(dataDir, "postgres.log");
    this.#load = load;
  }

  async of(side: Side, scenario: Scenario): Promise<number> {
    const [request = ""] = scenario.requests(side);
    await this.#logging("all");
    try {
      const from = statSync(this.#log).size;
      await this.#load.once(side, request);
      await pause(200);
      return (
        readFileSync(this.#log)
          .subarray(from)
          .toString()
          .match(/LOG: {2}(statement:|execute) /g)?.length ?? 0
      );
    } finally {
      await this.#logging("none");
    }
  }

  async #logging(what: "all" | "none"): Promise<void> {
    await asSuperuser(this.#database, `alter system set log_statement = '${what}'`, "select pg_reload_conf()");
    await pause(300);
  }
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

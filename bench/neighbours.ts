import { mkdtemp, rm } from "node:fs/promises";
import http from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { isMainThread, Worker, workerData } from "node:worker_threads";
import pg from "pg";
import { systemRoles } from "../core/declare/permissions.ts";
import { startEmbedded } from "../core/embedded/server.ts";
import { createKey, createMember, createOrganisation } from "../operator/organisations.ts";
import { companyRows } from "../operator/seed/company-rows.ts";
import { send } from "../test/support/http.ts";
import { launchService } from "../test/support/process.ts";
import { type Caller, FLOODS, type Flood, flood, type Kind } from "./neighbours-flood.ts";
import { measuredService } from "./sides.ts";

/**
 * Measures what one organisation costs another: reads and writes of a neighbour while an organisation floods the service in one way after
 * another, compared with the same just before.
 */

/** The most by which a neighbour's p99 may grow. */
const BAR = 2;
const READERS = 4;
const ROWS = 20_000;

/** Durations in milliseconds. */
interface Times {
  reads: number[];
  writes: number[];
  failed: number;
}

/** Reads and writes as a neighbour for a while, on a few connections with pauses. */
async function neighbour(port: number, { host, key }: Caller, seconds: number): Promise<Times> {
  const times: Times = { reads: [], writes: [], failed: 0 };
  const until = performance.now() + seconds * 1000;
  const one = async (of: number[], method: string, target: string, body?: object) => {
    const began = performance.now();
    const { status } = await send(port, method, target, { host, key, body });
    if (status >= 300) times.failed += 1;
    of.push(performance.now() - began);
    await delay(10);
  };
  const reader = async () => {
    for (let n = 0; performance.now() < until; n += 1)
      if (n % 4 === 3) await one(times.writes, "POST", "/companies", { name: "A neighbour's client" });
      else await one(times.reads, "GET", "/companies?limit=50");
  };
  await Promise.all(Array.from({ length: READERS }, reader));
  return times;
}

const quantile = (values: number[], at: number): number => {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))] ?? 0;
};
const shown = (values: number[]): string =>
  `p50 ${quantile(values, 0.5).toFixed(0)}, p99 ${quantile(values, 0.99).toFixed(0)} ms`;

/** Creates an organisation with clients, and a key of its owner. */
async function fill(owner: pg.Client, slug: string, clients: number): Promise<Caller> {
  const { id } = await createOrganisation(owner, { slug, name: slug });
  const { accountId } = await createMember(owner, id, { email: `owner@${slug}.test`, role: "owner" });
  const scopes = systemRoles().find(({ key }) => key === "admin")?.grants ?? [];
  const { value } = await createKey(owner, id, "kt", { name: "bench", scopes: [...scopes], accountId });
  await owner.query(
    `insert into companies (id, organisation_id, name, created_at) select uuidv7(), $1, c.name, c.created_at from (${companyRows(String(clients))}) c`,
    [id],
  );
  return { host: `${slug}.bench.test`, key: value };
}

/** Floods in one way while `work` runs. Returns its result, and the answers of the flood by status. */
async function during<T>(given: Flood, work: () => Promise<T>): Promise<[T, Record<number, number>]> {
  const worker = new Worker(new URL(import.meta.url), { workerData: given, execArgv: ["--disable-warning=ExperimentalWarning"] });
  // The worker's own start is not measured.
  await delay(1500);
  const made = await work();
  worker.postMessage("over");
  const statuses = await new Promise<Record<number, number>>((resolve, reject) => {
    worker.once("message", resolve).once("error", reject);
  });
  return [made, statuses];
}

async function bench(): Promise<void> {
  const { values: options } = parseArgs({
    options: {
      only: { type: "string", default: Object.keys(FLOODS).join(",") },
      seconds: { type: "string", default: "8" },
      rounds: { type: "string", default: "3" },
    },
  });
  const [seconds, rounds] = [Number(options.seconds), Number(options.rounds)];
  const dataDir = await mkdtemp(path.join(tmpdir(), "kantoor-bench-"));
  const receiver = http.createServer((request, response) => {
    request.resume();
    setTimeout(() => response.end(), 10_000).unref();
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  const database = await startEmbedded({ dataDir });
  const settings = { SERVICE_DATA_DIR: dataDir, SERVICE_OUTBOUND_ALLOWED_RANGES: "127.0.0.0/8" };
  const service = await launchService({ ...measuredService(database.url("application"), database.url("owner")), ...settings });
  const port = service.port as number;
  const owner = new pg.Client({ connectionString: database.url("owner") });
  await owner.connect();
  const say = (line: string) => process.stdout.write(`${line}\n`);
  const made = async (caller: Caller, target: string, body: object) => {
    const { status, text, body: answer } = await send(port, "POST", target, { ...caller, body });
    if (status >= 300) throw new Error(`${target}: ${status} ${text}`);
    return answer;
  };
  try {
    const [busy, quiet] = [await fill(owner, "busy", ROWS), await fill(owner, "quiet", 1000)];
    const company = await made(busy, "/companies", { name: "Zeilmakerij Wind", country: "NL" });
    const lines = [{ description: "Sails", quantity: "1", unit_price: "100.00" }];
    const { id: invoice } = await made(busy, "/invoicing/invoices", { company_id: company.id, lines });
    const { port: received } = receiver.address() as { port: number };
    for (const name of ["one", "two"])
      await made(busy, "/webhooks/endpoints", { name, url: `http://127.0.0.1:${received}/${name}`, events: ["company.created"] });
    const measure = () => neighbour(port, quiet, seconds);
    // Code that has not run yet is slow.
    await neighbour(port, quiet, 3);
    for (const kind of options.only.split(",") as Kind[]) {
      const ratios: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const before = await measure();
        const [beside, statuses] = await during({ port, kind, ...busy, invoice }, measure);
        ratios.push(quantile(beside.reads, 0.99) / quantile(before.reads, 0.99));
        say(`${kind}, quiet: reads ${shown(before.reads)}, writes ${shown(before.writes)}`);
        say(
          `${kind}, ${JSON.stringify(statuses)}: reads ${shown(beside.reads)}, writes ${shown(beside.writes)}, ${beside.failed} failed`,
        );
      }
      const ratio = quantile(ratios, 0.5);
      say(
        `${kind} (${FLOODS[kind]}): p99 of a neighbour's reads ${ratio.toFixed(2)} × (bar ${BAR})${ratio > BAR ? "; MISSED" : ""}`,
      );
      if (ratio > BAR) process.exitCode = 1;
    }
  } finally {
    await owner.end();
    await service.stop();
    await database.stop({ force: true });
    receiver.closeAllConnections();
    receiver.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

if (isMainThread) await bench();
else await flood(workerData as Flood);

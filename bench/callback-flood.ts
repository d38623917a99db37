import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import http from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import pg from "pg";
import { systemRoles } from "../core/declare/permissions.ts";
import { startEmbedded } from "../core/embedded/server.ts";
import { createKey, createMember, createOrganisation } from "../operator/organisations.ts";
import { send } from "../test/support/http.ts";
import { launchService } from "../test/support/process.ts";
import { companyRows } from "./companies.ts";
import { measuredService } from "./sides.ts";

/**
 * Measures whether callbacks to wrong addresses slow down readers: the p99 of reads during a flood, against the same reads just before it,
 * in several rounds.
 */
const HOST = "agency.bench.test";
/** Interval between checks of how many should have been sent, in milliseconds. */
const BEAT = 2;

const READERS = 4;

/** Durations of reads, in milliseconds. */
interface Reads {
  p50: number;
  p99: number;
  count: number;
  /** Reads without a 200. */
  failed: number;
}

const quantile = (sorted: number[], at: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))] as number;

/** The median of some figures. */
const median = (values: number[]) =>
  quantile(
    values.toSorted((one, other) => one - other),
    0.5,
  );

/** Formats reads as a line of a report. */
const shown = ({ p50, p99, count, failed }: Reads): string =>
  `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms over ${count} reads, ${failed} failed`;

/** Reads a list for a while on a few connections, with pauses. */
async function readsOf(asked: { port: number; host: string; key: string; seconds: number }): Promise<Reads> {
  const { port, host, key, seconds } = asked;
  const times: number[] = [];
  let failed = 0;
  const until = performance.now() + seconds * 1000;
  const reader = async () => {
    while (performance.now() < until) {
      const began = performance.now();
      const { status } = await send(port, "GET", "/companies?limit=50", { host, key });
      if (status !== 200) failed += 1;
      times.push(performance.now() - began);
      await delay(10);
    }
  };
  await Promise.all(Array.from({ length: READERS }, reader));
  times.sort((one, other) => one - other);
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99), count: times.length, failed };
}

interface Flood {
  port: number;
  perSecond: number;
  paths: string[];
}

/** Sends callbacks at an even rate until stopped, from its own thread. */
async function flood({ port, perSecond, paths }: Flood): Promise<void> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
  const statuses: Record<number, number> = {};
  let [isOver, sent, began] = [false, 0, performance.now()];
  parentPort?.once("message", () => (isOver = true));
  const callback = () => {
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    const request = http.request({ port, host: "127.0.0.1", method: "POST", path: paths[sent++ % paths.length], headers, agent });
    request.on("response", (response) => {
      statuses[response.statusCode ?? 0] = (statuses[response.statusCode ?? 0] ?? 0) + 1;
      response.resume();
    });
    request.on("error", () => (statuses[0] = (statuses[0] ?? 0) + 1));
    request.end("id=tr_unknown");
  };
  for (began = performance.now(); !isOver; await delay(BEAT))
    while (sent < ((performance.now() - began) / 1000) * perSecond) callback();
  const seconds = (performance.now() - began) / 1000;
  await delay(500);
  agent.destroy();
  parentPort?.postMessage({ perSecond: Math.round(sent / seconds), statuses });
}

/** Creates an agency with companies to read and an account that receives callbacks. Returns a member's key and the callback's path. */
async function fill(url: string, port: number): Promise<{ key: string; callback: string }> {
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  const { id } = await createOrganisation(owner, { slug: "agency", name: "An agency" });
  const { accountId } = await createMember(owner, id, { email: "owner@agency.test", fullName: "Owner", role: "owner" });
  const scopes = systemRoles().find(({ key }) => key === "admin")?.grants ?? [];
  const { value: key } = await createKey(owner, id, "kt", { name: "bench", scopes, accountId });
  await owner.query(
    `insert into companies (id, organisation_id, name, created_at) select uuidv7(), $1, c.name, c.created_at from (${companyRows("1000")}) c`,
    [id],
  );
  await owner.end();
  const account = { provider: "mollie", label: "Live", api_key: `live_${randomBytes(12).toString("hex")}` };
  const { status, text, body } = await send(port, "POST", "/invoicing/payment-accounts", { host: HOST, key, body: account });
  if (status !== 201) throw new Error(`no account: ${status} ${text}`);
  return { key, callback: new URL(body.webhook_url).pathname };
}

/** Invalid addresses, equally many of each kind: no token, another organisation's, another account's, a wrong secret. */
function wrongPaths(callback: string): string[] {
  const place = callback.slice(0, callback.lastIndexOf("/") + 1);
  const [organisation, account, secret] = callback.slice(place.length).split(".");
  return Array.from({ length: 50 }, () => [
    `${place}${randomBytes(24).toString("base64url")}`,
    `${place}${randomUUID()}.${account}.${secret}`,
    `${place}${organisation}.${randomUUID()}.${secret}`,
    `${place}${organisation}.${account}.${randomBytes(24).toString("base64url")}`,
  ]).flat();
}

interface Flooded {
  perSecond: number;
  statuses: Record<number, number>;
}

/** Runs work while wrong callbacks arrive. Returns its result, and the number of callbacks by status. */
async function during<T>(port: number, perSecond: number, callback: string, work: () => Promise<T>): Promise<[T, Flooded]> {
  const worker = new Worker(new URL(import.meta.url), {
    workerData: { port, perSecond, paths: wrongPaths(callback) } satisfies Flood,
    execArgv: ["--disable-warning=ExperimentalWarning"],
  });
  // Excludes the worker's own start.
  await delay(700);
  const made = await work();
  worker.postMessage("over");
  const flooded = await new Promise<Flooded>((resolve, reject) => {
    worker.once("message", resolve).once("error", reject);
  });
  return [made, flooded];
}

async function bench(): Promise<void> {
  const { values: options } = parseArgs({
    options: {
      rate: { type: "string", default: "500" },
      seconds: { type: "string", default: "6" },
      rounds: { type: "string", default: "5" },
    },
  });
  const [rate, seconds, rounds] = [Number(options.rate), Number(options.seconds), Number(options.rounds)];
  const dataDir = await mkdtemp(path.join(tmpdir(), "kantoor-bench-"));
  const database = await startEmbedded({ dataDir });
  const service = await launchService(measuredService(database.url("application"), database.url("owner")));
  const port = service.port as number;
  const reads = (at: number, key: string, many: number) => readsOf({ port: at, host: HOST, key, seconds: many });
  const say = (line: string) => process.stdout.write(`${line}\n`);
  try {
    const { key, callback } = await fill(database.url("owner"), port);
    // An unmeasured run first: cold code is slow.
    await during(port, rate, callback, () => reads(port, key, 3));
    const ratios: number[] = [];
    for (let round = 1; round <= rounds; round++) {
      const quiet = await reads(port, key, seconds);
      const [flooded, { perSecond, statuses }] = await during(port, rate, callback, () => reads(port, key, seconds));
      ratios.push(flooded.p99 / quiet.p99);
      say(`quiet: ${shown(quiet)}`);
      say(`${perSecond} wrong callbacks a second, answered ${JSON.stringify(statuses)}: ${shown(flooded)}`);
    }
    say(
      `the p99 is ${median(ratios).toFixed(2)} times that of the quiet, the median of ${ratios.map((one) => one.toFixed(2)).join(", ")}`,
    );
  } finally {
    await service.stop();
    await database.stop({ force: true });
    await rm(dataDir, { recursive: true, force: true });
  }
}

if (!isMainThread) await flood(workerData as Flood);
else await bench();

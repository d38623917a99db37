import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import { readConfig } from "../core/config/config.ts";
import { systemRoles } from "../core/declare/permissions.ts";
import { type EmbeddedServer, startEmbedded } from "../core/embedded/server.ts";
import { migrate, roleOf } from "../migrations/run.ts";
import { service } from "../mixins/resource.ts";
import { createNode } from "../operator/node.ts";
import { createKey, createMember, createOrganisation } from "../operator/organisations.ts";
import { launch, type Spawned } from "../test/support/process.ts";
import { measuredService } from "./environment.ts";
import { Load } from "./measure.ts";
import { asSuperuser, type Side } from "./sides.ts";

const HELP = `node bench/events.ts [options]: companies created over HTTP with and without a subscriber on company.created
  --writers 32    connections that create one company after another
  --seconds 10    measured time of each burst, after one of warming up
  --rounds 3      bursts of each side, alternating
  --profile <dir> CPU profiles of both nodes are written there`;
const { values: options } = parseArgs({
  options: {
    writers: { type: "string", default: "32" },
    seconds: { type: "string", default: "10" },
    rounds: { type: "string", default: "3" },
    profile: { type: "string" },
    serve: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
if (options.help) {
  process.stdout.write(`${HELP}\n`);
  process.exit(0);
}

const WARM_UP = 1;
const COLD = 4;
const SIDES = ["without", "with"] as const;
type Name = (typeof SIDES)[number];
/** Longest wait for the backlog, in seconds. */
const PATIENCE = 60;
const PENDING =
  "select count(*)::int as pending, (select count(*)::int from companies) as companies from outbox where event = 'company.created'";

const say = (line: string) => process.stdout.write(`${line}\n`);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const listener = service("bench.listener", { actions: {}, subscribe: { "company.created": async () => {} } });

/** Runs one side's service in this process. */
async function serve(name: Name): Promise<void> {
  const node = await createNode(readConfig(), [], name === "with" ? [listener] : []);
  await node.start();
  process.on("SIGTERM", () => void node.stop().then(() => process.exit(0)));
  say(`Kantoor is ready on http://localhost:${node.port()}`);
}

interface Running extends Side {
  sql: pg.Client;
}

/** Starts one side on its own database in the server. */
async function start(server: EmbeddedServer, name: Name): Promise<Running> {
  const database = `events_${name}`;
  await asSuperuser(server, `create database ${database} template kantoor owner kantoor_owner`);
  const sql = new pg.Client({ connectionString: server.url("superuser", database) });
  await sql.connect();
  const organisation = await createOrganisation(sql, { slug: "bench", name: "Bench" });
  const { accountId } = await createMember(sql, organisation.id, { email: "owner@bench.test", fullName: "Owner", role: "owner" });
  const scopes = systemRoles().find(({ key }) => key === "admin")?.grants ?? [];
  const key = await createKey(sql, organisation.id, "kt", { name: "bench", scopes, accountId });
  const environment = { ...measuredService(server.url("application", database)), SERVICE_RATE_LIMIT_PER_KEY: "100000000" };
  const profile = options.profile
    ? ["--cpu-prof", `--cpu-prof-dir=${options.profile}`, `--cpu-prof-name=${name}.cpuprofile`]
    : [];
  const node: Spawned = await launch(
    [process.execPath, "--disable-warning=ExperimentalWarning", ...profile, import.meta.filename, "--serve", name],
    { environment },
  );
  return {
    name,
    sql,
    pid: node.pid,
    port: node.port as number,
    ids: [],
    output: node.output,
    request(_size, method, target, body) {
      const text = JSON.stringify(body);
      const length = Buffer.byteLength(text.replaceAll("{n}", "123456"));
      return `${method} /api/v1/companies${target} HTTP/1.1\r\nHost: bench.bench.test\r\nX-API-Key: ${key.value}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${text}`;
    },
    async stop() {
      await node.stop();
      await sql.end();
    },
  };
}

interface Round {
  writes: number;
  ended: number;
  waiting: number;
  /** CPU of one create and the jobs it triggers, in microseconds. */
  node: number;
  database: number;
  /** Seconds from the last write until no event is pending. */
  gone: number;
}

async function burst(load: Load, server: EmbeddedServer, side: Running, seconds: number): Promise<Round> {
  const state = async () =>
    (await side.sql.query<{ pending: number; companies: number }>(PENDING)).rows[0] as { pending: number; companies: number };
  const requests = [
    side.request("small", "POST", "", { name: "Visser Techniek {n}", client_number: "N{n}", city: "Utrecht", country: "NL" }),
  ];
  const before = await state();
  const began = performance.now();
  const { rate, cpu, databaseCpu } = await load.run(side, server, requests, {
    connections: Number(options.writers),
    warmUpSeconds: WARM_UP,
    seconds,
  });
  const ended = performance.now();
  const after = await state();
  let { pending } = after;
  while (pending > 0 && performance.now() - ended < PATIENCE * 1000) {
    await pause(100);
    ({ pending } = await state());
  }
  return {
    writes: rate,
    ended: ((after.companies - before.companies - (after.pending - before.pending)) / (ended - began)) * 1000,
    waiting: after.pending,
    node: cpu,
    database: databaseCpu,
    gone: pending > 0 ? Number.POSITIVE_INFINITY : (performance.now() - ended) / 1000,
  };
}

async function compare(): Promise<void> {
  const dataDir = await mkdtemp(path.join(tmpdir(), "kantoor-bench-events-"));
  const server = await startEmbedded({ dataDir, log: () => {} });
  const load = new Load();
  const running: Running[] = [];
  try {
    await migrate(server.url("owner"), roleOf(server.url("application")));
    for (const name of SIDES) running.push(await start(server, name));
    // Warm up both sides first, so that neither is measured with cold code.
    for (const side of running) await burst(load, server, side, COLD);
    const rounds: Record<Name, Round[]> = { without: [], with: [] };
    for (let round = 0; round < Number(options.rounds); round++) {
      // The side that goes first meets a colder machine, so they take turns.
      for (const side of round % 2 ? running.toReversed() : running) {
        const figures = await burst(load, server, side, Number(options.seconds));
        rounds[side.name as Name].push(figures);
        const { writes, ended, waiting, gone, node, database } = figures;
        const events =
          side.name === "with" ? `, ${ended.toFixed(0)} jobs/s ended, ${waiting} waited, gone after ${gone.toFixed(1)} s` : "";
        say(
          `${side.name.padEnd(8)} a subscriber: ${writes.toFixed(0)} creates/s, Node ${node.toFixed(0)} µs and PostgreSQL ${database.toFixed(0)} µs each${events}`,
        );
      }
    }
    // Over all rounds, because other work of the machine may affect a single one.
    const of = (name: Name, what: keyof Round) => rounds[name].reduce((sum, each) => sum + each[what], 0) / rounds[name].length;
    const [plain, loaded] = [of("without", "writes"), of("with", "writes")];
    say(`creates/s ${loaded.toFixed(0)} with, ${plain.toFixed(0)} without: ${(loaded / plain).toFixed(2)} × (at least 0.85)`);
    say(`jobs/s ended under load: ${of("with", "ended").toFixed(0)} (at least 200)`);
    say(`backlog gone after ${Math.max(...rounds.with.map(({ gone }) => gone)).toFixed(1)} s (at most 20)`);
  } finally {
    load.stop();
    for (const side of running) await side.stop();
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

if (options.serve) await serve(options.serve as Name);
else {
  await compare();
  process.exit(0);
}

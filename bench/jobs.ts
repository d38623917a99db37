import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { PostgresBackend } from "@agendajs/postgres-backend";
import { Agenda } from "agenda";
import pg from "pg";
import { readConfig } from "../core/config/config.ts";
import type { Organisation } from "../core/declare/principal.ts";
import { type EmbeddedServer, startEmbedded } from "../core/embedded/server.ts";
import { job, schedule } from "../core/jobs/jobs.ts";
import { systemRequest } from "../core/request/system.ts";
import { migrate, roleOf } from "../migrations/run.ts";
import { jobsOf } from "../mixins/jobs.ts";
import { service } from "../mixins/resource.ts";
import { inTenancy } from "../mixins/tenancy.ts";
import { createNode, type ServiceNode } from "../operator/node.ts";
import { createOrganisation } from "../operator/organisations.ts";

const HELP = `npm run bench -- jobs [options]: throughput against bare Agenda, latency at a steady rate, idle cost of 60 jobs
  --jobs 2000     jobs of the throughput burst
  --rounds 3      bursts of each side, alternating
  --rate 50       jobs a second while latency is measured
  --seconds 6     of the steady rate`;
const { values: options } = parseArgs({
  options: {
    jobs: { type: "string", default: "2000" },
    rounds: { type: "string", default: "3" },
    rate: { type: "string", default: "50" },
    seconds: { type: "string", default: "6" },
    help: { type: "boolean", default: false },
  },
});
if (options.help) {
  process.stdout.write(`${HELP}\n`);
  process.exit(0);
}
const [burst, rounds, rate, seconds] = [options.jobs, options.rounds, options.rate, options.seconds].map(Number) as [
  number,
  number,
  number,
  number,
];
const IN_FLIGHT = 20;
/** Idling is measured in windows of one polling cycle; the smallest is the jobs' cost, the rest is noise of the machine. */
const [WINDOWS, WINDOW] = [3, 10_000];
const say = (line: string) => process.stdout.write(`${line}\n`);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const median = (values: number[]) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] as number;
const at = (values: number[], share: number) =>
  values.toSorted((one, other) => one - other)[Math.min(values.length - 1, Math.floor(values.length * share))] as number;

/** Runs `work` this many times, some concurrently. */
async function times(count: number, work: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      while (next < count) await work(next++);
    }),
  );
}

let onRun: () => void = () => {};
const started = new Map<string, number>();

/** Jobs per second from the first enqueue to the last run. */
async function perSecond(enqueue: (n: number) => Promise<unknown>): Promise<number> {
  let ran = 0;
  const all = new Promise<void>((resolve) => {
    onRun = () => ++ran === burst && resolve();
  });
  const began = performance.now();
  await times(burst, enqueue);
  await all;
  return (burst / (performance.now() - began)) * 1000;
}

const bench = service("bench", {
  actions: {},
  jobs: {
    "bench.one": job<{ n: number }>({
      about: "Does nothing",
      concurrency: 5,
      async handler(run) {
        started.set(run.id, performance.now());
        onRun();
      },
    }),
    ...Object.fromEntries(
      Array.from({ length: 59 }, (_, n) => [
        `bench.idle-${n}`,
        { about: "Never due", schedule: "0 0 1 1 *", async handler() {} },
      ]),
    ),
  },
});

async function startBare(server: EmbeddedServer): Promise<{ agenda: Agenda; stop(): Promise<void> }> {
  const owner = new pg.Client({ connectionString: server.url("owner") });
  await owner.connect();
  await owner.query(`create schema bare; grant all on schema bare to ${roleOf(server.url("application"))}`);
  await owner.end();
  // The service reads instants as text, which Agenda does not support.
  const types = {
    getTypeParser: (oid: number) => (oid === 1184 ? (text: string) => new Date(text) : pg.types.getTypeParser(oid)),
  } as unknown as pg.CustomTypesConfig;
  const pool = new pg.Pool({ connectionString: server.url("application"), max: 10, options: "-c search_path=bare", types });
  const agenda = new Agenda({ backend: new PostgresBackend({ pool }), defaultConcurrency: 5, removeOnComplete: true });
  agenda.define("bench.one", async () => onRun());
  await agenda.start();
  return {
    agenda,
    async stop() {
      await agenda.stop();
      await pool.end();
    },
  };
}

const cpuOf = async (pid: number): Promise<number> => {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * 10;
};

/** CPU of this process and of its backends, in ms, without PostgreSQL's own housekeeping. */
async function cpu(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>("select pid from pg_stat_activity where application_name like 'kantoor%'");
  const server = await Promise.all(rows.map(({ pid }) => cpuOf(pid)));
  const own = process.cpuUsage();
  return (own.user + own.system) / 1000 + server.reduce((sum, each) => sum + each, 0);
}

async function measure(node: ServiceNode, server: EmbeddedServer, organisation: Organisation): Promise<void> {
  const ask = (n: number) =>
    inTenancy(
      () => systemRequest("bench", organisation, "write"),
      async () => schedule("bench.one", { n }),
    );
  await jobsOf(node.broker).ready();
  await pause(500);

  const watcher = new pg.Client({ connectionString: server.url("superuser") });
  await watcher.connect();
  const idle: number[] = [];
  for (let window = 0; window < WINDOWS; window++) {
    const before = await cpu(watcher);
    await pause(WINDOW);
    idle.push(((await cpu(watcher)) - before) / (WINDOW / 100));
  }
  say(`idle with 60 registered jobs: ${Math.min(...idle).toFixed(2)} % of a core, PostgreSQL included (at most 1)`);

  const asked = new Map<string, number>();
  for (let n = 0; n < rate * seconds; n++) {
    const moment = performance.now();
    void ask(n).then((id) => asked.set(id, moment));
    await pause(1000 / rate);
  }
  await pause(300);
  const waits = [...asked].map(([id, moment]) => (started.get(id) ?? Number.POSITIVE_INFINITY) - moment);
  say(
    `enqueue to start at ${rate} jobs/s: p50 ${at(waits, 0.5).toFixed(1)} ms (at most 20), p99 ${at(waits, 0.99).toFixed(1)} ms (at most 100)`,
  );

  const bare = await startBare(server);
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    theirs.push(await perSecond(() => bare.agenda.now("bench.one", { n: 1 })));
    ours.push(await perSecond(ask));
  }
  await bare.stop();
  await watcher.end();
  const [mine, its] = [median(ours), median(theirs)];
  say(
    `throughput: ${Math.round(mine)} jobs/s, bare Agenda ${Math.round(its)} jobs/s: ${(mine / its).toFixed(2)} × (at least 0.80)`,
  );
}

const dataDir = await mkdtemp(path.join(tmpdir(), "kantoor-bench-jobs-"));
const server = await startEmbedded({ dataDir, log: () => {} });
try {
  await migrate(server.url("owner"), roleOf(server.url("application")));
  const owner = new pg.Client({ connectionString: server.url("owner") });
  await owner.connect();
  const organisation = await createOrganisation(owner, { slug: "bench", name: "Bench" });
  await owner.end();
  const config = readConfig({
    SERVICE_DATABASE_URL: server.url("application"),
    SERVICE_SECRET: "a secret for benchmarks that nobody else has, 0123456789",
    SERVICE_LOG_LEVEL: "error",
  });
  const node = await createNode(config, ["none"], [bench]);
  await node.start();
  await measure(node, server, organisation);
  await node.stop();
} finally {
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
}
process.exit(0);

import { mkdtemp, rm } from "node:fs/promises";
import http from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { isDeepStrictEqual, parseArgs } from "node:util";
import pg from "pg";
import { systemRoles } from "../core/declare/permissions.ts";
import { startEmbedded } from "../core/embedded/server.ts";
import { migrate, roleOf } from "../migrations/run.ts";
import { createKey, createMember, createOrganisation } from "../operator/organisations.ts";
import { filledAtOnce } from "../test/support/fixture/fixture-filled.ts";
import { launch, launchService } from "../test/support/process.ts";
import { measuredService } from "./environment.ts";
import { Load } from "./measure.ts";
import { AMOUNTS, FILL } from "./work-fill.ts";

const HELP = `npm run bench -- work [options]: projects, tasks and hours over HTTP against routes written by hand on the same tables
  ${AMOUNTS.people} people, ${AMOUNTS.projects} projects, ${AMOUNTS.tasks} tasks, ${AMOUNTS.entries} entries in one organisation
  --rounds 40     reads of each side, alternating
  --seconds 4     each of three bursts of writes of each side, alternating`;
const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "40" },
    seconds: { type: "string", default: "4" },
    help: { type: "boolean", default: false },
  },
});
if (options.help) {
  process.stdout.write(`${HELP}\n`);
  process.exit(0);
}
const [rounds, seconds] = [Number(options.rounds), Number(options.seconds)];
/** Maximum duration of a read, and minimum rate of writes, as a multiple of the floor. */
const BARS = { read: 1.5, write: 0.6 };
const BURSTS = 3;

const today = new Date().toISOString().slice(0, 10);
const year = Number(today.slice(0, 4));
const READS = [
  "/tasks",
  "/tasks/mine",
  `/time/timesheet?week_start=${year - 1}-06-15`,
  `/time/report?date_from=${year - 1}-04-01&date_to=${year - 1}-06-30`,
  `/time/report?date_from=${year - 1}-01-01&date_to=${year - 1}-12-31`,
  "/projects?hours=true",
  `/time/stats/revenue?year=${year}`,
];

const p50 = (values: number[]) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] as number;
const say = (line: string) => process.stdout.write(`${line}\n`);

const dataDir = await mkdtemp(path.join(tmpdir(), "kantoor-bench-"));
const server = await startEmbedded({ dataDir, durable: false });
await migrate(server.url("owner"), roleOf(server.url("application")));
const [owner, superuser] = [server.url("owner"), server.url("superuser")].map(
  (connectionString) => new pg.Client({ connectionString }),
) as [pg.Client, pg.Client];
await Promise.all([owner.connect(), superuser.connect()]);
const organisation = await createOrganisation(owner, { slug: "bench", name: "Bench" });
const { accountId } = await createMember(owner, organisation.id, { email: "owner@bench.test", role: "owner" });
const scopes = systemRoles().find(({ key }) => key === "admin")?.grants ?? [];
const key = await createKey(owner, organisation.id, "kt", { name: "Bench", scopes: [...scopes], accountId });

const service = await launchService({
  ...measuredService(server.url("application"), server.url("owner")),
  SERVICE_COUNT_STATEMENTS: "true",
});
const floor = await launch(
  [
    process.execPath,
    path.join(import.meta.dirname, "work-floor.ts"),
    ...["--url", server.url("application"), "--organisation", organisation.id, "--key", key.value, "--account", accountId],
  ],
  { ready: /"port":(\d+)/ },
);
const load = new Load();
const agent = new http.Agent({ keepAlive: true });
const sides = {
  service: { port: service.port as number, root: "/api/v1", host: "bench.bench.test" },
  floor: { port: Number(/"port":(\d+)/.exec(floor.output())?.[1]), root: "", host: "127.0.0.1" },
};

const ask = (side: keyof typeof sides, target: string): Promise<{ text: string; statements: string }> =>
  new Promise((resolve, reject) => {
    const { port, root, host } = sides[side];
    http
      .get(
        { port, host: "127.0.0.1", path: `${root}${target}`, headers: { Host: host, "X-API-Key": key.value }, agent },
        (response) => {
          const parts: Buffer[] = [];
          response.on("data", (part: Buffer) => parts.push(part));
          response.on("end", () => {
            const text = Buffer.concat(parts).toString();
            if (response.statusCode === 200) resolve({ text, statements: String(response.headers["x-statements"]) });
            else reject(new Error(`${side} ${target}: ${response.statusCode} ${text.slice(0, 500)}`));
          });
        },
      )
      .on("error", reject);
  });

/** The first path where two responses differ, or null. Instants are compared by time. */
function difference(one: unknown, other: unknown, place = ""): string | null {
  if (isDeepStrictEqual(one, other)) return null;
  if (typeof one === "object" && typeof other === "object" && one && other) {
    for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
      const found = difference(
        (one as Record<string, unknown>)[name],
        (other as Record<string, unknown>)[name],
        `${place}/${name}`,
      );
      if (found) return found;
    }
    return null;
  }
  if (typeof one === "string" && typeof other === "string" && Date.parse(one) === Date.parse(other)) return null;
  return `${place}: ${JSON.stringify(one)} and ${JSON.stringify(other)}`;
}

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now();
  await work();
  return performance.now() - began;
};

async function compareRead(target: string): Promise<void> {
  const [answered, byHand] = [await ask("service", target), await ask("floor", target)];
  const differs = difference(JSON.parse(answered.text), JSON.parse(byHand.text));
  for (let n = 0; n < 5; n++) await Promise.all([ask("service", target), ask("floor", target)]);
  const [times, floorTimes]: [number[], number[]] = [[], []];
  for (let n = 0; n < rounds; n++) {
    floorTimes.push(await timed(() => ask("floor", target)));
    times.push(await timed(() => ask("service", target)));
  }
  const ratio = p50(times) / p50(floorTimes);
  say(
    `GET ${target}: ${answered.statements} statements, ${Math.round(answered.text.length / 1024)} kB, p50 ${p50(times).toFixed(1)} ms against ${p50(floorTimes).toFixed(1)} ms: ${ratio.toFixed(2)} × (bar ${BARS.read})${differs ? `; THE ANSWERS DIFFER at ${differs}` : ""}`,
  );
  if (ratio > BARS.read || differs) process.exitCode = 1;
}

async function compareWrite(name: string, requests: (root: string, host: string) => string[]): Promise<void> {
  const rates: Record<keyof typeof sides, number[]> = { floor: [], service: [] };
  for (let turn = 0; turn < BURSTS; turn++)
    for (const side of ["floor", "service"] as const) {
      const { port, root, host } = sides[side];
      const { pid, output } = side === "floor" ? floor : service;
      const about = { name: side, pid, port, ids: [], output, request: () => "", stop: async () => {} };
      const burst = { connections: 16, warmUpSeconds: 1, seconds };
      rates[side].push((await load.run(about, server, requests(root, host), burst)).rate);
    }
  const ratio = p50(rates.service) / p50(rates.floor);
  say(
    `${name}: ${p50(rates.service).toFixed(0)} a second against ${p50(rates.floor).toFixed(0)}: ${ratio.toFixed(2)} × (bar ${BARS.write})`,
  );
  if (ratio < BARS.write) process.exitCode = 1;
}

const request = (method: string, target: string, host: string, body: object) => {
  const text = JSON.stringify(body);
  return `${method} ${target} HTTP/1.1\r\nHost: ${host}\r\nX-API-Key: ${key.value}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
};

try {
  await ask("service", "/tasks/statuses");
  await ask("service", "/time/entry-types");
  const began = performance.now();
  await filledAtOnce(superuser, async () => {
    for (const text of FILL) await superuser.query(text, [organisation.id]);
    // Gives the caller hours and tasks like every colleague.
    await superuser.query("update time_entries set user_id = $2 where organisation_id = $1 and user_id = md5('account1')::uuid", [
      organisation.id,
      accountId,
    ]);
    await superuser.query(
      "update task_assignees set account_id = $2 where organisation_id = $1 and account_id = md5('account1')::uuid",
      [organisation.id, accountId],
    );
  });
  await superuser.query("vacuum analyze");
  say(`filled in ${((performance.now() - began) / 1000).toFixed(0)} s`);
  for (const target of READS) await compareRead(target);
  const { rows } = await owner.query<{ id: string; company_id: string }>(
    "select id, company_id from projects where organisation_id = $1 order by name limit 100",
    [organisation.id],
  );
  await compareWrite("POST /time/entries", (root, host) =>
    rows.map(({ id, company_id }, index) =>
      request("POST", `${root}/time/entries`, host, {
        company_id,
        project_id: id,
        description: "Design",
        started_at: `${today}T08:${String(index % 60).padStart(2, "0")}:00Z`,
        ended_at: `${today}T09:${String(index % 60).padStart(2, "0")}:00Z`,
      }),
    ),
  );
  const found = await owner.query<{ id: string }>(
    "select id from tasks where organisation_id = $1 and status <> 'done' order by position limit 900",
    [organisation.id],
  );
  await compareWrite("PATCH /tasks/{id} status", (root, host) =>
    ["in_progress", "done", "open"].flatMap((status) =>
      found.rows.map(({ id }) => request("PATCH", `${root}/tasks/${id}`, host, { status })),
    ),
  );
} finally {
  agent.destroy();
  load.stop();
  await Promise.all([service.stop(), floor.stop()]);
  await Promise.all([owner.end(), superuser.end()]);
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
}

import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import pg from "pg";
import { Pool } from "undici";
import { systemRoles } from "../core/declare/permissions.ts";
import { startEmbedded } from "../core/embedded/server.ts";
import { migrate, roleOf } from "../migrations/run.ts";
import { createKey, createMember, createOrganisation } from "../operator/organisations.ts";
import { launchService } from "../test/support/process.ts";
import { measuredService } from "./sides.ts";

const HELP = `npm run bench -- events [options]: tasks created at a steady rate, by turns in organisations where nothing happens and in those
  where each notifies a colleague, runs a rule and is sent to two webhooks
  --rate 40          tasks a second; above what the machine holds, the share says how the two sides divide its processors
  --seconds 10       of each round
  --rounds 2         of each side
  --organisations 8  of each side; those who create tasks in one take turns until their transaction ends`;
const { values: options } = parseArgs({
  options: {
    rate: { type: "string", default: "40" },
    seconds: { type: "string", default: "10" },
    rounds: { type: "string", default: "2" },
    organisations: { type: "string", default: "8" },
    help: { type: "boolean", default: false },
  },
});
if (options.help) {
  process.stdout.write(`${HELP}\n`);
  process.exit(0);
}
const { rate, seconds, rounds, organisations } = Object.fromEntries(
  Object.entries(options).map(([name, value]) => [name, Number(value)]),
) as Record<"rate" | "seconds" | "rounds" | "organisations", number>;

/** Writers that may wait for an answer at a time. */
const WRITERS = 32;
/** Longest wait for the backlog, in seconds. */
const PATIENCE = 120;
/** Notices of a task: its assignee is notified of the assignment, and of the status that the rule gives it. */
const NOTICES = 2;
/** The least share of the quiet organisation's rate, and the most seconds until everything has happened. */
const [LEAST, MOST] = [0.85, 20];
const BACKLOG = `select (select count(*) from outbox where job is not null) as jobs,
  (select count(*) from automation_matches) + (select count(*) from automation_runs where status in ('pending', 'running')) as rules,
  (select count(*) from webhook_deliveries where status = 'pending') as webhooks,
  (select count(*) from notification_deliveries where status in ('pending', 'sending')) as notifications`;

const say = (line: string) => process.stdout.write(`${line}\n`);
const undo: (() => unknown)[] = [];

/** A receiver of webhooks that answers at once. Returns its address and how many messages it got. */
async function receiver() {
  let got = 0;
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      got += 1;
      response.writeHead(204).end();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  undo.push(() => server.close().closeAllConnections());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, got: () => got };
}

async function compare(): Promise<boolean> {
  const dataDir = await mkdtemp(path.join(tmpdir(), "kantoor-bench-events-"));
  undo.push(() => rm(dataDir, { recursive: true, force: true }));
  const server = await startEmbedded({ dataDir, log: () => {} });
  undo.push(() => server.stop());
  await migrate(server.url("owner"), roleOf(server.url("application")));
  const sql = new pg.Client({ connectionString: server.url("superuser") });
  await sql.connect();
  undo.push(() => sql.end());
  const service = await launchService({
    ...measuredService(server.url("application"), server.url("owner")),
    SERVICE_RATE_LIMIT_PER_KEY: "100000000",
    SERVICE_OUTBOUND_ALLOWED_RANGES: "127.0.0.0/8",
  });
  undo.push(() => service.stop());
  const pool = new Pool(`http://127.0.0.1:${service.port}`, { connections: WRITERS });
  undo.push(() => pool.close());
  const hooks = await receiver();

  /** An organisation with a colleague. Returns how to create one of its records, which resolves with the status. */
  async function organisation(slug: string) {
    const { id } = await createOrganisation(sql, { slug, name: slug });
    const { accountId } = await createMember(sql, id, { email: `owner@${slug}.test`, role: "owner" });
    const colleague = await createMember(sql, id, { email: `colleague@${slug}.test`, role: "member" });
    const scopes = [...(systemRoles().find(({ key }) => key === "admin")?.grants ?? [])];
    const { value: key } = await createKey(sql, id, "kt", { name: "Bench", scopes, accountId });
    const headers = { host: `${slug}.bench.test`, "x-api-key": key, "content-type": "application/json" };
    const post = async (target: string, body: object): Promise<void> => {
      const answer = await pool.request({ method: "POST", path: `/api/v1${target}`, headers, body: JSON.stringify(body) });
      const text = await answer.body.text();
      if (answer.statusCode !== 201) throw new Error(`${target}: ${answer.statusCode} ${text}`);
    };
    return { post, colleague: colleague.accountId };
  }
  const made = async (slug: string) => {
    const all = [];
    for (let n = 0; n < organisations; n++) all.push(await organisation(`${slug}${n}`));
    return all;
  };
  const [quiet, busy] = [await made("quiet"), await made("busy")];
  for (const { post } of busy) {
    await post("/automation/rules", {
      name: "Plan it",
      trigger_event: "task.created",
      conditions: { field: "title", op: "contains", value: "Task" },
      actions: [{ action_type: "task.set_status", config: { status: "in_progress" } }],
    });
    for (const name of ["Ledger", "Chat"]) await post("/webhooks/endpoints", { name, url: hooks.url, events: ["task.created"] });
  }
  const write = {
    quiet: (n: number) => quiet[n % organisations]?.post("/tasks", { title: "Task" }),
    busy: (n: number) => {
      const { post, colleague } = busy[n % organisations] as (typeof busy)[number];
      return post("/tasks", { title: "Task", assignee_user_id: colleague });
    },
  };

  /** Creates records at the rate, as far as the service keeps up. Returns how many a second it took. */
  async function burst(side: keyof typeof write, forSeconds: number): Promise<number> {
    const began = performance.now();
    const most = rate * forSeconds;
    let [begun, done] = [0, 0];
    const writer = async () => {
      while (performance.now() - began < forSeconds * 1000 && begun < most) {
        const n = begun++;
        const early = began + (n / rate) * 1000 - performance.now();
        if (early > 0) await delay(early);
        await write[side](n);
        done += 1;
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, writer));
    return (done / (performance.now() - began)) * 1000;
  }
  const backlog = async () => (await sql.query<Record<string, string>>(BACKLOG)).rows[0] as Record<string, string>;
  async function rest(): Promise<number> {
    const began = performance.now();
    while (Object.values(await backlog()).some((waiting) => waiting !== "0")) {
      if (performance.now() - began > PATIENCE * 1000) return Number.POSITIVE_INFINITY;
      await delay(200);
    }
    return (performance.now() - began) / 1000;
  }

  // The first round is a warm-up and does not count.
  for (const side of ["quiet", "busy"] as const) await burst(side, 3);
  await rest();
  const rates: Record<keyof typeof write, number[]> = { quiet: [], busy: [] };
  const gone: number[] = [];
  for (let round = 0; round < rounds; round++) {
    rates.quiet.push(await burst("quiet", seconds));
    await rest();
    rates.busy.push(await burst("busy", seconds));
    const left = await backlog();
    gone.push(await rest());
    const waiting = Object.entries(left).map(([what, count]) => `${what} ${count}`);
    say(
      `round ${round + 1}: ${rates.quiet.at(-1)?.toFixed(0)} tasks/s quiet, ${rates.busy.at(-1)?.toFixed(0)} busy; left: ${waiting.join(", ")}; gone after ${gone.at(-1)?.toFixed(1)} s`,
    );
  }
  const { rows } = await sql.query<{ tasks: number; notices: number; ran: number; sent: number }>(`select
    (select count(*)::int from tasks t join task_assignees a on a.task_id = t.id) as tasks, (select count(*)::int from notifications) as notices,
    (select count(*)::int from automation_runs where status = 'succeeded') as ran,
    (select count(*)::int from webhook_deliveries where status = 'delivered') as sent`);
  const [{ tasks, notices, ran, sent }] = rows as [(typeof rows)[0]];
  say(`of ${tasks} tasks: ${notices} notifications, ${ran} runs, ${sent} messages (${hooks.got()} received)`);
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
  const [share, longest] = [sum(rates.busy) / sum(rates.quiet), Math.max(...gone)];
  say(`writers: ${share.toFixed(2)} × (at least ${LEAST}); backlog gone after ${longest.toFixed(1)} s (at most ${MOST})`);
  return share >= LEAST && longest <= MOST && notices === NOTICES * tasks && ran === tasks && sent === 2 * tasks;
}

try {
  process.exitCode = (await compare()) ? 0 : 1;
} finally {
  for (const step of undo.toReversed()) await step();
}

import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import { systemRoles } from "../core/declare/permissions.ts";
import { startEmbedded } from "../core/embedded/server.ts";
import { migrate, roleOf } from "../migrations/run.ts";
import { createKey, createMember, createOrganisation } from "../operator/organisations.ts";
import { send } from "../test/support/http.ts";
import { launchService } from "../test/support/process.ts";
import { measuredService } from "./environment.ts";
import { Load } from "./measure.ts";
import { startFloor } from "./sides.ts";

const [TASKS, WATCHERS] = [100, 20];
const HELP = `npm run bench -- notifications [options]: what it costs to tell people
  --seconds 4     each burst of each side, alternating
  --rounds 5      bursts of each side; the median of their ratios counts`;
const { values: options } = parseArgs({
  options: {
    seconds: { type: "string", default: "4" },
    rounds: { type: "string", default: "5" },
    help: { type: "boolean", default: false },
  },
});
if (options.help) {
  process.stdout.write(`${HELP}\n`);
  process.exit(0);
}
const [seconds, rounds] = [Number(options.seconds), Number(options.rounds)];
/**
 * Minimum rates: of a write that notifies 20 people, as a multiple of a write without recipients, and of an unread count, as a multiple of
 * the floor's get.
 */
const BARS = { write: 0.5, unread: 1.2 };
const HOST = "agency.bench.test";
const BURST = { connections: 16, warmUpSeconds: 1, seconds };

/** Adds members of organisation `$1` who follow the tasks `$2`. */
const FOLLOW = `with people as (insert into accounts (email, full_name) select 'w' || n || '@bench.test', 'Watcher ' || n from generate_series(1, ${WATCHERS}) n
    returning id),
  members as (insert into memberships (organisation_id, account_id) select $1, id from people returning id, account_id),
  held as (insert into membership_roles (organisation_id, membership_id, role_id)
    select $1, m.id, r.id from members m join roles r on r.organisation_id = $1 and r.key = 'member')
  insert into notification_watches (organisation_id, entity_type, entity_id, account_id, watching)
  select $1, 'task', t.id, m.account_id, true from unnest($2::uuid[]) t(id) cross join members m`;
/** Fills the inbox of person `$2` in organisation `$1`: 2,000 rows, 200 of them unread. */
const FILL = `with told as (insert into notification_events (id, organisation_id, event_type, entity_type, entity_id, payload)
    select gen_random_uuid(), $1, 'task.assigned', 'task', gen_random_uuid(), '{}' from generate_series(1, 2000) returning id, entity_id)
  insert into notifications (organisation_id, account_id, event_id, event_type, entity_type, entity_id, visible_at, created_at, read_at)
  select $1, $2, id, 'task.assigned', 'task', entity_id, now() - n * interval '1 hour', now() - n * interval '1 hour', case when n > 200 then now() end
    from (select *, row_number() over () as n from told) t`;

const say = (line: string) => process.stdout.write(`${line} (load ${(loadavg()[0] as number).toFixed(1)})\n`);
const median = (values: number[]) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] as number;

const undo: (() => unknown)[] = [];
try {
  const dataDir = await mkdtemp(path.join(tmpdir(), "kantoor-bench-"));
  undo.push(() => rm(dataDir, { recursive: true, force: true }));
  const server = await startEmbedded({ dataDir });
  undo.push(() => server.stop({ force: true }));
  await migrate(server.url("owner"), roleOf(server.url("application")));
  const sql = new pg.Client({ connectionString: server.url("owner") });
  await sql.connect();
  undo.push(() => sql.end());
  const { id: organisationId } = await createOrganisation(sql, { slug: "agency", name: "Agency" });
  const { accountId } = await createMember(sql, organisationId, { email: "owner@bench.test", role: "owner" });
  const scopes = [...(systemRoles().find(({ key }) => key === "admin")?.grants ?? [])];
  const { value: key } = await createKey(sql, organisationId, "kt", { name: "Bench", scopes, accountId });
  const environment = measuredService(server.url("application"), server.url("owner"));
  const service = await launchService({
    ...environment,
    SERVICE_RATE_LIMIT_PER_KEY: "100000000",
    SERVICE_COUNT_STATEMENTS: "true",
  });
  undo.push(() => service.stop());
  const load = new Load();
  undo.push(() => load.stop());

  const call = async (method: string, target: string, body?: object) => {
    const answer = await send(service.port as number, method, target, { host: HOST, key, body });
    if (answer.status >= 300) throw new Error(`${method} ${target}: ${answer.status} ${answer.text}`);
    return answer;
  };
  const raw = (method: string, target: string, body?: object) => {
    const text = body === undefined ? "" : JSON.stringify(body);
    const length = Buffer.byteLength(text.replaceAll("{n}", "123456"));
    const entity = text ? `Content-Type: application/json\r\nContent-Length: ${length}\r\n` : "";
    return `${method} /api/v1${target} HTTP/1.1\r\nHost: ${HOST}\r\nX-API-Key: ${key}\r\n${entity}\r\n${text}`;
  };
  const side = {
    name: "service",
    pid: service.pid,
    port: service.port as number,
    ids: [],
    output: service.output,
    request: () => "",
    stop: async () => {},
  };
  const newTasks = async (): Promise<string[]> =>
    Promise.all(Array.from({ length: TASKS }, async (_, n) => (await call("POST", "/tasks", { title: `Task ${n}` })).body.id));

  const [alone, followed] = [await newTasks(), await newTasks()];
  await sql.query(FOLLOW, [organisationId, followed]);
  await sql.query("analyze notification_watches");
  const comments = (ids: string[]) => ids.map((id) => raw("POST", `/tasks/${id}/comments`, { body: "What is new {n}" }));
  const statements = async (ids: string[]) => (await call("POST", `/tasks/${ids[0]}/comments`, { body: "Counted" })).statements;
  for (const [when, digest] of [
    ["at once, 20 new rows each", "immediate"],
    ["in the daily digest, into rows that are to come", "daily"],
  ]) {
    await call("PUT", "/notifications/preferences/defaults", { events: [{ event_type: "task.commented", digest }] });
    // Measure with rows in the tables and fresh statistics.
    await load.run(side, server, comments(followed), { ...BURST, seconds: 1 });
    await sql.query("vacuum analyze notifications, notification_events, task_comments");
    const ratios: number[] = [];
    const rates: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      const none = await load.run(side, server, comments(alone), BURST);
      const many = await load.run(side, server, comments(followed), BURST);
      ratios.push(many.rate / none.rate);
      rates[0].push(none.rate);
      rates[1].push(many.rate);
    }
    const [without, withThem] = [await statements(alone), await statements(followed)];
    const met = median(ratios) >= BARS.write && without === withThem;
    say(
      `a comment that ${WATCHERS} people hear of ${when}: ${median(rates[1]).toFixed(0)} a second against ${median(rates[0]).toFixed(0)} that none hears of: ${median(ratios).toFixed(2)} × (bar ${BARS.write}); ${withThem} and ${without} statements${met ? "" : "; MISSED"}`,
    );
    if (!met) process.exitCode = 1;
  }

  await sql.query(FILL, [organisationId, accountId]);
  await sql.query("vacuum analyze notifications");
  const floor = await startFloor(server);
  undo.push(() => floor.stop());
  const gets = floor.ids.map((id) => floor.request("small", "GET", `/${id}`));
  const ratios: number[] = [];
  const rates: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    const byHand = await load.run(floor, server, gets, BURST);
    const ours = await load.run(side, server, [raw("GET", "/notifications/unread-count")], BURST);
    ratios.push(ours.rate / byHand.rate);
    rates[0].push(byHand.rate);
    rates[1].push(ours.rate);
  }
  const met = median(ratios) >= BARS.unread;
  const { count } = (await call("GET", "/notifications/unread-count")).body;
  say(
    `GET /notifications/unread-count of ${count}: ${median(rates[1]).toFixed(0)} a second against ${median(rates[0]).toFixed(0)} of the floor's get: ${median(ratios).toFixed(2)} × (bar ${BARS.unread})${met ? "" : "; MISSED"}`,
  );
  if (!met) process.exitCode = 1;
} finally {
  for (const step of undo.reverse()) await step();
}
process.exit();

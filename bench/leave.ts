import { mkdtemp, rm } from "node:fs/promises";
import http from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import { readConfig } from "../core/config/config.ts";
import { systemRoles } from "../core/declare/permissions.ts";
import { startEmbedded } from "../core/embedded/server.ts";
import { migrate, roleOf } from "../migrations/run.ts";
import { createNode } from "../operator/node.ts";
import { createKey, createMember, createOrganisation } from "../operator/organisations.ts";

const HELP = `npm run bench -- leave [options]: reads of a whole team's leave over HTTP against a plain SQL read of the same rows and JSON.stringify
  --people 200    members with a contract, two years of pots and leave each
  --rounds 40     reads of each side, alternating`;
const { values: options } = parseArgs({
  options: {
    people: { type: "string", default: "200" },
    rounds: { type: "string", default: "40" },
    help: { type: "boolean", default: false },
  },
});
if (options.help) {
  process.stdout.write(`${HELP}\n`);
  process.exit(0);
}
const [people, rounds] = [Number(options.people), Number(options.rounds)];
const year = new Date().getUTCFullYear();
/** Maximum cost of a read, as a multiple of the plain one. */
const BAR = 3;

/** A measured read: its address, and the rows it is computed from; `$1` is the organisation. */
interface Read {
  name: string;
  path: string;
  rows: string[];
  /** Columns of the response if its rows are not stored: the plain read then uses a table filled with them. */
  answered?: { table: string; columns: string };
}
const OCCUPYING = `select id, user_id, leave_type_id, start_date, end_date, start_time, end_time, hours, status, recurring_day_id
  from leave_requests where organisation_id = $1 and status in ('pending', 'approved')`;
const SCHEDULES = [
  "select * from leave_settings where organisation_id = $1",
  "select * from leave_holidays where organisation_id = $1 and active",
  "select m.account_id, a.full_name from memberships m join accounts a on a.id = m.account_id where m.organisation_id = $1",
  "select * from leave_contracts where organisation_id = $1",
  "select * from leave_profiles where organisation_id = $1",
];
const TOUCHING = `select r.id, r.user_id, r.leave_type_id, r.status, r.start_date, r.end_date, r.start_time, r.end_time,
  r.resolved_start_time, r.resolved_end_time, r.hours, a.full_name from leave_requests r join accounts a on a.id = r.user_id
  where r.organisation_id = $1 and r.status in ('pending', 'approved') and r.start_date <= '${year}-12-31' and r.end_date >= '${year}-01-01'
  order by r.start_date, r.id`;
const reads: Read[] = [
  {
    name: "team, a year",
    path: `/leave/team?date_from=${year}-01-01&date_to=${year}-12-31`,
    rows: [...SCHEDULES, TOUCHING],
  },
  {
    name: "availability/days, a quarter, all users",
    path: `/leave/availability/days?date_from=${year}-01-01&date_to=${year}-03-31&all_users=true`,
    rows: ["select * from bench_days where $1::uuid is not null"],
    answered: {
      table: "bench_days",
      columns: `user_id uuid, user_name text, date date, hours numeric, base_hours numeric, windows jsonb, change text, deviates boolean,
        entry_ids jsonb, starts_at timestamptz, ends_at timestamptz`,
    },
  },
  {
    name: "balance/groups, all users",
    path: `/leave/balance/groups?year=${year}&all_users=true`,
    rows: [
      ...SCHEDULES,
      "select * from leave_types where organisation_id = $1",
      "select user_id, leave_type_id, year, hours from leave_entitlements where organisation_id = $1",
      OCCUPYING,
    ],
  },
];

/** Everyone has a contract, two years of pots, and about 30 days of leave a year. */
const FILL = [
  `insert into accounts (email, full_name) select 'person' || n || '@bench.test', 'Person ' || n from generate_series(1, $2::int) n where $1::uuid is not null`,
  `insert into memberships (organisation_id, account_id) select $1, id from accounts where email like 'person%@bench.test' and $2::int > 0`,
  `insert into membership_roles (organisation_id, membership_id, role_id) select $1, m.id, r.id from memberships m
     join roles r on r.organisation_id = m.organisation_id and r.key = 'member' where m.organisation_id = $1 and $2::int > 0 on conflict do nothing`,
  `insert into leave_contracts (id, organisation_id, user_id, start_date, contract_hours_per_week)
     select gen_random_uuid(), $1, account_id, make_date(${year - 1}, 1, 1), 24 + 4 * (row_number() over () % 5) from memberships
      where organisation_id = $1 and $2::int > 0`,
  `insert into leave_entitlements (id, organisation_id, user_id, leave_type_id, year, hours)
     select gen_random_uuid(), $1, m.account_id, t.id, y, 40 * coalesce(t.default_weeks, 2) from memberships m
      join leave_types t on t.organisation_id = m.organisation_id and t.tracks_balance, generate_series(${year - 1}, ${year}) y
      where m.organisation_id = $1 and $2::int > 0`,
  `insert into leave_requests (id, organisation_id, user_id, leave_type_id, status, start_date, end_date, hours)
     select gen_random_uuid(), $1, m.account_id, t.id, case when n % 7 = 0 then 'pending' else 'approved' end, d, d, 8
       from memberships m cross join (select n, make_date(${year - 1}, 1, 4) + n * 12 as d from generate_series(0, 59) n) days
       join (select id, row_number() over (order by position) - 1 as nth from leave_types where organisation_id = $1) t on t.nth = n % 4
      where m.organisation_id = $1 and $2::int > 0`,
];

const BEND = `insert into leave_availability (id, organisation_id, user_id, kind, date, start_time, repeat_weeks)
  select gen_random_uuid(), $1, m.account_id, case n when 0 then 'extra' else 'unavailable' end, make_date(${year}, 1, 3) + n * 9,
         case when n = 1 then '13:00' end, 1 + n from memberships m, generate_series(0, 2) n where m.organisation_id = $1 and $2::int > 0`;

const p50 = (values: number[]) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] as number;

const dataDir = await mkdtemp(path.join(tmpdir(), "kantoor-bench-"));
const server = await startEmbedded({ dataDir, durable: false });
await migrate(server.url("owner"), roleOf(server.url("application")));
const owner = new pg.Client({ connectionString: server.url("owner") });
await owner.connect();
const organisation = await createOrganisation(owner, { slug: "bench", name: "Bench" });
const { accountId } = await createMember(owner, organisation.id, { email: "owner@bench.test", role: "owner" });
const scopes = systemRoles().find(({ key }) => key === "admin")?.grants ?? [];
const key = await createKey(owner, organisation.id, "kt", { name: "Bench", scopes, accountId });

const node = await createNode(
  readConfig({
    SERVICE_DATABASE_URL: server.url("application"),
    SERVICE_DATABASE_MIGRATION_URL: server.url("owner"),
    SERVICE_DATA_DIR: dataDir,
    SERVICE_SECRET: "a secret for a bench that nobody else has, 0123456789",
    SERVICE_HTTP_PORT: "0",
    SERVICE_HTTP_ADDRESS: "127.0.0.1",
    SERVICE_BASE_DOMAIN: "kantoor.test",
    SERVICE_LOG_LEVEL: "silent",
    SERVICE_COUNT_STATEMENTS: "true",
    SERVICE_RATE_LIMIT_PER_KEY: "0",
  }),
);
await node.start();
const plain = new pg.Client({ connectionString: server.url("application") });
await plain.connect();

const agent = new http.Agent({ keepAlive: true });
const headers = { Host: "bench.kantoor.test", "X-API-Key": key.value };
const ask = (target: string): Promise<{ text: string; statements: string }> =>
  new Promise((resolve, reject) => {
    http
      .get({ port: node.port(), host: "127.0.0.1", path: `/api/v1${target}`, headers, agent }, (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        response.on("end", () =>
          response.statusCode === 200
            ? resolve({ text: Buffer.concat(parts).toString(), statements: String(response.headers["x-statements"]) })
            : reject(new Error(`${target}: ${response.statusCode}`)),
        );
      })
      .on("error", reject);
  });
const get = async (target: string): Promise<string> => (await ask(target)).text;
const readPlainly = async (rows: string[]): Promise<number> => {
  await plain.query("begin read only");
  await plain.query("select set_config('app.organisation_id', $1, true)", [organisation.id]);
  const found: unknown[] = [];
  for (const text of rows) found.push((await plain.query({ text, values: [organisation.id] })).rows);
  await plain.query("commit");
  return JSON.stringify(found).length;
};
/** Stores the rows of a response in a table, for a plain read of them. */
async function keepAnswer({ table, columns }: NonNullable<Read["answered"]>, answer: string): Promise<void> {
  await owner.query(`create table ${table} (${columns}); grant select on ${table} to public`);
  await owner.query(`insert into ${table} select * from jsonb_to_recordset($1::jsonb) as answered (${columns})`, [answer]);
}
const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now();
  await work();
  return performance.now() - began;
};

try {
  await get("/leave/types");
  for (const text of [...FILL, BEND]) await owner.query(text, [organisation.id, people]);
  await owner.query("vacuum analyze");
  for (const { name, path: target, rows, answered } of reads) {
    if (answered) await keepAnswer(answered, await get(target));
    for (let n = 0; n < 5; n++) await Promise.all([get(target), readPlainly(rows)]);
    const { text, statements } = await ask(target);
    const [service, floor]: [number[], number[]] = [[], []];
    for (let n = 0; n < rounds; n++) {
      floor.push(await timed(() => readPlainly(rows)));
      service.push(await timed(() => get(target)));
    }
    const ratio = p50(service) / p50(floor);
    process.stdout.write(
      `${name}, ${people} people: ${statements} statements, ${Math.round(text.length / 1024)} kB, p50 ${p50(service).toFixed(1)} ms against ${p50(floor).toFixed(1)} ms: ${ratio.toFixed(2)} × (bar ${BAR})\n`,
    );
    if (ratio > BAR) process.exitCode = 1;
  }
} finally {
  agent.destroy();
  await node.stop();
  await plain.end();
  await owner.end();
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
}

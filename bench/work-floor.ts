import { createHash } from "node:crypto";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";
import pg from "pg";

/**
 * The floor of work: the same responses from the same tables, by hand. node:http, a pool of ten, row-level security in a transaction that
 * awaits its statements one by one, rows through JSON.stringify. No framework, no input validation.
 */
const { values: given } = parseArgs({
  options: { url: { type: "string" }, organisation: { type: "string" }, key: { type: "string" }, account: { type: "string" } },
});
const { url, organisation, key, account } = given;
if (!url || !organisation || !key || !account) throw new Error("--url, --organisation, --key and --account are needed");

const digest = (text: string) => createHash("sha256").update(text).digest("hex");
const keys = new Map([[digest(key), organisation]]);
pg.types.setTypeParser(1082, String);
pg.types.setTypeParser(1114, String);
pg.types.setTypeParser(1184, (value) => new Date(value).toISOString());
const pool = new pg.Pool({ connectionString: url, max: 10 });
pool.on("error", () => {});

type Row = Record<string, unknown>;
type Ask = (text: string, values?: unknown[]) => Promise<Row[]>;

async function transaction<T>(tenant: string, work: (ask: Ask) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    await client.query("select set_config('app.organisation_id', $1, true)", [tenant]);
    const result = await work(async (text, values = []) => (await client.query(text, values)).rows);
    await client.query("commit");
    return result;
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  } finally {
    client.release();
  }
}

const TASK = `t.id, t.organisation_id as org_id, t.company_id, t.project_id, t.assignee_contact_id, t.status, t.priority, t.due_date,
  t.visible_to_client, t.position, t.title, t.unnamed, t.allocated_minutes, t.completed_at, t.requires_interaction,
  t.closing_interaction_id, t.recurrence, t.recurrence_next_run, t.ai_status, t.description, t.created_at, t.updated_at`;
const META = `
  (select coalesce(json_agg(json_build_object('user_id', a.account_id, 'is_primary', a.is_primary)
     order by a.is_primary desc, a.created_at, a.position), '[]') from task_assignees a where a.organisation_id = $1 and a.task_id = t.id) as assignees,
  (select a.account_id from task_assignees a where a.organisation_id = $1 and a.task_id = t.id and a.is_primary) as assignee_user_id,
  (select coalesce(json_agg(json_build_object('id', l.id, 'name', l.name, 'color', l.color, 'position', l.position) order by l.position, l.name), '[]')
     from task_label_links k join task_labels l on l.organisation_id = $1 and l.id = k.label_id
    where k.organisation_id = $1 and k.task_id = t.id) as labels,
  (select count(*)::int from task_checklists c join task_checklist_items i on i.organisation_id = $1 and i.checklist_id = c.id
    where c.organisation_id = $1 and c.task_id = t.id) as checklist_total,
  (select count(*)::int from task_checklists c join task_checklist_items i on i.organisation_id = $1 and i.checklist_id = c.id and i.done
    where c.organisation_id = $1 and c.task_id = t.id) as checklist_done,
  (select count(*)::int from task_comments c where c.organisation_id = $1 and c.task_id = t.id) as comment_count`;
const unlogged = (rows: Row[]) => rows.map((row) => ({ ...row, logged_minutes: null, remaining_minutes: null }));

const tasks = (tenant: string) =>
  transaction(tenant, async (ask) => {
    const items = await ask(
      `select ${TASK}, ${META} from tasks t where t.organisation_id = $1 order by t.position, t.created_at, t.id limit 50`,
      [tenant],
    );
    const [counted] = await ask("select count(*)::int as total from tasks where organisation_id = $1", [tenant]);
    return { items: unlogged(items), total: counted?.["total"], limit: 50, offset: 0 };
  });

const mine = (tenant: string) =>
  transaction(tenant, async (ask) =>
    unlogged(
      await ask(
        `select ${TASK}, ${META} from tasks t join task_assignees me on me.organisation_id = $1 and me.task_id = t.id and me.account_id = $2
           join task_statuses s on s.organisation_id = $1 and s.key = t.status and not s.is_terminal
          where t.organisation_id = $1 order by t.due_date, t.created_at desc, t.id limit 20`,
        [tenant, account],
      ),
    ),
  );

const day = (at: number) => new Date(at).toISOString().slice(0, 10);
const DAY = 86_400_000;

const timesheet = (tenant: string, weekOf: string) =>
  transaction(tenant, async (ask) => {
    const date = Date.parse(`${weekOf}T00:00:00Z`);
    const start = date - ((new Date(date).getUTCDay() + 6) % 7) * DAY;
    const days = Array.from({ length: 7 }, (_, index) => day(start + index * DAY));
    const found = await ask(
      `select company_id, project_id, task_id, started_at, minutes from time_entries where organisation_id = $1 and user_id = $2
          and started_at >= $3 and started_at < $4 order by started_at, id`,
      [tenant, account, `${days[0]}T00:00:00Z`, `${day(start + 7 * DAY)}T00:00:00Z`],
    );
    const drafts = await ask(
      "select entry_date from time_drafts where organisation_id = $1 and account_id = $2 and entry_date between $3 and $4 order by 1",
      [tenant, account, days[0], days[6]],
    );
    const rows = new Map<string, Row & { minutes: number[]; total: number }>();
    const totals = [0, 0, 0, 0, 0, 0, 0];
    for (const { company_id, project_id, task_id, started_at, minutes } of found) {
      const place = `${company_id} ${project_id} ${task_id}`;
      const row = rows.get(place) ?? { company_id, project_id, task_id, minutes: [0, 0, 0, 0, 0, 0, 0], total: 0 };
      const at = days.indexOf(String(started_at).slice(0, 10));
      row.minutes[at] = (row.minutes[at] ?? 0) + Number(minutes);
      row.total += Number(minutes);
      totals[at] = (totals[at] ?? 0) + Number(minutes);
      rows.set(place, row);
    }
    return {
      week_start: days[0],
      days,
      rows: [...rows.values()],
      day_totals: totals,
      total: totals.reduce((sum, minutes) => sum + minutes, 0),
      draft_days: drafts.map(({ entry_date }) => entry_date),
    };
  });

const ENTRY = `id, organisation_id as org_id, user_id, company_id, project_id, task_id, description, entry_type_key, started_at, ended_at, minutes,
  break_minutes, billable, ended_at is null as is_running, approved_at, approved_by_user_id, invoiced_at, interaction_id, subscription_id,
  created_at, updated_at`;

const report = (tenant: string, from: string, to: string) =>
  transaction(tenant, async (ask) => {
    const where = `organisation_id = $1 and ended_at is not null and started_at >= $2 and started_at < $3`;
    const values = [tenant, `${from}T00:00:00Z`, `${day(Date.parse(`${to}T00:00:00Z`) + DAY)}T00:00:00Z`];
    const items = await ask(
      `select ${ENTRY} from time_entries where ${where} order by started_at desc, id desc limit 200`,
      values,
    );
    const [totals] = await ask(
      `select count(*)::int as count, coalesce(sum(minutes), 0)::float8 as minutes,
         coalesce(sum(minutes) filter (where billable), 0)::float8 as billable_minutes,
         coalesce(sum(minutes) filter (where approved_at is not null), 0)::float8 as approved_minutes,
         coalesce(sum(minutes) filter (where approved_at is null), 0)::float8 as open_minutes,
         coalesce(sum(minutes) filter (where approved_at is not null and billable and invoiced_at is null), 0)::float8 as to_invoice_minutes,
         coalesce(sum(minutes) filter (where invoiced_at is not null), 0)::float8 as invoiced_minutes
         from time_entries where ${where}`,
      values,
    );
    return { items, total: totals?.["count"], limit: 200, offset: 0, totals };
  });

const hours = (minutes: unknown) => Math.round((Number(minutes) / 60) * 100) / 100;

const projects = (tenant: string) =>
  transaction(tenant, async (ask) => {
    const items = await ask(
      `select p.id, p.organisation_id as org_id, p.company_id, c.name as company_name, p.name, p.description, p.status, p.billable_default,
         p.budget_period, p.budget_hours::float8, p.budget_amount::float8, p.currency, p.color, p.start_date, p.end_date, p.unnamed, p.custom,
         (select coalesce(json_agg(json_build_object('user_id', a.account_id, 'is_primary', a.is_primary)
            order by a.is_primary desc, a.created_at, a.position), '[]') from project_assignees a
           where a.organisation_id = $1 and a.project_id = p.id) as assignees,
         (select a.account_id from project_assignees a where a.organisation_id = $1 and a.project_id = p.id and a.is_primary) as responsible_user_id,
         p.created_at, p.updated_at
         from projects p left join companies c on c.organisation_id = $1 and c.id = p.company_id
        where p.organisation_id = $1 order by p.name, p.id limit 50`,
      [tenant],
    );
    const [counted] = await ask("select count(*)::int as total from projects where organisation_id = $1", [tenant]);
    const month = `${new Date().toISOString().slice(0, 7)}-01`;
    const spent = new Map(
      (
        await ask(
          `select e.project_id, sum(e.minutes)::float8 as spent, coalesce(sum(e.minutes) filter (where e.billable), 0)::float8 as billable,
             coalesce(sum(e.minutes) filter (where e.approved_at is null), 0)::float8 as unapproved
             from time_entries e join projects p on p.organisation_id = $1 and p.id = e.project_id
            where e.organisation_id = $1 and e.project_id = any($2) and e.ended_at is not null
              and (p.budget_period = 'total' or e.started_at >= $3::date at time zone 'Europe/Amsterdam') group by e.project_id`,
          [tenant, items.map(({ id }) => id), month],
        )
      ).map((row) => [row["project_id"], row]),
    );
    return {
      items: items.map((item) => {
        const found = spent.get(item["id"]);
        const budget = item["budget_hours"] as number | null;
        const used = hours(found?.["spent"] ?? 0);
        return {
          ...item,
          budget_sources: [],
          hours: {
            period: item["budget_period"],
            period_start: item["budget_period"] === "total" ? null : month,
            budget_hours: budget,
            spent_hours: used,
            billable_hours: hours(found?.["billable"] ?? 0),
            unapproved_hours: hours(found?.["unapproved"] ?? 0),
            remaining_hours: budget === null ? null : Math.round((budget - used) * 100) / 100,
          },
        };
      }),
      total: counted?.["total"],
      limit: 50,
      offset: 0,
    };
  });

const revenue = (tenant: string, year: number) =>
  transaction(tenant, async (ask) => {
    const found = await ask(
      `select extract(year from e.started_at at time zone 'UTC')::int as year, extract(month from e.started_at at time zone 'UTC')::int as month,
         e.company_id, round(sum(e.minutes * coalesce(p.hourly_rate, s.default_hourly_rate)) / 60, 2)::float8 as revenue,
         sum(e.minutes * coalesce(p.hourly_rate, s.default_hourly_rate))::text as exact
         from time_entries e left join leave_profiles p on p.organisation_id = $1 and p.user_id = e.user_id
         left join leave_settings s on s.organisation_id = $1
        where e.organisation_id = $1 and e.ended_at is not null and e.billable and e.started_at >= $2 and e.started_at < $3
          and coalesce(p.hourly_rate, s.default_hourly_rate) is not null group by 1, 2, 3`,
      [tenant, `${year - 1}-01-01T00:00:00Z`, `${year + 1}-01-01T00:00:00Z`],
    );
    const rounded = (hundredths: bigint) => Number((hundredths + 30n) / 60n) / 100;
    const exact = (row: Row) => BigInt(Math.round(Number(row["exact"]) * 100));
    const sum = (rows: Row[]) => rounded(rows.reduce((all, row) => all + exact(row), 0n));
    const months = (of: number) =>
      Array.from({ length: 12 }, (_, index) => sum(found.filter((row) => row["year"] === of && row["month"] === index + 1)));
    const [current, previous] = [months(year), months(year - 1)];
    const total = (values: number[]) => Math.round(values.reduce((all, value) => all + value, 0) * 100) / 100;
    const clients = [
      ...Map.groupBy(
        found.filter((row) => row["year"] === year),
        (row) => row["company_id"] as string | null,
      ),
    ]
      .map(([company_id, rows]) => ({ company_id, revenue: sum(rows) }))
      .sort((one, other) => other.revenue - one.revenue || String(one.company_id).localeCompare(String(other.company_id)));
    const top = clients.slice(0, 10);
    return {
      year,
      months_current: current,
      months_previous: previous,
      total_current: total(current),
      total_previous: total(previous),
      top_clients: top,
      other_revenue: total([total(current), ...top.map((client) => -client.revenue)]),
    };
  });

const TRAIL = `insert into activity (id, organisation_id, entity_type, entity_id, action, payload, actor_account_id)
  values (gen_random_uuid(), $1, $2, $3, $4, $5, $6)`;
const OUTBOX = `insert into outbox (id, organisation_id, event, entity_type, entity_id, payload, actor_account_id)
  values (gen_random_uuid(), $1, $2, 'task', $3, $4, $5)`;

const createEntry = (tenant: string, body: Row) =>
  transaction(tenant, async (ask) => {
    await ask("select 1 from projects where organisation_id = $1 and id = $2", [tenant, body["project_id"]]);
    await ask("delete from time_drafts where organisation_id = $1 and account_id = $2 and entry_date = $3::date", [
      tenant,
      account,
      String(body["started_at"]).slice(0, 10),
    ]);
    const [row] = await ask(
      `insert into time_entries (id, organisation_id, user_id, company_id, project_id, description, started_at, ended_at, minutes, billable)
       values (gen_random_uuid(), $1, $2, $3, $4, $5, $6, $7, $8, true) returning ${ENTRY}`,
      [
        tenant,
        account,
        body["company_id"],
        body["project_id"],
        body["description"],
        body["started_at"],
        body["ended_at"],
        Math.round((Date.parse(String(body["ended_at"])) - Date.parse(String(body["started_at"]))) / 60_000),
      ],
    );
    await ask(TRAIL, [tenant, "time_entry", row?.["id"], "created", {}, account]);
    return row;
  });

const changeStatus = (tenant: string, id: string, body: Row) =>
  transaction(tenant, async (ask) => {
    const [before] = await ask(
      "select title, status, company_id, project_id from tasks where organisation_id = $1 and id = $2 for update",
      [tenant, id],
    );
    const statuses = new Map(
      (await ask("select key, is_terminal from task_statuses where organisation_id = $1", [tenant])).map((row) => [
        row["key"],
        row["is_terminal"],
      ]),
    );
    const roster = await ask("select account_id from task_assignees where organisation_id = $1 and task_id = $2", [tenant, id]);
    const [from, to] = [before?.["status"], body["status"]];
    if (from !== to) {
      const ends = statuses.get(to) === true;
      await ask(
        `update tasks set status = $3, completed_at = case when $4 then now() end, version = version + 1, updated_at = now()
          where organisation_id = $1 and id = $2`,
        [tenant, id, to, ends],
      );
      await ask(TRAIL, [tenant, "task", id, "status_changed", { from, to }, account]);
      const recipients = roster.map(({ account_id }) => account_id);
      const payload = { task_id: id, ...before, from, to, finished: ends && statuses.get(from) !== true, recipients };
      await ask(OUTBOX, [tenant, "task.status_changed", id, payload, account]);
    }
    const [row] = await ask(`select ${TASK} from tasks t where t.organisation_id = $1 and t.id = $2`, [tenant, id]);
    return { ...row, assignees: recipientsOf(roster) };
  });
const recipientsOf = (roster: Row[]) => roster.map(({ account_id: user_id }) => ({ user_id }));

async function read(request: http.IncomingMessage): Promise<Row> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return JSON.parse(Buffer.concat(parts).toString());
}

async function answer(request: http.IncomingMessage): Promise<[number, unknown]> {
  const tenant = keys.get(digest((request.headers["x-api-key"] as string) ?? ""));
  if (!tenant) return [401, { error: { code: "unauthorized" } }];
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://floor");
  const asked = (name: string) => searchParams.get(name) ?? "";
  switch (`${request.method} ${pathname.replace(/[0-9a-f-]{36}$/, ":id")}`) {
    case "GET /tasks":
      return [200, await tasks(tenant)];
    case "GET /tasks/mine":
      return [200, await mine(tenant)];
    case "GET /time/timesheet":
      return [200, await timesheet(tenant, asked("week_start"))];
    case "GET /time/report":
      return [200, await report(tenant, asked("date_from"), asked("date_to"))];
    case "GET /time/stats/revenue":
      return [200, await revenue(tenant, Number(asked("year")))];
    case "GET /projects":
      return [200, await projects(tenant)];
    case "POST /time/entries":
      return [201, await createEntry(tenant, await read(request))];
    case "PATCH /tasks/:id":
      return [200, await changeStatus(tenant, pathname.split("/")[2] as string, await read(request))];
    default:
      return [404, { error: { code: "not_found" } }];
  }
}

const server = http.createServer(async (request, response) => {
  const [status, value] = await answer(request).catch((error): [number, unknown] => {
    console.error(error);
    return [500, { error: { code: "server_error" } }];
  });
  const body = Buffer.from(JSON.stringify(value));
  response.writeHead(status, { "content-type": "application/json", "content-length": body.length });
  response.end(body);
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`{"port":${(server.address() as AddressInfo).port}}\n`));

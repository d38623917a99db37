import type http from "node:http";
import { parseArgs } from "node:util";
import pg from "pg";
import { digest, jsonBody, organisationFor, serve } from "./bare-server.ts";

/**
 * The bare server of `beside`: the same rows of the same tables, by hand. node:http, a pool of ten, row-level security in a transaction that
 * awaits its statements one by one, rows through JSON.stringify. No framework, no validation, no trail, no events.
 */
const { values: given } = parseArgs({
  options: { url: { type: "string" }, organisation: { type: "string" }, key: { type: "string" } },
});
const { url, organisation, key } = given;
if (!url || !organisation || !key) throw new Error("--url, --organisation and --key are needed");

const keys = new Map([[digest(key), organisation]]);
pg.types.setTypeParser(1082, String);
pg.types.setTypeParser(1184, (value) => new Date(value).toISOString());
const pool = new pg.Pool({ connectionString: url, max: 10 });
pool.on("error", () => {});

type Row = Record<string, unknown>;
type Ask = (text: string, values: unknown[]) => Promise<Row[]>;

async function transaction<T>(tenant: string, work: (ask: Ask) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    await client.query("select set_config('app.organisation_id', $1, true)", [tenant]);
    const result = await work(async (text, values) => (await client.query(text, values)).rows);
    await client.query("commit");
    return result;
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  } finally {
    client.release();
  }
}

const people = (table: string, own: string) => `
  (select coalesce(json_agg(json_build_object('user_id', a.account_id, 'is_primary', a.is_primary)
     order by a.is_primary desc, a.created_at, a.position), '[]') from ${table} a where a.organisation_id = $1 and a.${own} = t.id) as assignees,
  (select a.account_id from ${table} a where a.organisation_id = $1 and a.${own} = t.id and a.is_primary)`;
const COMPANY = `t.id, t.organisation_id as org_id, t.name, t.legal_name, t.client_number, t.website, t.phone, t.vat_number, t.coc_number,
  t.address_line1, t.house_number, t.address_line2, t.postal_code, t.city, t.notes, t.invoice_email, t.country, t.status,
  ${people("company_assignees", "company_id")} as responsible_user_id, t.logo_file_id, t.custom, t.created_at, t.updated_at`;
const TASK = `t.id, t.organisation_id as org_id, t.company_id, t.project_id, t.title, t.unnamed, t.description, t.status, t.priority, t.due_date,
  ${people("task_assignees", "task_id")} as assignee_user_id, t.assignee_contact_id, t.allocated_minutes, t.position::float8, t.completed_at,
  t.requires_interaction, t.closing_interaction_id, t.visible_to_client, t.recurrence, t.recurrence_next_run, t.ai_status, t.created_at, t.updated_at`;
const LABELS = `(select coalesce(json_agg(json_build_object('id', l.id, 'name', l.name, 'color', l.color, 'position', l.position) order by l.position), '[]')
  from task_label_links k join task_labels l on l.organisation_id = $1 and l.id = k.label_id
 where k.organisation_id = $1 and k.task_id = t.id) as labels`;
const ITEMS = `from task_checklists c join task_checklist_items i on i.organisation_id = $1 and i.checklist_id = c.id
  where c.organisation_id = $1 and c.task_id = t.id`;
const LISTED = `${LABELS}, (select count(*)::int ${ITEMS}) as checklist_total, (select count(*)::int ${ITEMS} and i.done) as checklist_done,
  (select count(*)::int from task_comments c where c.organisation_id = $1 and c.task_id = t.id) as comment_count`;
const WHOLE = `${LABELS},
  (select coalesce(json_agg(json_build_object('id', c.id, 'title', c.title, 'items',
     (select coalesce(json_agg(json_build_object('id', i.id, 'title', i.title, 'done', i.done) order by i.position), '[]')
        from task_checklist_items i where i.organisation_id = $1 and i.checklist_id = c.id)) order by c.created_at), '[]')
     from task_checklists c where c.organisation_id = $1 and c.task_id = t.id) as checklists,
  (select coalesce(json_agg(json_build_object('id', c.id, 'body', c.body, 'author_user_id', c.author_account_id, 'created_at', c.created_at)
     order by c.created_at), '[]') from task_comments c where c.organisation_id = $1 and c.task_id = t.id) as comments`;

const lists = {
  companies: { columns: COMPANY, order: "t.created_at desc, t.id" },
  tasks: { columns: `${TASK}, ${LISTED}`, order: "t.position, t.created_at, t.id" },
};
const list = (tenant: string, table: keyof typeof lists, counted: boolean) =>
  transaction(tenant, async (ask) => {
    const { columns, order } = lists[table];
    const text = `select ${columns} from ${table} t where t.organisation_id = $1 order by ${order} limit 50`;
    const items = await ask(text, [tenant]);
    if (!counted) return { items };
    const [found] = await ask(`select count(*)::int as total from ${table} where organisation_id = $1`, [tenant]);
    return { items, total: found?.["total"] };
  });
const search = (tenant: string, q: string) =>
  transaction(tenant, async (ask) => ({
    items: await ask(
      `select ${COMPANY} from bench.search_companies($2) t where t.organisation_id = $1 order by t.created_at desc limit 50`,
      [tenant, q],
    ),
  }));

const details = { companies: COMPANY, tasks: `${TASK}, ${WHOLE}` };
const one = (tenant: string, table: keyof typeof details, id: string) =>
  transaction(tenant, async (ask) => {
    const [row] = await ask(`select ${details[table]} from ${table} t where t.organisation_id = $1 and t.id = $2`, [tenant, id]);
    return row;
  });

const written = { companies: COMPANY, tasks: TASK };
const create = (tenant: string, table: keyof typeof written, body: Row) =>
  transaction(tenant, async (ask) => {
    const names = Object.keys(body);
    const place = table === "tasks" ? ", (select coalesce(max(position), 0) + 1024 from tasks where organisation_id = $1)" : "";
    const [row] = await ask(
      `insert into ${table} as t (id, organisation_id, ${names}${place && ", position"})
       values (uuidv7(), $1, ${names.map((_, index) => `$${index + 2}`)}${place}) returning ${written[table]}`,
      [tenant, ...names.map((name) => body[name])],
    );
    return row;
  });
const update = (tenant: string, table: keyof typeof written, id: string, body: Row) =>
  transaction(tenant, async (ask) => {
    const names = Object.keys(body);
    const [row] = await ask(
      `update ${table} t set ${names.map((name, index) => `${name} = $${index + 3}`)}, version = version + 1, updated_at = now()
        where t.organisation_id = $1 and t.id = $2 returning ${written[table]}`,
      [tenant, id, ...names.map((name) => body[name])],
    );
    return row;
  });

async function answer(request: http.IncomingMessage): Promise<[number, unknown]> {
  const tenant = organisationFor(keys, request);
  if (!tenant) return [401, { error: { code: "unauthorized" } }];
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://floor");
  const [, table, id] = pathname.split("/") as [string, string, string?];
  if (table !== "companies" && table !== "tasks") return [404, { error: { code: "not_found" } }];
  if (request.method === "POST") return [201, await create(tenant, table, await jsonBody(request))];
  if (id) {
    const row =
      request.method === "PATCH" ? await update(tenant, table, id, await jsonBody(request)) : await one(tenant, table, id);
    return row ? [200, row] : [404, { error: { code: "not_found" } }];
  }
  const q = searchParams.get("q");
  return [200, q ? await search(tenant, q) : await list(tenant, table, searchParams.get("count") !== "false")];
}

serve(answer);

import path from "node:path";
import pg from "pg";
import { systemRoles } from "../core/declare/permissions.ts";
import type { EmbeddedServer } from "../core/embedded/server.ts";
import { createKey, createMember, createOrganisation } from "../operator/organisations.ts";
import { send } from "../test/support/http.ts";
import { launch, launchService, type Spawned } from "../test/support/process.ts";
import { companyRows } from "./companies.ts";
import { measuredService, type Side } from "./sides.ts";

/** Number of rows of each kind in the organisation. */
export const AMOUNTS = { people: 20, companies: 10_000, tasks: 20_000 } as const;
const { people, companies, tasks } = AMOUNTS;
const HOST = "agency.bench.test";

/** The compared servers with the database role of each. */
export const ROLES = { Kantoor: "kantoor_app", floor: "bench_floor", PostGraphile: "bench_peer" } as const;
export type Name = keyof typeof ROLES;

/** A server of the comparison. */
export interface Compared extends Side {
  name: Name;
  /** A complete HTTP request with the caller's key. */
  ask(method: string, target: string, body?: object): string;
}
/** The organisation that all of them serve. */
export interface Agency {
  id: string;
  key: string;
  companies: string[];
  tasks: string[];
}

const id = (kind: string, n: string) => `md5('${kind}' || ${n})::uuid`;
const FILL = [
  `insert into companies (id, organisation_id, name, legal_name, client_number, invoice_email, phone, vat_number, coc_number, address_line1,
     house_number, postal_code, city, country, website, notes, custom, created_at)
   select ${id("company", "c.g")}, $1, c.name, c.legal_name, c.client_number, c.email, c.phone, c.vat_number, c.coc_number, c.street,
     c.house_number, c.postal_code, c.city, 'NL', c.website, c.notes, c.custom, c.created_at from (${companyRows(String(companies))}) c`,
  `insert into accounts (id, email, full_name) select ${id("account", "n")}, 'person' || n || '@bench.test', 'Person ' || n
     from generate_series(1, ${people}) n where $1::uuid is not null`,
  `insert into memberships (organisation_id, account_id) select $1, ${id("account", "n")} from generate_series(1, ${people}) n`,
  `insert into company_assignees (organisation_id, company_id, account_id, is_primary)
     select $1, ${id("company", "n")}, ${id("account", `(1 + n % ${people})`)}, true from generate_series(1, ${companies}) n`,
  `insert into task_labels (id, organisation_id, name, color, position)
     select ${id("label", "n")}, $1, 'Label ' || n, 'sky', n from generate_series(1, 20) n`,
  `insert into tasks (id, organisation_id, company_id, status, priority, title, due_date, position, allocated_minutes, created_at)
     select ${id("task", "n")}, $1, ${id("company", `(1 + n % ${companies})`)}, 'open', (array['low', 'normal', 'high'])[1 + n % 3],
            'Task ' || n, case when n % 3 > 0 then current_date - 300 + n % 330 end, n * 1024.0, case when n % 5 = 0 then 240 end,
            now() - n * interval '1 hour' from generate_series(1, ${tasks}) n`,
  `insert into task_assignees (organisation_id, task_id, account_id, is_primary)
     select $1, ${id("task", "n")}, ${id("account", `(1 + (n + m * 11) % ${people})`)}, m = 0
       from generate_series(1, ${tasks}) n, generate_series(0, 1) m`,
  `insert into task_label_links (organisation_id, task_id, label_id)
     select $1, ${id("task", "n")}, ${id("label", "(1 + n % 20)")} from generate_series(1, ${tasks}) n where n % 2 = 0`,
  `insert into task_checklists (id, organisation_id, task_id, title)
     select ${id("checklist", "n")}, $1, ${id("task", "n")}, 'Checklist' from generate_series(5, ${tasks}, 5) n`,
  `insert into task_checklist_items (id, organisation_id, checklist_id, title, done, position)
     select gen_random_uuid(), $1, ${id("checklist", "n")}, 'Item ' || m, m = 0, m
       from generate_series(5, ${tasks}, 5) n, generate_series(0, 3) m`,
  `insert into task_comments (id, organisation_id, task_id, author_account_id, body)
     select gen_random_uuid(), $1, ${id("task", "n")}, ${id("account", `(1 + n % ${people})`)}, 'Comment'
       from generate_series(3, ${tasks}, 3) n`,
];

/** Tables that the floor and PostGraphile read. Both write the first two. */
const TABLES = `companies, tasks, company_assignees, task_assignees, task_labels, task_label_links, task_checklists, task_checklist_items,
  task_comments`;
/**
 * Their two roles, and the search that they share: row-level security keeps ILIKE from any index, so by hand a function runs as its owner,
 * reads the organisation from the setting and is planned for the term.
 */
const PREPARE = [
  "create extension pg_stat_statements",
  "create schema bench",
  `create function bench.search_companies(q text) returns setof companies language plpgsql stable security definer set search_path = public
     as $$ begin return query execute format('select * from companies where organisation_id = %L and search_text like %L',
       nullif(current_setting('app.organisation_id', true), '')::uuid, '%' || folded(q) || '%'); end $$`,
  ...[ROLES.floor, ROLES.PostGraphile].flatMap((role) => [
    `create role ${role} login password 'bench' nosuperuser nobypassrls`,
    `grant connect on database kantoor to ${role}`,
    `grant usage on schema public, bench to ${role}`,
    `grant select on ${TABLES} to ${role}`,
    `grant insert, update on companies, tasks to ${role}`,
    `grant execute on all functions in schema bench to ${role}`,
    // The triggers of both tables call and fill these.
    `grant execute on function folded to ${role}`,
    `grant insert on count_changes to ${role}`,
  ]),
  // A caller of PostGraphile names no id.
  "alter table companies alter id set default uuidv7()",
  "alter table tasks alter id set default uuidv7()",
];

/** Starts Kantoor and fills an agency. @param flags options of Node.js */
export async function startKantoor(server: EmbeddedServer, flags: string[] = []): Promise<[Compared, Agency]> {
  const service = await launchService(
    { ...measuredService(server.url("application"), server.url("owner")), SERVICE_RATE_LIMIT_PER_KEY: "100000000" },
    [],
    { flags },
  );
  const superuser = new pg.Client({ connectionString: server.url("superuser") });
  await superuser.connect();
  try {
    const { id: organisation } = await createOrganisation(superuser, { slug: "agency", name: "An agency" });
    const { accountId } = await createMember(superuser, organisation, {
      email: "owner@agency.test",
      fullName: "Owner",
      role: "owner",
    });
    const scopes = [...(systemRoles().find(({ key }) => key === "admin")?.grants ?? [])];
    const { value: key } = await createKey(superuser, organisation, "kt", { name: "Bench", scopes, accountId });
    await send(service.port as number, "GET", "/tasks/statuses", { host: HOST, key });
    await superuser.query("select setseed(0.42)");
    for (const text of FILL) await superuser.query(text, [organisation]);
    for (const text of PREPARE) await superuser.query(text);
    await superuser.query("vacuum analyze");
    const idsOf = async (table: string) =>
      (await superuser.query<{ id: string }>(`select id from ${table} order by id limit 900`)).rows.map(({ id: one }) => one);
    const agency = { id: organisation, key, companies: await idsOf("companies"), tasks: await idsOf("tasks") };
    return [compared("Kantoor", service, service.port as number, "/api/v1", key), agency];
  } finally {
    await superuser.end();
  }
}

/** Starts the bare server, or PostGraphile from the folder of its installation. */
export async function startOther(server: EmbeddedServer, { id: organisation, key }: Agency, folder?: string): Promise<Compared> {
  const name = folder === undefined ? "floor" : "PostGraphile";
  const url = new URL(server.url("application"));
  Object.assign(url, { username: ROLES[name], password: "bench" });
  const program = path.join(import.meta.dirname, `beside-${name.toLowerCase()}.ts`);
  const about = ["--url", url.href, "--organisation", organisation, "--key", key, ...(folder ? ["--folder", folder] : [])];
  const other = await launch([process.execPath, "--disable-warning=ExperimentalWarning", program, ...about], {
    ready: /"port":(\d+)/,
    environment: { NODE_ENV: "production", GRAPHILE_ENV: "production" },
  });
  return compared(name, other, other.port as number, "", key);
}

function compared(name: Name, { pid, output, stop }: Spawned, port: number, root: string, key: string): Compared {
  const ask = (method: string, target: string, body?: object) => {
    const text = body === undefined ? "" : JSON.stringify(body);
    // A six-digit number replaces `{n}`.
    const length = Buffer.byteLength(text.replaceAll("{n}", "123456"));
    const entity = text ? `Content-Type: application/json\r\nContent-Length: ${length}\r\n` : "";
    const accept = name === "PostGraphile" ? "Accept: application/json\r\n" : "";
    return `${method} ${root}${target} HTTP/1.1\r\nHost: ${HOST}\r\nX-API-Key: ${key}\r\n${accept}${entity}\r\n${text}`;
  };
  return { name, pid, port, ids: [], output, stop, request: () => "", ask };
}

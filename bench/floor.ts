import type http from "node:http";
import { parseArgs } from "node:util";
import pg from "pg";
import { digest, jsonBody, organisationFor, serve } from "./bare-server.ts";
import { companyRows } from "./companies.ts";

/**
 * The floor: what a good engineer writes by hand in an afternoon. node:http, a pool of ten, row-level security in a transaction that awaits
 * its statements one by one, rows through JSON.stringify. No framework, no validation, no trail.
 */
const { values: given } = parseArgs({
  options: {
    url: { type: "string" },
    port: { type: "string", default: "0" },
    small: { type: "string", default: "1000" },
    large: { type: "string", default: "100000" },
  },
});
if (!given.url) throw new Error("--url postgres://… of a superuser is needed");

const organisations = {
  small: { id: "00000000-0000-4000-8000-000000000001", key: `floor_small_${"0123456789abcdef".repeat(2)}`, rows: given.small },
  large: { id: "00000000-0000-4000-8000-000000000002", key: `floor_large_${"0123456789abcdef".repeat(2)}`, rows: given.large },
};
const keys = new Map(Object.values(organisations).map(({ id, key }) => [digest(key), id]));

const COLUMNS =
  `id, organisation_id, name, legal_name, client_number, status, email, phone, vat_number, coc_number, street, house_number,
  postal_code, city, region, country, website, notes, is_client, is_supplier, is_archived, hourly_rate, credit_limit, payment_term_days,
  custom, created_at, updated_at`.replace(/\s+/g, " ");
const FIXED = new Set(["id", "organisation_id", "created_at", "updated_at"]);
const WRITABLE = new Set(COLUMNS.split(", ").filter((column) => !FIXED.has(column)));

async function prepare(url: string): Promise<string[]> {
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  await owner.query(`
    drop schema if exists floor cascade;
    create schema floor;
    create extension if not exists pg_trgm;
    do $$ begin create role floor_app login password 'floor' nosuperuser nobypassrls; exception when duplicate_object then null; end $$;
    create table floor.companies (
      id uuid primary key default gen_random_uuid(), organisation_id uuid not null, name text not null, legal_name text,
      client_number text, status text not null default 'active', email text, phone text, vat_number text, coc_number text, street text,
      house_number text, postal_code text, city text, region text, country text, website text, notes text,
      is_client boolean not null default true, is_supplier boolean not null default false, is_archived boolean not null default false,
      hourly_rate numeric(12,2), credit_limit int, payment_term_days int, custom jsonb not null default '{}',
      created_at timestamptz not null default now(), updated_at timestamptz not null default now());
    select setseed(0.42);`);
  for (const { id, rows } of Object.values(organisations))
    await owner.query(
      `insert into floor.companies (organisation_id, name, legal_name, client_number, status, email, phone, vat_number, coc_number, street,
         house_number, postal_code, city, region, country, website, notes, hourly_rate, credit_limit, payment_term_days, custom, created_at)
       select $1, c.name, c.legal_name, c.client_number, c.status, c.email, c.phone, c.vat_number, c.coc_number, c.street, c.house_number,
         c.postal_code, c.city, 'Utrecht', 'NL', c.website, c.notes, round((50 + random() * 150)::numeric, 2), (random() * 50000)::int,
         (array[14,30,60])[1 + (random() * 2)::int], c.custom, c.created_at from (${companyRows("$2")}) c`,
      [id, rows],
    );
  // Under row-level security no trigram index serves ILIKE, which is not leakproof. The honest solution by hand is a function that runs as
  // the owner, reads the organisation from the setting, and is planned for the actual term.
  await owner.query(`
    create index on floor.companies (organisation_id, name, id);
    create index on floor.companies using gin (name gin_trgm_ops);
    alter table floor.companies enable row level security;
    alter table floor.companies force row level security;
    create policy tenant on floor.companies using (organisation_id = nullif(current_setting('app.organisation_id', true), '')::uuid);
    grant usage on schema floor to floor_app;
    grant select, insert, update, delete on floor.companies to floor_app;
    create function floor.search(q text, page int, skip int) returns setof uuid language plpgsql stable security definer
      set search_path = floor, public as $$ begin return query execute format(
        'select id from companies where organisation_id = %L and name ilike %L order by name, id limit %s offset %s',
        nullif(current_setting('app.organisation_id', true), '')::uuid, q, page, skip); end $$;
    create function floor.matches(q text) returns bigint language plpgsql stable security definer
      set search_path = floor, public as $$ declare n bigint; begin execute format(
        'select count(*) from companies where organisation_id = %L and name ilike %L',
        nullif(current_setting('app.organisation_id', true), '')::uuid, q) into n; return n; end $$;
    grant execute on all functions in schema floor to floor_app;`);
  await owner.query("vacuum analyze floor.companies");
  const { rows } = await owner.query("select id from floor.companies where organisation_id = $1 order by id limit 900", [
    organisations.small.id,
  ]);
  await owner.end();
  return rows.map(({ id }) => id);
}

const ids = await prepare(given.url);
const address = new URL(given.url);
Object.assign(address, { username: "floor_app", password: "floor" });
const pool = new pg.Pool({ connectionString: address.href, max: 10 });
pool.on("error", () => {});

async function transaction<T>(organisation: string, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    await client.query("select set_config('app.organisation_id', $1, true)", [organisation]);
    const result = await work(client);
    await client.query("COMMIT");
    return result;
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {});
    throw error;
  } finally {
    client.release();
  }
}

const escaped = (text: string) => text.replace(/[\\%_]/g, (character) => `\\${character}`);

function list(organisation: string, query: URLSearchParams) {
  const [limit, offset] = [Number(query.get("limit") ?? 50), Number(query.get("offset") ?? 0)];
  const [q, counted] = [query.get("q"), query.get("count") !== "false"];
  const like = q && `%${escaped(q)}%`;
  const select = `select ${COLUMNS} from floor.companies where organisation_id = $1`;
  return transaction(organisation, async (client) => {
    const { rows: items } = like
      ? await client.query(`${select} and id in (select floor.search($2, $3, $4)) order by name, id`, [
          organisation,
          like,
          limit,
          offset,
        ])
      : await client.query(`${select} order by name, id limit $2 offset $3`, [organisation, limit, offset]);
    if (!counted) return { items, total: items.length, limit, offset };
    const { rows } = like
      ? await client.query("select floor.matches($1)::int n", [like])
      : await client.query("select count(*)::int n from floor.companies where organisation_id = $1", [organisation]);
    return { items, total: rows[0].n, limit, offset };
  });
}

type Body = Record<string, unknown>;
const one = async (organisation: string, text: string, values: unknown[]) =>
  transaction(organisation, async (client) => (await client.query(text, values)).rows[0]);
const get = (organisation: string, id: string) => one(organisation, `select ${COLUMNS} from floor.companies where id = $1`, [id]);
const insert = (organisation: string, body: Body) => {
  const names = Object.keys(body).filter((name) => WRITABLE.has(name));
  const slots = names.map((_, index) => `$${index + 2}`);
  return one(organisation, `insert into floor.companies (organisation_id, ${names}) values ($1, ${slots}) returning ${COLUMNS}`, [
    organisation,
    ...names.map((name) => body[name]),
  ]);
};
const update = (organisation: string, id: string, body: Body) => {
  const names = Object.keys(body).filter((name) => WRITABLE.has(name));
  const sets = names.map((name, index) => `${name} = $${index + 2}`);
  return one(organisation, `update floor.companies set ${sets}, updated_at = now() where id = $1 returning ${COLUMNS}`, [
    id,
    ...names.map((name) => body[name]),
  ]);
};

async function answer(request: http.IncomingMessage): Promise<[number, unknown]> {
  const organisation = organisationFor(keys, request);
  if (!organisation) return [401, { error: { code: "unauthorized" } }];
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://floor");
  const id = pathname.split("/")[2];
  if (request.method === "GET" && !id) return [200, await list(organisation, searchParams)];
  if (request.method === "POST") return [201, await insert(organisation, await jsonBody(request))];
  const row =
    request.method === "PATCH"
      ? await update(organisation, id as string, await jsonBody(request))
      : await get(organisation, id as string);
  return row ? [200, row] : [404, { error: { code: "not_found" } }];
}

serve(answer, Number(given.port), { small: { key: organisations.small.key, ids }, large: { key: organisations.large.key } });

import { mkdtemp, rm } from "node:fs/promises";
import http from "node:http";
import { loadavg, tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import { systemRoles } from "../core/declare/permissions.ts";
import { startEmbedded } from "../core/embedded/server.ts";
import { migrate, roleOf } from "../migrations/run.ts";
import { createKey, createMember, createOrganisation } from "../operator/organisations.ts";
import { filledAtOnce } from "../test/support/fixture/fixture-filled.ts";
import { launchService } from "../test/support/process.ts";
import { Load, listAgainstFloor } from "./measure.ts";
import { measuredService } from "./sides.ts";

/** Number of rows of each kind in this bench's organisation. */
const AMOUNTS = { companies: 2_000, contacts: 1_000, domains: 20_000 } as const;

/** The id of row `n` of a kind, identical in every run. */
const id = (kind: string, n: string) => `md5('${kind}' || ${n})::uuid`;
const { companies, contacts, domains } = AMOUNTS;

/** Kinds of providers a domain refers to; nine of each exist. */
const PROVIDERS = ["registrar", "dns", "email"];
const provider = (kind: string) => `case when n % 10 > 0 then ${id(kind, "(n % 10)")} end`;

/**
 * Fills organisation `$1`, owned by account `$2`, with domains whose every column has something to resolve: four TLDs with prices, parties
 * of each type, three providers, nine in ten in a register, by link or only by name. Nothing is random, so that two runs compare.
 */
const FILL = [
  `insert into companies (id, organisation_id, name) select ${id("company", "n")}, $1, 'Company ' || n
     from generate_series(1, ${companies}) n where $2::uuid is not null`,
  `insert into contacts (id, organisation_id, first_name, last_name, email)
     select ${id("contact", "n")}, $1, 'First' || n, 'Last' || n, 'contact' || n || '@bench.test'
       from generate_series(1, ${contacts}) n where $2::uuid is not null`,
  ...PROVIDERS.map(
    (kind) => `insert into providers (id, organisation_id, kind, name)
     select ${id(kind, "n")}, $1, '${kind}', 'Provider ' || n from generate_series(1, 9) n where $2::uuid is not null`,
  ),
  `insert into tld_prices (id, organisation_id, tld, amount, currency, valid_from)
     select gen_random_uuid(), $1, tld, 9.95 + n, 'EUR', date '2020-01-01' + 365 * n
       from unnest(array['nl', 'com', 'eu', 'org']) tld, generate_series(0, 4) n where $2::uuid is not null`,
  `insert into domains (id, organisation_id, company_id, name, label, tld, status, redirect_url, start_date, next_invoice_date, price_override,
       invoiceable, registrar_provider_id, dns_provider_id, registry_contact_type, registry_contact_id, email_enabled, email_provider_id,
       email_contact_type, email_contact_id, nameservers, dnssec, mx_records, dns_checked_at, created_at, updated_at)
     select ${id("domain", "n")}, $1, ${id("company", `(1 + n % ${companies})`)}, d.name, d.name, d.tld,
            case when n % 20 = 3 then 'redirect' else 'active' end, case when n % 20 = 3 then 'https://elsewhere.test/' || n end,
            date '2018-01-01' + n % 2500, current_date + n % 365, case when n % 50 = 7 then 12.50 end, case when n % 25 = 9 then n % 2 = 0 end,
            ${provider("registrar")}, ${provider("dns")},
            (array['agency', 'company', 'company', 'contact', 'employee'])[1 + n % 5],
            case n % 5 when 3 then ${id("contact", `(1 + n % ${contacts})`)} when 4 then $2::uuid end,
            n % 2 = 0, case when n % 2 = 0 then ${id("email", "(1 + n % 9)")} end,
            case when n % 2 = 0 then 'contact' end, case when n % 2 = 0 then ${id("contact", `(1 + n % ${contacts})`)} end,
            array['ns1.bench.test', 'ns2.bench.test', 'ns3.bench.test'], n % 3 = 0,
            jsonb_build_array(jsonb_build_object('priority', 10, 'exchange', 'mx.bench.test')), now(), now() - n * interval '1 hour', now()
       from generate_series(1, ${domains}) n,
            lateral (select (array['nl', 'com', 'eu', 'org'])[1 + n % 4] as tld) t,
            lateral (select substr(md5(n::text), 1, 8) || '-domain-' || n || '.' || t.tld as name, t.tld) d`,
  `insert into edge_accounts (id, organisation_id, name, api_token, registrations_read_at)
     select ${id("account", "1")}, $1, 'Edge', 'v1.00000000.', now() where $2::uuid is not null`,
  `insert into registrar_accounts (id, organisation_id, name, api_user, api_password, last_synced_at)
     select ${id("account", "2")}, $1, 'Registrar', 'user', 'v1.00000000.', now() where $2::uuid is not null`,
  `insert into edge_registrations (id, organisation_id, account_id, name, domain_id, at_provider, expires_at)
     select gen_random_uuid(), $1, ${id("account", "1")}, d.name, case when d.tld = 'com' then d.id end, d.tld = 'com', now() + interval '90 days'
       from domains d where d.organisation_id = $1 and d.tld in ('com', 'eu') and $2::uuid is not null`,
  `insert into registrar_domains (id, organisation_id, account_id, name, label, sld, tld, domain_id, expires_on, registry_status)
     select gen_random_uuid(), $1, ${id("account", "2")}, d.name, d.label, d.name, d.tld,
            case when get_byte(uuid_send(d.id), 1) % 10 > 0 then d.id end, current_date + 200, 'active'
       from domains d where d.organisation_id = $1 and d.tld <> 'com' and get_byte(uuid_send(d.id), 0) % 10 > 0 and $2::uuid is not null`,
];

/** Sets what triggers would have maintained, once the indexes exist. */
const KEPT =
  "update domains d set (held_by_edge, held_by_registrar, register_expires_on) = (select r.* from registers_of($1, d.id, d.name) r) where d.organisation_id = $1";

const HELP = `npm run bench -- assets [options]: the list of ${AMOUNTS.domains} domains over HTTP, everything resolved, beside the floor's list of companies
  --bursts 3      bursts of lists of each side, alternating
  --seconds 4     each of them`;
const { values: options } = parseArgs({
  options: {
    bursts: { type: "string", default: "3" },
    seconds: { type: "string", default: "4" },
    help: { type: "boolean", default: false },
  },
});
if (options.help) {
  process.stdout.write(`${HELP}\n`);
  process.exit(0);
}
const [bursts, seconds] = [Number(options.bursts), Number(options.seconds)];
/** Minimum rate of the list, as a multiple of the floor's. */
const BAR = 0.7;
const CALLERS = 16;
const LIST = "/domains?count=false&limit=50";

/** Prints one line with the machine's load, and whether it met the bar. */
function tell(line: string, met = true): void {
  process.stdout.write(`${line}${met ? "" : "; MISSED"} (load ${(loadavg()[0] as number).toFixed(1)})\n`);
  if (!met) process.exitCode = 1;
}

const dataDir = await mkdtemp(path.join(tmpdir(), "kantoor-bench-"));
const server = await startEmbedded({ dataDir, durable: false });
await migrate(server.url("owner"), roleOf(server.url("application")));
const superuser = new pg.Client({ connectionString: server.url("superuser") });
await superuser.connect();
const organisation = await createOrganisation(superuser, { slug: "bench", name: "Bench" });
const { accountId } = await createMember(superuser, organisation.id, { email: "owner@bench.test", role: "owner" });
const scopes = systemRoles().find(({ key }) => key === "admin")?.grants ?? [];
const key = await createKey(superuser, organisation.id, "kt", { name: "Bench", scopes: [...scopes], accountId });
const service = await launchService({
  ...measuredService(server.url("application"), server.url("owner")),
  SERVICE_COUNT_STATEMENTS: "true",
});
const headers = { Host: "bench.bench.test", "X-API-Key": key.value };
const load = new Load();

/** One response of the service: its JSON text and its number of statements. */
const ask = (target: string): Promise<{ text: string; statements: number }> =>
  new Promise((resolve, reject) => {
    const about = { port: service.port, host: "127.0.0.1", path: `/api/v1${target}`, headers, agent: false };
    http
      .get(about, (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        response.on("end", () => {
          const text = Buffer.concat(parts).toString();
          if (response.statusCode === 200) resolve({ text, statements: Number(response.headers["x-statements"]) });
          else reject(new Error(`${target}: ${response.statusCode} ${text.slice(0, 500)}`));
        });
      })
      .on("error", reject);
  });

/** Columns that are empty in every domain of a page; they would make the comparison too easy. */
function emptyColumns(items: Record<string, unknown>[]): string[] {
  const isEmpty = (value: unknown) => value === null || value === "" || (Array.isArray(value) && value.length === 0);
  return Object.keys(items[0] ?? {}).filter((name) => items.every((item) => isEmpty(item[name])));
}

async function countStatements(): Promise<void> {
  // The first call fills the caches of key and organisation.
  await ask(LIST);
  const counted: number[] = [];
  for (const limit of [1, 50, 200]) counted.push((await ask(`/domains?count=false&limit=${limit}`)).statements);
  const found = [...new Set(counted)];
  tell(`GET /domains, 1, 50 and 200 of ${AMOUNTS.domains}: ${found.join(", ")} statements`, found.length === 1);
}

async function compareList(): Promise<void> {
  const { ratio, told } = await listAgainstFloor({
    server,
    service,
    load,
    headers,
    list: LIST,
    callers: CALLERS,
    bursts,
    seconds,
  });
  const { text } = await ask(LIST);
  const empty = emptyColumns(JSON.parse(text).items);
  tell(
    `GET ${LIST} (${Math.round(text.length / 1024)} kB${empty.length > 0 ? `, NOTHING IN ${empty.join()}` : ""}): ${told}: ${ratio.toFixed(2)} × (bar ${BAR})`,
    ratio >= BAR,
  );
}

try {
  await filledAtOnce(superuser, async () => {
    for (const text of FILL) await superuser.query(text, [organisation.id, accountId]);
  });
  await superuser.query(KEPT, [organisation.id]);
  await superuser.query("vacuum full analyze domains");
  await superuser.query("vacuum analyze");
  await countStatements();
  await compareList();
} finally {
  load.stop();
  await superuser.end();
  await service.stop();
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
}

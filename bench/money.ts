import { existsSync } from "node:fs";
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
import { SUMMARY } from "../services/money/reports/summary.ts";
import { filledAtOnce } from "../test/support/fixture/fixture-filled.ts";
import { launchService } from "../test/support/process.ts";
import { Load, listAgainstFloor } from "./measure.ts";
import { Commits, issuing } from "./money-issuing.ts";
import { measuredService } from "./sides.ts";

/** Number of rows of each kind in this bench's organisation. */
const AMOUNTS = { companies: 500, invoices: 100_000, drafts: 2_000 } as const;

/** The id of row `n` of a kind, identical in every run. */
const id = (kind: string, n: string) => `md5('${kind}' || ${n})::uuid`;
const { companies, invoices, drafts } = AMOUNTS;
const LINES = 4;

/** A bill-to party as the service copies it from a client. */
const customer = (name: string) => `jsonb_build_object('name', ${name}, 'trade_name', ${name}, 'address_line1', 'Oudegracht 12',
    'address_line2', null, 'postal_code', '3511 AB', 'city', 'Utrecht', 'country', 'NL', 'vat_number', null, 'coc_number', null,
    'client_number', null, 'email', 'company@bench.test', 'attn', null)`;

const SHARED = "organisation_id, company_id, currency, locale, customer, subtotal, tax_total, total, tax_groups";
const shared = (n: string) => `$1, ${id("company", `(1 + ${n} % ${companies})`)}, 'EUR', 'nl',
  ${customer(`'Company ' || 1 + ${n} % ${companies}`)},
  400 + ${n} % 900, round((400 + ${n} % 900) * 0.21, 2), round((400 + ${n} % 900) * 1.21, 2),
  jsonb_build_array(jsonb_build_object('name', 'Btw hoog', 'category', 'standard', 'rate_pct', '21.00',
    'base', (400 + ${n} % 900)::numeric(14, 2)::text, 'tax', round((400 + ${n} % 900) * 0.21, 2)::text))`;

const linesOf = (
  kind: string,
  most: number,
) => `insert into document_lines (id, organisation_id, invoice_id, position, description, quantity,
    unit, unit_price, amount, tax_rate_pct, tax_category, tax_name)
  select gen_random_uuid(), $1, ${id(kind, "n")}, m, 'Work on part ' || m, 1, 'uur', a.amount, a.amount, 21, 'standard', 'Btw hoog'
    from generate_series(1, ${most}) n, generate_series(0, ${LINES - 1}) m,
    lateral (select case when m = 0 then 100 + n % 900 else 100 end as amount) a`;

/**
 * Fills organisation `$1` with five years of invoices: nine in ten settled, some open or late, a few drafts and credit notes; and with
 * drafts ready to be issued. Nothing is random, so that two runs compare.
 */
const FILL = [
  `insert into companies (id, organisation_id, name) select ${id("company", "n")}, $1, 'Company ' || n from generate_series(1, ${companies}) n`,
  `insert into invoices (id, ${SHARED}, number, status, kind, issue_date, due_date, paid_total, paid_at, public_token, created_at, updated_at)
     select ${id("invoice", "n")}, ${shared("n")}, case when s.status <> 'draft' then 'B' || lpad(n::text, 7, '0') end, s.status, 'invoice',
            d.day, d.day + 14, case when s.status = 'paid' then round((400 + n % 900) * 1.21, 2) else 0 end,
            case when s.status = 'paid' then d.day::timestamptz + interval '20 days' end,
            case when s.status <> 'draft' then substr(md5('token' || n) || md5(n::text), 1, 43) end, d.day::timestamptz, d.day::timestamptz
       from generate_series(1, ${invoices}) n,
       lateral (select current_date - 1 - (n::bigint * 1826 / ${invoices})::int as day) d,
       lateral (select case when n % 100 = 7 then 'draft' when n % 100 = 13 then 'cancelled' when n % 12 = 5 then 'open' else 'paid' end as status) s`,
  linesOf("invoice", invoices),
  `insert into invoices (id, ${SHARED}, status, kind, created_at)
     select ${id("draft", "n")}, ${shared("n")}, 'draft', 'invoice', now() - interval '10 years' from generate_series(1, ${drafts}) n`,
  linesOf("draft", drafts),
];

/** The drafts to issue; `$1` is the organisation. */
const DRAFTS = `select d.id from (select ${id("draft", "n")} as id, n from generate_series(1, ${drafts}) n) d
  join invoices i on i.organisation_id = $1 and i.id = d.id order by d.n`;
/** An issued invoice with some lines. */
const ONE_INVOICE = "select id from invoices where organisation_id = $1 and status = 'open' order by id limit 1";

const HELP = `npm run bench -- money [options]: what money costs over HTTP, on a database that waits for its disk
  ${AMOUNTS.invoices} invoices and ${AMOUNTS.drafts} drafts in one organisation
  --only issue,list,preview,pdf,summary
  --rounds 60     answers of each side, alternating
  --seconds 4     each of three bursts of lists of each side, alternating`;
const { values: options } = parseArgs({
  options: {
    only: { type: "string", default: "issue,list,preview,pdf,summary" },
    rounds: { type: "string", default: "60" },
    seconds: { type: "string", default: "4" },
    help: { type: "boolean", default: false },
  },
});
if (options.help) {
  process.stdout.write(`${HELP}\n`);
  process.exit(0);
}
const [rounds, seconds] = [Number(options.rounds), Number(options.seconds)];
const wanted = new Set(options.only.split(","));
/** Minimum of the list and maximum of the summary, as a multiple of the floor; maximum of the others in milliseconds. */
const BARS = { list: 1, summary: 1.5, preview: 15, pdf: 150 };
const BURSTS = 3;
const CALLERS = 16;

const p50 = (values: number[]) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] as number;
const say = (line: string) => process.stdout.write(`${line}\n`);
/** Prints one line with the machine's load, and whether it met the bar. */
function tell(line: string, met = true): void {
  say(`${line}${met ? "" : "; MISSED"} (load ${(loadavg()[0] as number).toFixed(1)})`);
  if (!met) process.exitCode = 1;
}
const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now();
  await work();
  return performance.now() - began;
};

const dataDir = await mkdtemp(path.join(tmpdir(), "kantoor-bench-"));
const server = await startEmbedded({ dataDir });
await migrate(server.url("owner"), roleOf(server.url("application")));
const [owner, superuser, application] = ["owner", "superuser", "application"].map(
  (role) => new pg.Client({ connectionString: server.url(role as "owner") }),
) as [pg.Client, pg.Client, pg.Client];
await Promise.all([owner, superuser, application].map((client) => client.connect()));
const organisation = await createOrganisation(owner, { slug: "bench", name: "Bench" });
const { accountId } = await createMember(owner, organisation.id, { email: "owner@bench.test", role: "owner" });
const scopes = systemRoles().find(({ key }) => key === "admin")?.grants ?? [];
const key = await createKey(owner, organisation.id, "kt", { name: "Bench", scopes: [...scopes], accountId });

const INSTALLED = "/usr/bin/chromium";
const service = await launchService({
  ...measuredService(server.url("application"), server.url("owner")),
  SERVICE_DATA_DIR: dataDir,
  SERVICE_PDF_TIMEOUT_MS: "30000",
  ...(existsSync(INSTALLED) && { SERVICE_CHROMIUM_PATH: INSTALLED }),
});
const load = new Load();
const agent = new http.Agent({ keepAlive: true, maxSockets: CALLERS });
const headers = { Host: "bench.bench.test", "X-API-Key": key.value };

const ask = (method: "GET" | "POST", target: string): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const body = method === "POST" ? "{}" : "";
    const given = body ? { ...headers, "Content-Type": "application/json", "Content-Length": body.length } : headers;
    const about = { port: service.port, host: "127.0.0.1", method, path: `/api/v1${target}`, headers: given, agent };
    const sent = http.request(about, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("end", () => {
        const bytes = Buffer.concat(parts);
        if (response.statusCode === 200) resolve(bytes);
        else reject(new Error(`${target}: ${response.statusCode} ${bytes.toString().slice(0, 500)}`));
      });
    });
    sent.on("error", reject).end(body);
  });

async function issueDrafts(): Promise<void> {
  const { rows } = await superuser.query<{ id: string }>(DRAFTS, [organisation.id]);
  const ids = rows.map(({ id }) => id);
  const half = ids.length / 2;
  const commits = await Commits.open(server.url("superuser"), CALLERS);
  const issue = async (id: string) => JSON.parse((await ask("POST", `/invoicing/invoices/${id}/issue`)).toString()).number;
  for (const [name, callers, some] of [
    ["one after another", 1, ids.slice(0, half)],
    [`by ${CALLERS} callers`, CALLERS, ids.slice(half)],
  ] as const) {
    const { perSecond, commits: bare } = await issuing(some, { callers, portions: 5, commits, issue });
    const [each, commit] = [1000 / perSecond, 1000 / bare];
    tell(
      `issue ${some.length} drafts ${name}: ${perSecond.toFixed(0)} a second, numbers without a gap; the database commits ${bare.toFixed(0)} a second on one row: ${commit.toFixed(2)} of ${each.toFixed(2)} ms, ${((100 * commit) / each).toFixed(0)} %`,
    );
  }
  await commits.close();
}

async function compareList(): Promise<void> {
  const list = "/invoicing/invoices?lines=false&count=false&limit=50";
  const sides = { server, service, load, headers, list };
  const { ratio, told } = await listAgainstFloor({ ...sides, callers: CALLERS, bursts: BURSTS, seconds });
  const size = Math.round((await ask("GET", list)).length / 1024);
  tell(`GET ${list} (${size} kB): ${told}: ${ratio.toFixed(2)} × (bar ${BARS.list})`, ratio >= BARS.list);
}

async function compareSummary(): Promise<void> {
  const year = new Date().getUTCFullYear();
  const values = [organisation.id, new Date(), `${year}-01-01T00:00:00Z`, `${year + 1}-01-01T00:00:00Z`, true, false];
  const bare = () =>
    timed(async () => {
      await application.query("begin");
      await application.query("select set_config('app.organisation_id', $1, true)", [organisation.id]);
      await application.query({ name: SUMMARY.name, text: SUMMARY.text, values });
      await application.query("commit");
    });
  const whole = () => timed(() => ask("GET", "/invoicing/summary"));
  const [times, bareTimes]: [number[], number[]] = [[], []];
  for (let n = -5; n < rounds; n++) {
    const [one, other] = [await bare(), await whole()];
    if (n < 0) continue;
    bareTimes.push(one);
    times.push(other);
  }
  const ratio = p50(times) / p50(bareTimes);
  tell(
    `GET /invoicing/summary: p50 ${p50(times).toFixed(1)} ms against ${p50(bareTimes).toFixed(1)} of its SQL: ${ratio.toFixed(2)} × (bar ${BARS.summary})`,
    ratio <= BARS.summary,
  );
}

async function timeDocument(what: "preview" | "pdf", answers: number): Promise<void> {
  const [found] = (await superuser.query<{ id: string }>(ONE_INVOICE, [organisation.id])).rows;
  const target = `/invoicing/invoices/${found?.id}/${what}`;
  let bytes: Buffer = Buffer.alloc(0);
  const times: number[] = [];
  for (let n = -3; n < answers; n++) {
    const took = await timed(async () => (bytes = await ask("GET", target)));
    if (n >= 0) times.push(took);
  }
  const size = Math.round(bytes.length / 1024);
  tell(
    `GET /invoicing/invoices/{id}/${what} (${size} kB): p50 ${p50(times).toFixed(1)} ms, least ${Math.min(...times).toFixed(1)} (bar ${BARS[what]})`,
    p50(times) <= BARS[what],
  );
}

try {
  await ask("GET", "/invoicing/settings");
  await ask("GET", "/invoicing/tax-rates");
  const took = await timed(async () => {
    await filledAtOnce(superuser, async () => {
      for (const text of FILL) await superuser.query(text, [organisation.id]);
    });
    await superuser.query("vacuum analyze");
  });
  say(`filled in ${(took / 1000).toFixed(0)} s`);
  if (wanted.has("preview")) await timeDocument("preview", rounds);
  if (wanted.has("pdf")) await timeDocument("pdf", Math.ceil(rounds / 2));
  if (wanted.has("summary")) await compareSummary();
  if (wanted.has("list")) await compareList();
  if (wanted.has("issue")) await issueDrafts();
} finally {
  agent.destroy();
  load.stop();
  await Promise.all([owner, superuser, application].map((client) => client.end()));
  await service.stop();
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
}

import { mkdtemp, rm } from "node:fs/promises";
import http from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import { readConfig } from "../core/config/config.ts";
import type { Listing } from "../core/database/lists/list.ts";
import { systemRoles } from "../core/declare/permissions.ts";
import { startEmbedded } from "../core/embedded/server.ts";
import { migrate, roleOf } from "../migrations/run.ts";
import { createNode } from "../operator/node.ts";
import { createKey, createMember, createOrganisation, findOrganisation } from "../operator/organisations.ts";
import { companyListing } from "../services/clients/companies/company.list.ts";
import { subscriptionListing } from "../services/money/agreements/subscription.list.ts";
import { invoiceListing } from "../services/money/documents/invoices/invoice.list.ts";
import { interactionSorts } from "../services/work/interactions/interaction.list.ts";
import { taskListing } from "../services/work/tasks/task.list.ts";
import { entryListing } from "../services/work/time/entries/entry.list.ts";
import { filledAtOnce } from "../test/support/fixture/fixture-filled.ts";
import { CALLERS, FILL, HELD, OWN, SINCE } from "./growth-fill.ts";

const HELP = `npm run growth -- [options]: the lists over HTTP, first page, count=false, in organisations of growing size
  --sizes 10000,100000,1000000   companies of each organisation, and as many tasks, hours, contact moments, notifications and invoices
  --rounds 21                    times each question is asked
  --only <text>                  questions whose name holds it
  --data <dir>                   a folder that keeps the filled database, or has it already`;
const { values: options } = parseArgs({
  options: {
    sizes: { type: "string", default: "10000,100000,1000000" },
    rounds: { type: "string", default: "21" },
    only: { type: "string", default: "" },
    data: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
if (options.help) {
  process.stdout.write(`${HELP}\n`);
  process.exit(0);
}
const sizes = options.sizes.split(",").map(Number);
const rounds = Number(options.rounds);

const dataDir = options.data ? path.resolve(options.data) : await mkdtemp(path.join(tmpdir(), "kantoor-growth-"));
const server = await startEmbedded({ dataDir, durable: false });
await migrate(server.url("owner"), roleOf(server.url("application")));
const owner = new pg.Client({ connectionString: server.url("superuser") });
await owner.connect();
const scopes = systemRoles().find(({ key }) => key === "admin")?.grants ?? [];

/** A member and their key. */
interface Caller {
  key: string;
  accountId: string;
}
/** An organisation with a key of its owner, and its callers by name. */
interface Asked {
  host: string;
  key: string;
  callers: Record<string, Caller>;
}

/** A member, created if missing, who is on the roster of each `every`-th task and company. */
async function callerOf(organisationId: string, slug: string, every: number): Promise<Caller> {
  const email = `${slug}-${every}@bench.test`;
  const { rows: there } = await owner.query("select id from accounts where email = $1", [email]);
  const member = { email, fullName: `Caller ${every}`, role: "owner" } as const;
  const accountId: string = there[0]?.id ?? (await createMember(owner, organisationId, member)).accountId;
  if (there.length === 0) {
    await owner.query("set session_replication_role = replica");
    for (const text of OWN) await owner.query(text, [organisationId, accountId, every]);
    await owner.query("reset session_replication_role");
  }
  const { value: key } = await createKey(owner, organisationId, "kt", { name: `bench ${Date.now()}`, scopes, accountId });
  return { key, accountId };
}

/** An organisation with this many companies, filled if it is missing, and the keys for it. */
async function organisationOf(size: number): Promise<Asked> {
  const slug = `of-${size}`;
  const { rows: there } = await owner.query("select id from organisations where slug = $1", [slug]);
  if (there.length === 0) {
    process.stderr.write(`filling ${size} companies\n`);
    const { id } = await createOrganisation(owner, { slug, name: slug });
    const { accountId } = await createMember(owner, id, { email: `${slug}@bench.test`, fullName: "Owner", role: "owner" });
    await owner.query("select setseed(0.42)");
    await filledAtOnce(owner, async () => {
      for (const text of FILL) await owner.query(text, [id, size, accountId]);
    });
  }
  const { id } = await findOrganisation(owner, slug);
  const { rows } = await owner.query("select account_id from memberships where organisation_id = $1 limit 1", [id]);
  const { value } = await createKey(owner, id, "kt", { name: `bench ${Date.now()}`, scopes, accountId: rows[0].account_id });
  const callers: Asked["callers"] = {};
  for (const [name, every] of Object.entries(CALLERS)) callers[name] = await callerOf(id, slug, every);
  return { host: `${slug}.kantoor.test`, key: value, callers };
}
const organisations = [];
for (const size of sizes) organisations.push(await organisationOf(size));
await owner.query("vacuum analyze");

const node = await createNode(
  readConfig({
    SERVICE_DATABASE_URL: server.url("application"),
    SERVICE_DATABASE_MIGRATION_URL: server.url("owner"),
    SERVICE_DATA_DIR: dataDir,
    SERVICE_SECRET: "the secret of a bench, 0123456789 0123456789",
    SERVICE_HTTP_PORT: "0",
    SERVICE_HTTP_ADDRESS: "127.0.0.1",
    SERVICE_BASE_DOMAIN: "kantoor.test",
    SERVICE_LOG_LEVEL: "silent",
    SERVICE_RATE_LIMIT_PER_KEY: "0",
  }),
);
await node.start();
const agent = new http.Agent({ keepAlive: true });
const get = ({ host, key }: { host: string; key: string }, target: string): Promise<{ items: unknown[] }> =>
  new Promise((resolve, reject) => {
    const headers = { Host: host, "X-API-Key": key };
    http
      .get({ port: node.port(), host: "127.0.0.1", path: `/api/v1${target}`, headers, agent }, (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        response.on("end", () =>
          response.statusCode === 200
            ? resolve(JSON.parse(Buffer.concat(parts).toString()))
            : reject(new Error(`${target}: ${response.statusCode} ${Buffer.concat(parts)}`)),
        );
      })
      .on("error", reject);
  });

/** Each sort key of a list, in both directions. */
const both = (sorts: object): string[] => Object.keys(sorts).flatMap((key) => [key, `-${key}`]);
const named = ({ spec }: Listing) => both(Object.fromEntries(Object.entries(spec.sorts).filter(([, { unnamed }]) => !unnamed)));
const sorts = named(companyListing);
const terms = { ...Object.fromEntries(Object.entries(HELD).map(([word, one]) => [`${100 / one} %`, word])), none: "nullibi" };
const crowded = {
  "5 % that begin the last names": "willems",
  "5 % that begin the first": "bakker",
  "0.4 % of common parts": "visser zorg",
  "two letters, none": "qz",
};
/** A question of the owner, or of one of the callers, whose account replaces `$me`. */
type Question = [name: string, target: string, caller?: string];
const companies: Question[] = [
  ["plain", ""],
  ...sorts.map((sort): Question => [`sort=${sort}`, `sort=${sort}`]),
  ...["", ...sorts].map((sort): Question => [`1,000 since${sort && ", "}${sort}`, `updated_since=${SINCE}&sort=${sort}`]),
  ...Object.entries({ ...terms, ...crowded }).map(([name, q]): Question => [`q: ${name}`, `q=${encodeURIComponent(q)}`]),
  ...Object.entries(terms).map(([name, q]): Question => [`q: ${name}, -updated_at`, `q=${q}&sort=-updated_at`]),
].map(([name, query]) => [name as string, `/companies?count=false&${query}`]);
/** A list without a sort and with each of its sorts. */
const sorted = (name: string, path: string, keys: readonly string[]): Question[] => [
  [`${name}: plain`, path],
  ...keys.map((sort): Question => [`${name}: sort=${sort}`, `${path}&sort=${sort}`]),
];
const lately = encodeURIComponent(new Date(Date.now() - 60 * 60_000).toISOString());
const questions: Question[] = [
  ...companies,
  ...sorted("tasks", "/tasks?count=false", named(taskListing)),
  ["tasks: mine", "/tasks/mine"],
  ...Object.keys(CALLERS).flatMap((caller): Question[] => [
    [`tasks: mine, of ${caller}`, "/tasks/mine", caller],
    [`tasks: dashboard, of ${caller}`, "/tasks/dashboard-mine", caller],
    [`tasks: assignee, of ${caller}`, "/tasks?count=false&assignee_user_id=$me", caller],
    [`companies: mine, of ${caller}`, "/companies?count=false&mine=true", caller],
  ]),
  ["tasks: groups", "/tasks/dashboard-groups"],
  ...sorted("hours", "/time/entries?count=false&all_users=true", named(entryListing)),
  ...sorted("moments", "/interactions?count=false", both(interactionSorts)),
  ["moments: counted", "/interactions"],
  ["inbox: plain", "/notifications?count=false"],
  ["inbox: last hour", `/notifications?count=false&updated_since=${lately}`],
  ...sorted("invoices", "/invoicing/invoices?count=false&lines=false", named(invoiceListing)),
  ...sorted("agreements", "/subscriptions?count=false", named(subscriptionListing)),
];

const p50 = (values: number[]) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] as number;
async function figure(organisation: { host: string; key: string }, target: string): Promise<number> {
  for (let n = 0; n < 3; n++) await get(organisation, target);
  const times: number[] = [];
  for (let n = 0; n < rounds; n++) {
    const began = performance.now();
    await get(organisation, target);
    times.push(performance.now() - began);
  }
  return p50(times);
}
const row = (first: string, cells: string[]) => `${first.padEnd(34)}${cells.map((cell) => cell.padStart(12)).join("")}\n`;
try {
  process.stdout.write(row("p50 in ms", [...sizes.map(String), "largest/1st"]));
  for (const [name, target, caller] of questions.filter(([name]) => name.includes(options.only))) {
    const figures: number[] = [];
    for (const organisation of organisations) {
      const asking = caller === undefined ? undefined : organisation.callers[caller];
      figures.push(await figure({ ...organisation, ...asking }, target.replace("$me", asking?.accountId ?? "")));
    }
    const ratio = (figures.at(-1) as number) / (figures[0] as number);
    process.stdout.write(row(name, [...figures.map((value) => value.toFixed(1)), `${ratio.toFixed(1)} ×`]));
  }
} finally {
  agent.destroy();
  await node.stop();
  await owner.end();
  await server.stop();
  if (!options.data) await rm(dataDir, { recursive: true, force: true });
}

import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import pg from "pg";
import { allModels, violationOf } from "../../../core/database/model.ts";
import { explained } from "../../../core/database/write.ts";
import { ApiError } from "../../../core/errors/errors.ts";
import { cloneDatabase } from "../../support/database.ts";
import { prepareRuntime } from "../../support/runtime.ts";

const ROOT = path.join(import.meta.dirname, "../../..");
/** Digests and tokens that this service draws at random: no caller can choose one that exists. */
const RANDOM = /(_hash|_token|lookup)$/;

const TWINS = "only two concurrent writes of the same row collide; the later one is a plain conflict";
const CLEARED = "the write takes the mark from every other row first; of two concurrent ones the later is a plain conflict";
const REPLACED = "rows are deleted and written again as a set, without duplicates, while their record is locked";
const ONE_WRITER = "only one job or the command line writes it";
const NUMBERED = "numbers are counted up in a locked row";
const IGNORED = "the statement ignores or overwrites a row that exists";

/** Unique keys without a declared meaning, each with the reason. A new one is a decision, not an accident. */
const PLAIN: Record<string, string> = {
  ads_days_pkey: ONE_WRITER,
  company_assignees_one_primary: CLEARED,
  company_match_keys_pkey: "a trigger writes it",
  contact_links_one_primary: CLEARED,
  contact_match_keys_pkey: "a trigger writes it",
  count_changes_pkey: "a sequence counts it",
  document_lines_of_invoice: REPLACED,
  document_lines_of_quote: REPLACED,
  drive_provisions_record: IGNORED,
  edge_redirects_domain_key: TWINS,
  email_templates_kind: IGNORED,
  former_selections_pkey: "a trigger writes it",
  hr_documents_organisation_id_file_id_key: "the file is new",
  installation_pkey: ONE_WRITER,
  instance_administrators_email_key: IGNORED,
  invoice_payments_intent_key: "the payment attempt is locked",
  invoices_number_key: NUMBERED,
  kept_counts_pkey: "one function writes it, and ends where another of its calls runs",
  leave_calendar_tokens_organisation_id_membership_id_key: TWINS,
  leave_contracted_pkey: "a trigger writes it",
  leave_profiles_one: TWINS,
  leave_settings_one: TWINS,
  marketing_months_pkey: "a trigger writes it",
  membership_roles_pkey: "the membership is locked",
  migrations_pkey: ONE_WRITER,
  notification_channel_routes_pkey: REPLACED,
  organisation_domains_verified: IGNORED,
  organisation_suspensions_pkey: IGNORED,
  organisations_slug_key: IGNORED,
  outbox_order: "a sequence counts it",
  payment_intents_external_key: "the provider's id of a new payment",
  payment_intents_one_payable: TWINS,
  product_licences_pkey: ONE_WRITER,
  project_assignees_one_primary: CLEARED,
  project_assignees_pkey: IGNORED,
  quotes_number_key: NUMBERED,
  report_templates_one_default: CLEARED,
  selection_moves_pkey: "a trigger writes it",
  sso_links_subject: TWINS,
  sso_settings_one: TWINS,
  subscription_type_task_templates_pkey: REPLACED,
  task_assignees_one_primary: CLEARED,
  task_assignees_pkey: IGNORED,
  task_calendar_tokens_one: TWINS,
  tax_rates_one_default: CLEARED,
  time_entries_one_running: TWINS,
  webhook_deliveries_event_key: IGNORED,
  workspace_calendar_channels_active: ONE_WRITER,
  workspace_calendar_mirrors_key: IGNORED,
};

/** Files that write a table but none of the columns of a key with a meaning. */
const NO_KEY: Record<string, string> = {
  "services/money/documents/issued-looks.ts": "sets what issued documents print",
  "services/work/interactions/closing.ts": "empties a reference, which cannot violate its key",
};

interface Key {
  name: string;
  table: string;
  /** `u` for a unique key or index, `f` for a reference, `c` for a check, `x` for an exclusion. */
  kind: string;
  /** The columns and expressions of a unique key, as an `on conflict` names them. */
  columns: string;
}

const KEYS = `select i.relname as name, c.relname as table, 'u' as kind,
    (select string_agg(pg_get_indexdef(x.indexrelid, n, true), ', ' order by n) from generate_series(1, x.indnkeyatts) n) as columns
  from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class c on c.oid = x.indrelid
  where c.relnamespace = 'public'::regnamespace and x.indisunique
  union all select k.conname, c.relname, k.contype, '' from pg_constraint k join pg_class c on c.oid = k.conrelid
  where c.relnamespace = 'public'::regnamespace and k.contype in ('f', 'c', 'x')`;

const sources = new Map(
  globSync("{core,mixins,services,integrations}/**/*.ts", { cwd: ROOT })
    .filter((file) => !file.includes("/demo/"))
    .map((file) => [file, readFileSync(path.join(ROOT, file), "utf8")]),
);
const text = [...sources.values()].join("\n");

/** What the inserts of a table do about existing rows: the columns of each `on conflict`, `*` for one without columns. */
const ignored = Map.groupBy(
  [...text.matchAll(/insert into (\w+)((?:(?!insert into )[\s\S])*?)on conflict(?: \(([^)]*)\))?/g)].map((found) => ({
    table: found[1] as string,
    columns: found[3]?.replace(/\s+/g, " ") ?? "*",
  })),
  ({ table }) => table,
);

/** The files that importing `file` loads, itself included. */
function loadedWith(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file) || !sources.has(file)) return seen;
  seen.add(file);
  for (const [, from] of (sources.get(file) as string).matchAll(/^(?:import|export) (?!type )(?:[^;]*? from )?"(\.[^"]+)";/gms))
    loadedWith(path.join(path.dirname(file), from as string), seen);
  return seen;
}

describe("what a violated constraint means", () => {
  let keys: Key[];
  const declared = () =>
    [...allModels().values()].flatMap(({ table, violations }) => Object.keys(violations).map((name) => ({ table, name })));

  before(async function () {
    this.timeout(60_000);
    prepareRuntime();
    for (const file of globSync("{services,integrations}/**/*.service.ts", { cwd: ROOT }))
      await import(pathToFileURL(path.join(ROOT, file)).href);
    const database = await cloneDatabase();
    const client = new pg.Client({ connectionString: database.owner });
    await client.connect();
    keys = (await client.query<Key>(KEYS)).rows;
    await client.end();
    await database.drop();
  });

  it("is declared once, on the model of its table or of a table that has no model", () => {
    const modelled = new Set(allModels().keys());
    const faults = declared().flatMap(({ table, name }) => {
      const key = keys.find((one) => one.name === name && (one.kind === "u" || one.kind === "f"));
      if (!key) return [`${name}: no unique key and no reference has that name`];
      return key.table === table || !modelled.has(key.table) ? [] : [`${name} belongs to ${key.table}, not to ${table}`];
    });
    expect(faults).to.deep.equal([]);
    const names = declared().map(({ name }) => name);
    expect(names).to.have.lengthOf(new Set(names).size).and.to.include("companies_client_number_key");
  });

  it("is decided for every unique key that a caller can violate", () => {
    const undecided = keys.filter(({ name, table, kind, columns }) => {
      if (kind !== "u" || columns === "id" || columns === "organisation_id, id") return false;
      const isNamed = violationOf(name) !== undefined || text.includes(`"${name}"`) || name in PLAIN;
      const isIgnored = ignored.get(table)?.some((one) => one.columns === "*" || one.columns === columns);
      return !isNamed && !isIgnored && !RANDOM.test(columns);
    });
    expect(undecided.map(({ table, name, columns }) => `${table}: ${name} (${columns})`)).to.deep.equal([]);
  });

  it("lists nothing as plain that has a meaning or is gone", () => {
    const unique = new Set(keys.filter(({ kind }) => kind === "u").map(({ name }) => name));
    expect(Object.keys(PLAIN).filter((name) => !unique.has(name) || violationOf(name))).to.deep.equal([]);
  });

  it("needs no exclusion: the schema has none", () => {
    expect(keys.filter(({ kind }) => kind === "x")).to.deep.equal([]);
  });

  it("is loaded by every actor that writes the table, whichever node runs it", () => {
    const tables = new Map(keys.map(({ name, table }) => [name, table]));
    const home = (table: string) => [...sources].find(([, code]) => code.includes(`odel("${table}"`))?.[0] as string;
    const homes = new Map(declared().map(({ table, name }) => [tables.get(name) as string, home(table)]));
    const writers = [...homes].map(([table, declares]) => {
      const written = new RegExp(`(insert into|update) ${table}\\b`);
      return { declares, files: [...sources].flatMap(([file, code]) => (written.test(code) && !(file in NO_KEY) ? [file] : [])) };
    });
    const faults = [...sources.keys()].flatMap((actor) => {
      if (!actor.endsWith(".service.ts")) return [];
      const loaded = loadedWith(actor);
      return writers.flatMap(({ declares, files }) =>
        loaded.has(declares)
          ? []
          : files.filter((file) => loaded.has(file)).map((file) => `${actor}: ${file} without ${declares}`),
      );
    });
    expect(faults).to.deep.equal([]);
    expect(loadedWith("services/clients/companies/companies.service.ts")).to.include("services/clients/models.ts");
  });

  it("is a plain conflict without a declaration, and a violated check stays a fault", () => {
    const violated = (code: string, constraint: string) => explained(Object.assign(new Error("violated"), { code, constraint }));
    expect(violated("23505", "no_such_key")).to.be.instanceOf(ApiError).with.property("code", 409);
    expect(violated("23505", "company_groups_name_key")).to.have.nested.property("data.fields.name", "errors.duplicate");
    expect(violated("23514", "companies_name_check")).not.to.be.instanceOf(ApiError);
  });
});

import { globSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import pg from "pg";
import { allModels, column, columns, model, readable, tenantModel } from "../../../core/database/model.ts";
import { sequelizeModel } from "../../../core/database/sequelize.ts";
import { cloneDatabase } from "../../support/database.ts";
import { prepareRuntime } from "../../support/runtime.ts";

const ROOT = path.join(import.meta.dirname, "../../..");

/** Tables that are read and written by statements alone, each with the reason. A new one is a decision, not an accident. */
const WITHOUT_MODEL: Record<string, string> = {
  account_tokens: "written whole and spent by one statement each",
  accounts: "belongs to no organisation; every read names the few columns it may see",
  ads_budget_turns: "whose turn a budget is, by statements that look at its holder",
  ads_changes: "a mirror of the provider's change history, written a page at a time",
  ads_days: "a mirror of the provider's figures, written a page at a time",
  ai_reservations: "taken and given back by one statement each",
  ai_usage: "counters by month, raised by one statement",
  automation_matches: "written once for all events of a transaction, taken away by the statement that lays their runs out",
  caller_views: "compared and replaced by one statement each",
  company_assignees: "a link, replaced as a set",
  company_group_companies: "a link, replaced as a set",
  company_group_memberships: "a link, replaced as a set",
  contact_links: "a link, written many at a time",
  count_changes: "triggers write it, the totals of lists read it, a job folds it",
  declarations: "what actors declare, the same for everybody",
  drive_creations: "a lease and what became of it, by statements that look at its holder",
  drive_listings: "a cache of 45 seconds, written whole",
  drive_provisions: "a queue, requested and taken by statements that look at its state",
  edge_zone_leases: "taken, renewed and ended by one statement each",
  file_contents: "written in one statement with the file",
  former_selections: "a trigger writes it, a job removes it",
  gone_rows: "a trigger writes it, one statement reads it, a job removes it",
  idempotency_keys: "claimed and answered by two statements",
  impersonations: "begun and ended by one statement each",
  installation: "one row about this installation",
  interaction_contacts: "a link, replaced as a set",
  interaction_suppressions: "marks of what never comes back",
  invoice_daily_mails: "what the daily job took up, and who reminds now, each claimed by one statement",
  issued_looks: "what issued documents print of their organisation, made by a function and read in joins",
  kept_counts: "the totals of lists read it, a job folds changes into it",
  leave_contracted: "kept by a trigger",
  leave_types_seeded: "one mark per organisation",
  marketing_answers: "a cache of answers, written whole",
  marketing_days: "figures of a source, written many days at a time",
  marketing_months: "sums of stored days, written by triggers",
  marketing_period_values: "figures of a source, written many spans at a time",
  membership_roles: "a link, replaced as a set",
  migrations: "the schema itself",
  notification_channel_routes: "which events go to a channel, replaced as a set",
  notification_deliveries: "written with the inbox rows of a transaction, claimed and ended many at a time",
  notification_events: "what happened to records, written once for all events of a transaction",
  notification_watches: "one choice a person and record, written and removed by one statement each",
  oauth_approvals: "one mark per person and client",
  oauth_clients: "registered, approved and revoked by one statement each",
  oauth_codes: "written once and spent by one statement",
  oauth_refresh_tokens: "written, rotated and ended by one statement each",
  operator_audit: "written once, of no organisation that is still there",
  organisation_domains: "written by the command line, read when a host is resolved",
  outbox: "written here, taken away by the relay",
  outside_acts: "kept and taken out by the statements of mixins/outside-acts.ts",
  period_claims: "who bills a period, written by the statement that looks",
  product_licences: "the licence of the installation",
  project_assignees: "a link, replaced as a set",
  project_budget_warnings: "one mark per warning that was given",
  provider_paces: "when calls were let through, by one statement",
  provider_troubles: "counters for all nodes",
  rate_windows: "counters by key and address",
  report_mails: "one mail for each recipient, claimed and ended by one statement each",
  report_turns: "a turn of a model, begun and answered by one statement each",
  selection_moves: "a trigger writes it",
  service_access_grants: "issued, claimed and ended by one statement each",
  sign_in_challenges: "spent by the statement that finds it",
  sso_links: "a link, written once",
  sso_provisionings: "marks of what happens once",
  subscription_projects: "a link, replaced as a set",
  subscription_tasks: "a link, replaced as a set",
  subscription_type_task_templates: "a link, replaced as a set",
  task_assignees: "a link, replaced as a set",
  task_label_links: "a link, replaced as a set",
  task_reminders: "one mark per reminder that was given",
  time_drafts: "one per person and day, replaced whole",
  time_entry_claims: "who bills an hour, written by the statement that looks",
  time_entry_types_seeded: "one mark per organisation",
  timesheet_reminders: "one mark per reminder that was given",
  two_factors: "belongs to an account, in every organisation",
  uptime_leases: "a lease, by statements that look at its holder",
  uptime_untracked: "one mark per monitor that a sync passes over",
  workspace_calendar_channels: "opened, confirmed and forgotten by one statement each",
  workspace_calendar_events: "a cache, written a page at a time",
  workspace_calendar_mirrors: "a queue, by statements that look at its revision",
  workspace_calendars: "how far a calendar was read, by statements that look at whose turn it is",
  workspace_ended_grants: "written by a trigger, read and deleted by one statement each",
  workspace_mail_skips: "one mark per message that a poll passed over",
  workspace_mailboxes: "how far a mailbox was read, by statements that look at whose turn it is",
};

interface Described {
  name: string;
  type: string;
  nullable: boolean;
  generated: boolean;
  fallback: boolean;
}

const CATALOGUE = `
  select c.relname as table, a.attname as name, format_type(a.atttypid, a.atttypmod) as type, not a.attnotnull as nullable,
         a.attgenerated <> '' as generated, a.atthasdef and a.attgenerated = '' as fallback
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
   where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace`;

describe("the models and the database's own catalogue", () => {
  let tables: Map<string, Described[]>;

  before(async function () {
    this.timeout(60_000);
    prepareRuntime();
    for (const file of globSync("{services,integrations}/**/*.service.ts", { cwd: ROOT }))
      await import(pathToFileURL(path.join(ROOT, file)).href);
    const database = await cloneDatabase();
    const client = new pg.Client({ connectionString: database.owner });
    await client.connect();
    const { rows } = await client.query<Described & { table: string }>(CATALOGUE);
    await client.end();
    await database.drop();
    tables = Map.groupBy(rows, ({ table }) => table) as typeof tables;
  });

  /** Models of tables that only tests make have other names. */
  const ownModels = () => [...allModels().values()].filter(({ table }) => !/^(fixture_|proof_|beacon_|vaults$)/.test(table));

  it("agree on which tables have a model", () => {
    const modelled = ownModels().map(({ table }) => table);
    expect([...modelled, ...Object.keys(WITHOUT_MODEL)].sort()).to.deep.equal([...tables.keys()].sort());
  });

  it("agree on every column: its name, type, whether it may be null, and who fills it", () => {
    for (const { table, columns } of ownModels()) {
      const described = (tables.get(table) ?? []).map(({ name, type, nullable }) => [name, { type, nullable }] as const);
      const declared = Object.entries(columns).map(([name, { facts }]) => [name, { type: facts.type, nullable: facts.nullable }]);
      expect(Object.fromEntries(declared), table).to.deep.equal(Object.fromEntries(described));
      for (const { name, nullable, generated, fallback } of tables.get(table) ?? []) {
        const source = columns[name]?.facts.source;
        if (generated) expect(source, `${table}.${name} is generated`).to.equal("database");
        // The platform makes ids wherever the table makes none.
        else if (source === "optional" && name !== "id")
          expect(nullable || fallback, `${table}.${name} may be left out`).to.equal(true);
        else if (source === "given") expect(fallback, `${table}.${name} must be given`).to.equal(false);
      }
    }
  });

  it("agree on secrets: sealed columns, and hashes of tokens and keys", () => {
    for (const { table, columns } of ownModels()) {
      const secret = Object.entries(columns).flatMap(([name, { facts }]) => (facts.secret ? [name] : []));
      const described = (tables.get(table) ?? []).flatMap(({ name, type }) =>
        type === "sealed" || /_(hash|digest)$/.test(name) ? [name] : [],
      );
      expect(secret, table).to.have.members(described);
    }
  });
});

describe("a model", () => {
  const { decimal, hashed, sealed, text } = column;
  const Account = tenantModel("proof_accounts", {
    name: text().tracked(),
    note: text().orNull().tracked().blankIsNull(),
    rate: decimal(8, 2).orNull(),
    token: sealed().orNull(),
    token_hash: hashed(),
    search_text: text().byDatabase(),
  });

  it("names its columns for a select list, and none that only PostgreSQL uses", () => {
    expect(columns(model("proof_pairs", { one: text(), other: text() }))).to.equal("one, other");
    expect(columns(Account, "t")).to.equal(
      "t.id, t.organisation_id, t.version, t.created_at, t.updated_at, t.name, t.note, t.rate, t.token, t.token_hash",
    );
  });

  it("knows the trail's columns and where a blank is null", () => {
    expect(Account.tracked).to.deep.equal(["name", "note"]);
    expect(Account.blankIsNull).to.deep.equal(["note"]);
  });

  it("gives Sequelize everything but its secrets", () => {
    const shown = ["id", "organisation_id", "version", "created_at", "updated_at", "name", "note", "rate"];
    expect(readable(Account)).to.deep.equal(shown);
    expect(Object.keys(sequelizeModel(Account).getAttributes())).to.deep.equal(shown);
    expect(sequelizeModel(Account), "one per model").to.equal(sequelizeModel(Account));
  });
});

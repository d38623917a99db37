import { randomUUID } from "node:crypto";
import { expect } from "chai";
import pg from "pg";
import { RECORDS } from "../../../migrations/before-0.3/0039-records-leave-their-organisation-free.ts";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";

/** Tables that hold no organisation's rows, each with the reason (conventions §2). A new one is a decision, not an accident. */
const SHARED: Record<string, string> = {
  accounts: "a login is global and may belong to several organisations",
  declarations: "what actors declare, the same for everybody",
  installation: "one row about this installation",
  instance_administrators: "who operates the installation, in no organisation; the application has no right to it",
  instance_challenges: "sign-ins of instance administrators that wait for a code",
  instance_keys: "keys of instance administrators",
  instance_sessions: "sessions of instance administrators",
  migrations: "the schema itself",
  operator_audit: "what operators did in organisations, which outlives them (access §10)",
  organisation_backups: "backups of one organisation, which outlive it, for instance administrators alone",
  organisation_restores: "restores of those backups, for instance administrators alone",
  organisation_suspensions: "why organisations are suspended and when they are purged, for instance administrators alone",
  organisations: "the organisations themselves, guarded by their own id",
  product_licences: "the licence of the installation",
  provider_paces: "when calls were let through, by kind and key, for all nodes",
  provider_troubles: "what is wrong with accounts at providers, by kind and id, for all nodes",
  rate_windows: "counters by key and address, asked before an organisation is known",
  two_factors: "a second factor belongs to the account, in every organisation (access §2)",
};

/** Functions that run as the owner although the application may call them, each with the reason. */
const DEFINERS: [RegExp, string][] = [
  [/^enter_organisation$/, "binds the transaction and looks at one revision"],
  [/^resolve_host$/, "asked before an organisation is known; gives one organisation by host"],
  [/^end_sessions$/, "ends the sessions of one account in every organisation (access §1.1)"],
  [/^kept_mails$/, "mail nothing sends, of every organisation, for the session of an instance administrator (conventions §19)"],
  [/^mail_failures$/, "kinds and errors of failed mails of every organisation, for operators; no recipient, no content"],
  [/^remove_old_mails$/, "removes mail by age in every organisation; gives nothing"],
  [/^bump_access_/, "triggers that move the access revision"],
  [/_(search|matches)_[0-9a-f]{8}$/, "search of a list, bound to current_organisation() (core/database/lists/list.ts)"],
  [/^is_live_elsewhere$/, "whether an account is at home in another organisation too; gives yes or no (access §4.6)"],
  [
    /^workspace_grant_in_use$/,
    "whether a live connection of any organisation uses a grant at Google; gives yes or no (workspace §2.2)",
  ],
  [/^strip_account$/, "takes password, second factor, keys and sessions of an account nobody proved to own (access §4.4)"],
  [/^end_oauth$/, "ends the tokens and keys of OAuth by age; gives nothing"],
  [/^expire_mails$/, "fails mail that waited too long, of every organisation; gives nothing"],
  [/^clear_oauth$/, "removes clients, codes and tokens of OAuth by age; gives nothing"],
  [/^end_impersonations_of_account$/, "a trigger: an account that is disabled is so in every organisation (access §11.2)"],
  [/^clear_impersonations$/, "removes grants by age; gives nothing"],
  [/^clear_sign_ins$/, "removes challenges and mailed links by age; gives nothing"],
  [/^organisation_today$/, "the date where the bound organisation is, and nothing else of it (money §0)"],
  [/^inboxes_with_news$/, "whose inboxes, of those whose streams a node has open, have news; gives ids, and nothing of the rows"],
  [/^schedule_due_acts$/, "leaves a job for each organisation with acts outside to record; gives their number"],
  [/^schedule_due_deliveries$/, "leaves a job for each organisation with something to send; gives their number"],
  [/^schedule_forgotten_mails$/, "leaves a job for each organisation with due mail that no job sends; gives their number"],
  [/^(mail|webhook)_figures$/, "how many mails, deliveries and endpoints of all organisations are in each state, for operators"],
  [/^fold_counts$/, "adds the changes of counts to the counts, of every organisation; gives their number"],
  [/^remove_old_sms$/, "text messages of every organisation that are old"],
];

const APPLICATION = "kantoor_app";
const POLICY = "(organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid)";
/** Tables that requests write all day: a reference to `organisations` would lock its row each time (migrations 0014 and 0039). */
const UNREFERENCED = [
  ...RECORDS,
  "activity",
  "automation_matches",
  "automation_runs",
  "company_match_keys",
  "contact_match_keys",
  "count_changes",
  "kept_counts",
  "notification_deliveries",
  "notification_events",
  "notifications",
  "outbox",
  "outside_acts",
];

/** Values for columns whose constraint accepts nothing a type alone suggests, as SQL. */
const SPECIAL: Record<string, Record<string, string>> = {
  gone_rows: { reason: "'deleted'" },
  outside_acts: { content: "'v1.00000000.x'" },
  marketing_months: { month: "date '2031-01-01'" },
  marketing_website_credentials: { password: "'v1.00000000.x'" },
  kept_documents: { form: "'pdf'", invoice_id: "gen_random_uuid()" },
  company_distinct_pairs: { one_id: "'00000000-0000-0000-0000-000000000000'" },
  contact_distinct_pairs: { one_id: "'00000000-0000-0000-0000-000000000000'" },
  record_aliases: { company_id: "gen_random_uuid()" },
  quote_instalments: { mode: "'draft'", percent: "10" },
  reports: { audience: "'client'" },
  report_mails: { status: "'sent'" },
  ads_days: { dimension: "'account'" },
  ads_decisions: { source: "'manual'" },
  ads_accounts: { customer_id: "(random() * 1000000000)::bigint::text" },
  account_tokens: { kind: "'reset'" },
  ai_reports: { period: "'2030-01'" },
  ai_settings: { provider: "'anthropic'", api_key: "'v1.00000000.x'" },
  ai_usage: { month: "date '2030-01-01'" },
  bank_entries: { kind: "'payment'", amount: "1" },
  sepa_mandates: { scheme: "'core'" },
  document_lines: { tax_category: "'standard'", invoice_id: "gen_random_uuid()" },
  drive_links: { company_id: "gen_random_uuid()" },
  drive_provisions: { company_id: "gen_random_uuid()" },
  edge_accounts: { api_token: "'v1.00000000.x'" },
  workspace_mail_skips: { reason: "'ingest_error'" },
  workspace_connections: { refresh_token: "'v1.00000000.x'" },
  workspace_ended_grants: { refresh_token: "'v1.00000000.x'" },
  edge_observations: { kind: "'page_rule'" },
  edge_redirects: { status_code: "301" },
  email_settings: { provider: "'smtp'" },
  api_keys: { account_id: "gen_random_uuid()" },
  oauth_codes: { scopes: "array['x']" },
  hr_documents: { category: "'other'" },
  interaction_suppressions: { kind: "'message'" },
  invoices: { currency: "'EUR'", number: "md5(random()::text)" },
  leave_availability: { kind: "'extra'" },
  leave_contracts: { contract_hours_per_week: "32" },
  leave_entitlements: { year: "2030", hours: "8" },
  leave_requests: { hours: "8" },
  file_contents: { backend: "'disk'", sha256: "sha256(gen_random_uuid()::text::bytea)" },
  files: { entity_type: "'company'" },
  nav_layouts: { items: "'[]'", groups: "'[]'" },
  notification_channels: { kind: "'email'", url: "'v1.00000000.x'" },
  notification_deliveries: { way: "'email'" },
  notification_push_devices: { endpoint: "'v1.00000000.x'", p256dh: "'v1.00000000.x'", auth: "'v1.00000000.x'" },
  notification_push_keys: { private_key: "'v1.00000000.x'" },
  organisation_domains: { hostname: "md5(random()::text)" },
  outbox: { job: "'proof.job'" },
  payment_accounts: { api_key: "'v1.00000000.x'", webhook_secret: "'v1.00000000.x'", mode: "'test'" },
  payment_intents: { mode: "'test'" },
  period_claims: { source: "'subscription'" },
  project_budget_warnings: { threshold: "75" },
  providers: { kind: "'dns'" },
  tld_prices: { currency: "'EUR'" },
  quotes: { currency: "'EUR'", number: "md5(random()::text)" },
  registrar_accounts: { api_password: "'v1.00000000.x'" },
  subscription_types: { key: "'k' || left(md5(random()::text), 8)" },
  task_reminders: { kind: "'overdue'" },
  task_schedules: { starts_at: "now()", ends_at: "now() + interval '1 hour'" },
  invoice_payments: { amount: "1" },
  subscription_prices: { amount: "1" },
  webhook_endpoints: { url: "'https://example.com'", events: "'{company.created}'", secret: "'v1.00000000.x'" },
  workspace_calendar_channels: { status: "'opening'" },
  workspace_calendar_events: { status: "'confirmed'", start_date: "date '2030-01-01'", end_date: "date '2030-01-02'" },
  workspace_calendar_mirrors: { kind: "'leave'" },
  uptime_heartbeats: { status: "'up'" },
  uptime_instances: { mode: "'linked'", hook_secret: "'v1.00000000.x'" },
};

const namesOf = async (client: pg.ClientBase, text: string, values: unknown[] = []): Promise<string[]> =>
  (await client.query<{ name: string }>(text, values)).rows.map(({ name }) => name);

const tenantTables = (client: pg.ClientBase) =>
  namesOf(
    client,
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'organisation_id' and not a.attisdropped
      where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace order by 1`,
  );

const FAULTS = `
  with tenant as (
    select c.oid, c.relname, c.relrowsecurity, c.relforcerowsecurity, a.attnum, a.attnotnull
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'organisation_id' and not a.attisdropped
     where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace),
  policies as (select p.*, t.relname from pg_policy p join tenant t on t.oid = p.polrelid)
  select relname || ': row-level security is off' as name from tenant where not relrowsecurity
  union all select relname || ': row-level security is not forced' from tenant where not relforcerowsecurity
  union all select relname || ': organisation_id may be null' from tenant where not attnotnull
  union all select relname || ': no policy binds it to the organisation' from tenant t where not exists (
    select 1 from policies p where p.polrelid = t.oid and p.polpermissive and p.polcmd = '*' and p.polroles = '{0}'
       and pg_get_expr(p.polqual, p.polrelid) = $2 and coalesce(pg_get_expr(p.polwithcheck, p.polrelid), $2) = $2)
  union all select relname || ': the policy ' || polname || ' lets the application see more' from policies
    where polpermissive and coalesce(pg_get_expr(polqual, polrelid), '') <> $2 and ('{0}' = polroles or polroles && array[$1::regrole::oid])
  union all select t.relname || ': ' || k.conname || ' refers to a row of an organisation without naming the organisation'
    from tenant t join pg_constraint k on k.conrelid = t.oid and k.contype = 'f' join tenant target on target.oid = k.confrelid
   where not exists (select 1 from generate_subscripts(k.conkey, 1) n where k.conkey[n] = t.attnum and k.confkey[n] = target.attnum)
  union all select t.relname || ': no reference to its organisation' from tenant t where relname <> all($3) and not exists (
    select 1 from pg_constraint k where k.conrelid = t.oid and k.contype = 'f' and k.confrelid = 'organisations'::regclass
       and k.conkey = array[t.attnum])
  union all select t.relname || ': no unique key of organisation_id and id, so nothing can refer to it' from tenant t
    join pg_attribute i on i.attrelid = t.oid and i.attname = 'id' where not exists (
    select 1 from pg_index x where x.indrelid = t.oid and x.indisunique and x.indpred is null and x.indkey::text = t.attnum || ' ' || i.attnum)
  union all select t.relname || ': no key that begins with organisation_id' from tenant t where not exists (
    select 1 from pg_index x where x.indrelid = t.oid and x.indisunique and x.indkey[0] = t.attnum)
  union all select t.relname || ': the application may ' || p.privilege from tenant t, unnest('{truncate,references,trigger}'::text[]) p(privilege)
   where has_table_privilege($1, t.oid, p.privilege)
  order by 1`;

describe("tables of the migrated database", () => {
  let database: TestDatabase;
  let superuser: pg.Client;
  let owner: pg.Client;
  let application: pg.Client;
  const [mine, theirs] = [randomUUID(), randomUUID()];

  before(async () => {
    database = await cloneDatabase();
    const open = async (connectionString: string) => {
      const client = new pg.Client({ connectionString });
      await client.connect();
      return client;
    };
    [superuser, owner, application] = [
      await open(database.superuser),
      await open(database.owner),
      await open(database.application),
    ];
  });
  after(async () => {
    for (const client of [superuser, owner, application]) await client.end();
    await database.drop();
  });

  const faults = () => namesOf(owner, FAULTS, [APPLICATION, POLICY, UNREFERENCED]);

  it("keep every row of an organisation behind forced row-level security, composite references and a composite key", async () => {
    expect(await tenantTables(owner)).to.include.members(["companies", "api_keys", "activity"]);
    expect(await faults()).to.deep.equal([]);
  });

  it("would be found out: a careless table turns every one of these checks red", async () => {
    await owner.query("begin");
    try {
      await owner.query(`
        create table careless (id uuid primary key, organisation_id uuid, company_id uuid references company_settings (id));
        create table half_careful (id uuid primary key, organisation_id uuid not null references organisations (id));
        alter table half_careful enable row level security;
        create policy tenant on half_careful using (organisation_id is not null);
        grant all on careless to ${APPLICATION};
      `);
      expect(await faults()).to.deep.equal([
        "careless: careless_company_id_fkey refers to a row of an organisation without naming the organisation",
        "careless: no key that begins with organisation_id",
        "careless: no policy binds it to the organisation",
        "careless: no reference to its organisation",
        "careless: no unique key of organisation_id and id, so nothing can refer to it",
        "careless: organisation_id may be null",
        "careless: row-level security is not forced",
        "careless: row-level security is off",
        "careless: the application may references",
        "careless: the application may trigger",
        "careless: the application may truncate",
        "half_careful: no key that begins with organisation_id",
        "half_careful: no policy binds it to the organisation",
        "half_careful: no unique key of organisation_id and id, so nothing can refer to it",
        "half_careful: row-level security is not forced",
        "half_careful: the policy tenant lets the application see more",
      ]);
    } finally {
      await owner.query("rollback");
    }
  });

  it("hold rows of organisations, but for those on an explicit list", async () => {
    const others = await namesOf(
      owner,
      `select relname as name from pg_class c where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace and not exists (
         select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'organisation_id' and not a.attisdropped) order by 1`,
    );
    expect(others).to.deep.equal(Object.keys(SHARED));
  });

  it("belong to a role that is not the application's, which owns nothing and bypasses nothing", async () => {
    const { rows } = await superuser.query(
      `select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication,
              (select count(*)::int from pg_auth_members m where m.member = r.oid) as memberships,
              (select count(*)::int from pg_shdepend d where d.refobjid = r.oid and d.deptype = 'o') as owned,
              has_schema_privilege(r.oid, 'public', 'create') as may_create
         from pg_roles r where rolname = $1`,
      [APPLICATION],
    );
    expect(rows).to.deep.equal([
      {
        rolsuper: false,
        rolbypassrls: false,
        rolcreaterole: false,
        rolcreatedb: false,
        rolreplication: false,
        memberships: 0,
        owned: 0,
        may_create: false,
      },
    ]);
  });

  it("are reached past row-level security by no view and only by the listed functions, each with a fixed search path", async () => {
    const views = await namesOf(
      owner,
      `select relname as name from pg_class where relkind in ('v', 'm') and relnamespace = 'public'::regnamespace
          and not coalesce(reloptions @> '{security_invoker=true}', false)`,
    );
    expect(views, "views of the owner see every organisation").to.deep.equal([]);
    const definers = await namesOf(
      owner,
      "select proname as name from pg_proc where prosecdef and pronamespace = 'public'::regnamespace order by 1",
    );
    expect(definers.filter((name) => !DEFINERS.some(([pattern]) => pattern.test(name)))).to.deep.equal([]);
    const unpinned = await namesOf(
      owner,
      `select proname as name from pg_proc where prosecdef and pronamespace = 'public'::regnamespace
          and not coalesce(array_to_string(proconfig, ',') like '%search_path=%', false)`,
    );
    expect(unpinned).to.deep.equal([]);
  });

  /** The columns and values of a row the table takes, as SQL; `$1` is the organisation. */
  const rowOf = async (table: string): Promise<{ columns: string; values: string }> => {
    const { rows } = await superuser.query<{ name: string; type: string; needed: boolean }>(
      `select attname as name, format_type(atttypid, atttypmod) as type, attnotnull and not atthasdef and attidentity = '' as needed
         from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
      [table],
    );
    const byType: Record<string, string> = {
      uuid: "gen_random_uuid()",
      integer: "1",
      bigint: "1",
      numeric: "1",
      boolean: "true",
      date: "current_date",
      "timestamp with time zone": "now()",
      "timestamp without time zone": "localtimestamp",
      bytea: "sha256(random()::text::bytea)",
      jsonb: "'{}'",
      "text[]": "'{}'",
      "uuid[]": "'{}'",
    };
    const special = SPECIAL[table] ?? {};
    const chosen = rows.filter(({ name, needed }) => needed || name in special || name === "organisation_id");
    const value = ({ name, type }: { name: string; type: string }) =>
      name === "organisation_id" ? "$1" : (special[name] ?? byType[type.replace(/\(.*/, "")] ?? "md5(random()::text)");
    return { columns: chosen.map(({ name }) => `"${name}"`).join(", "), values: chosen.map(value).join(", ") };
  };

  const insertInto = async (client: pg.Client, table: string, organisation: string) => {
    const { columns, values } = await rowOf(table);
    await client.query(`insert into "${table}" (${columns}) values (${values})`, [organisation]);
  };
  /** Error code of a statement as the application bound to an organisation, or the number of rows it touched. */
  const asApplication = async (organisation: string | null, work: (client: pg.Client) => Promise<unknown>): Promise<unknown> => {
    await application.query("begin");
    try {
      if (organisation) await application.query("select set_config('app.organisation_id', $1, true)", [organisation]);
      return await work(application);
    } catch (error) {
      return (error as { code?: string }).code;
    } finally {
      await application.query("rollback");
    }
  };
  const countIn = async (client: pg.Client, table: string, organisation?: string) => {
    const where = organisation ? `where organisation_id = '${organisation}'` : "";
    return (await client.query(`select count(*)::int as rows from "${table}" ${where}`)).rows[0].rows as number;
  };

  describe("with a row of two organisations in each", () => {
    let tables: string[];

    // Triggers and foreign keys are off, so that a table can be filled without knowing what it refers to.
    before(async () => {
      tables = await tenantTables(superuser);
      // The counts of lists follow their tables also without triggers of a session: their own row comes last, alone.
      const COUNTS = ["count_changes", "kept_counts"];
      for (const [id, slug] of [
        [mine, "mine"],
        [theirs, "theirs"],
      ])
        await superuser.query("insert into organisations (id, slug, name) values ($1, $2, $2)", [id, slug]);
      await superuser.query("set session_replication_role = replica");
      for (const table of [...tables.filter((one) => !COUNTS.includes(one)), ...COUNTS]) {
        if (COUNTS.includes(table)) await superuser.query(`delete from ${table}`);
        for (const organisation of [mine, theirs])
          await insertInto(superuser, table, organisation).catch((error: Error) => {
            throw new Error(`no row could be made in '${table}': ${error.message}; add its value to SPECIAL`);
          });
      }
      await superuser.query("set session_replication_role = origin");
    });

    const each = async (work: (table: string) => Promise<unknown>): Promise<Record<string, unknown>> => {
      const found: Record<string, unknown> = {};
      for (const table of tables) found[table] = await work(table);
      return found;
    };
    const all = (value: unknown) => Object.fromEntries(tables.map((table) => [table, value]));

    it("show nothing at all while no organisation is bound, also on a connection that was bound before", async () => {
      expect(await each((table) => asApplication(null, (client) => countIn(client, table)))).to.deep.equal(all(0));
      await asApplication(mine, (client) => countIn(client, "companies"));
      expect(await each((table) => asApplication(null, (client) => countIn(client, table)))).to.deep.equal(all(0));
      expect(await each(() => asApplication(null, (client) => countIn(client, "organisations")))).to.deep.equal(all(0));
    });

    it("show the bound organisation's rows and none of another's", async () => {
      expect(await each((table) => asApplication(mine, (client) => countIn(client, table)))).to.deep.equal(all(1));
      expect(await each((table) => asApplication(mine, (client) => countIn(client, table, theirs)))).to.deep.equal(all(0));
    });

    it("refuse a row for another organisation", async () => {
      expect(await each((table) => asApplication(mine, (client) => insertInto(client, table, theirs)))).to.deep.equal(
        all("42501"),
      );
      expect(await each((table) => asApplication(null, (client) => insertInto(client, table, mine)))).to.deep.equal(all("42501"));
    });

    it("refuse to move a row into another organisation", async () => {
      const move = (table: string) =>
        asApplication(mine, (client) => client.query(`update "${table}" set organisation_id = '${theirs}'`));
      expect(await each(move)).to.deep.equal(all("42501"));
    });

    it("do not allow changing or deleting another organisation's row", async () => {
      const touched = (text: string) => (table: string) =>
        asApplication(mine, async (client) => (await client.query(text.replace("$table", `"${table}"`))).rowCount);
      const update = await each(
        touched(`update $table set organisation_id = organisation_id where organisation_id = '${theirs}'`),
      );
      const removal = await each(touched(`delete from $table where organisation_id = '${theirs}'`));
      for (const table of tables)
        expect([update[table], removal[table]], table).to.satisfy((both: unknown[]) =>
          both.every((one) => one === 0 || one === "42501"),
        );
      expect(await each((table) => countIn(superuser, table, theirs))).to.deep.equal(all(1));
    });
  });
});

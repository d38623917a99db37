import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import pg from "pg";
import { MigrationRefused } from "../../migrations/refused.ts";
import { knownSteps, migrate } from "../../migrations/run.ts";
import { cloneDatabase, type TestDatabase } from "../support/database.ts";

/** The database of a cluster that no step has run on. */
const EMPTY = "kantoor";
const APPLICATION = '"kantoor_app"';
/** Rows of each table; `STEPS_ROWS=200000` is the size of a large installation. */
const ROWS = Number(process.env["STEPS_ROWS"] ?? 5000);
const WRITERS = 15;
/** The last step before those of this proof, and waits between attempts that are short enough for it. */
const BEFORE = "0040";
const WAITS = [100, 200, 400, 800, 1600, 1600, 1600, 1600];

/**
 * Steps that may be refused while so many write: those that change all rows of large tables in one statement, which installations of 0.1
 * run, and those that lock dozens of tables at once. They run when the writers are quiet.
 */
const MAY_BE_REFUSED = /^0(041|042|043|057|064|067|110|118)-/;

/** Columns of each filled table that have no default, and what a row has in them; `n` is its number. */
const FILLED: readonly (readonly [table: string, columns: string, values: string])[] = [
  ["companies", "name", "'Client ' || n"],
  ["contacts", "first_name, last_name", "'Contact', 'No ' || n"],
  ["projects", "name, company_id", "'Project ' || n, company"],
  ["tasks", "title, status, company_id", "'Task ' || n, 'open', company"],
  [
    "interactions",
    "occurred_at, conversation_id, kind, subject",
    "now() - n * interval '1 minute', gen_random_uuid(), 'note', 'Moment ' || n",
  ],
  ["subscriptions", "company_id, start_date, name", "company, current_date, 'Agreement ' || n"],
  [
    "invoices",
    "company_id, currency, locale, status, number",
    "company, 'EUR', 'nl', case n % 3 when 0 then 'draft' else 'open' end, 'I' || n",
  ],
  [
    "quotes",
    "company_id, currency, locale, status, number",
    "company, 'EUR', 'nl', case n % 3 when 0 then 'draft' else 'open' end, 'Q' || n",
  ],
  ["products", "name", "'Product ' || n"],
  ["domains", "company_id, start_date, label, name", "company, current_date, 'd' || n || '.test', 'd' || n || '.test'"],
  ["hostings", "name", "'Hosting ' || n"],
  [
    "time_entries",
    "user_id, started_at, ended_at, minutes, company_id",
    "account, now() - n * interval '1 hour', now() - n * interval '1 hour' + interval '30 minutes', 30, company",
  ],
];

/** Writes of the service's kinds, in the order of its transactions; `$1` is the organisation, `$2` a row of the last table. */
const WRITES: readonly (readonly [table: string, statements: readonly string[]])[] = [
  ["companies", ["update companies set name = 'Changed' where organisation_id = $1 and id = $2"]],
  ["contacts", ["update contacts set last_name = 'Changed' where organisation_id = $1 and id = $2"]],
  ["tasks", ["update tasks set title = 'Changed', version = version + 1 where organisation_id = $1 and id = $2"]],
  ["projects", ["update projects set name = 'Changed', version = version + 1 where organisation_id = $1 and id = $2"]],
  ["interactions", ["update interactions set subject = 'Changed', version = version + 1 where organisation_id = $1 and id = $2"]],
  [
    "time_entries",
    ["update time_entries set description = 'Changed', version = version + 1 where organisation_id = $1 and id = $2"],
  ],
  ["subscriptions", ["update subscriptions set name = 'Changed', version = version + 1 where organisation_id = $1 and id = $2"]],
  // Issuing takes the settings, which have the next number, and then the invoice.
  [
    "invoices",
    [
      "update invoicing_settings set invoice_next_seq = invoice_next_seq + 1 where organisation_id = $1 and $2::uuid is not null",
      "update invoices set reference = 'Changed', version = version + 1 where organisation_id = $1 and id = $2",
    ],
  ],
  [
    "quotes",
    [
      "update quotes set reference = 'Changed', version = version + 1 where organisation_id = $1 and id = $2",
      "update invoicing_settings set quote_next_seq = quote_next_seq + 1 where organisation_id = $1 and $2::uuid is not null",
    ],
  ],
];

/** Waits of writers for a lock above a second, by their session and its beginning. */
const LONG_WAITS = `select l.pid || ' ' || l.waitstart as wait, left(a.query, 80) as query from pg_locks l join pg_stat_activity a on a.pid = l.pid
  where not l.granted and a.application_name = 'writer' and l.waitstart < clock_timestamp() - interval '1 second'`;

/** What the schema is made of, each as one text, whatever the order in which it was made. */
const CATALOGUE = `
  select 'index ' || indexdef as made from pg_indexes where schemaname = 'public'
  union all select 'constraint ' || conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) from pg_constraint where connamespace = 'public'::regnamespace
  union all select 'trigger ' || pg_get_triggerdef(oid) || tgenabled::text from pg_trigger where not tgisinternal
  union all select 'column ' || table_name || '.' || column_name || ' ' || ordinal_position::text || data_type || is_nullable || coalesce(column_default, '')
    from information_schema.columns where table_schema = 'public'
  union all select 'function ' || pg_get_functiondef(p.oid) from pg_proc p where pronamespace = 'public'::regnamespace and prokind = 'f' and probin is null
  order by 1`;

describe(`steps of the schema under ${WRITERS} writers, on ${ROWS} rows a table`, function () {
  this.timeout(7_200_000);
  let database: TestDatabase;
  let sql: pg.Client;
  const organisation = randomUUID();
  const account = randomUUID();
  const ids = new Map<string, string[]>();
  const failures: string[] = [];
  const longWaits = new Map<string, string>();
  let written = 0;
  let isOver = false;
  /** Writers go on while this is resolved. */
  let quiet: Promise<void> = Promise.resolve();
  let busy = 0;

  const connect = async (name: string): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: database.owner, application_name: name });
    await client.connect();
    return client;
  };
  const stepsUntil = (last: string) => knownSteps().filter((name) => name <= last || name.slice(0, 4) <= last);

  before(async () => {
    database = await cloneDatabase(EMPTY);
    await migrate(database.owner, APPLICATION, stepsUntil(BEFORE));
    sql = await connect("filler");
    await sql.query("insert into organisations (id, slug, name) values ($1, 'large', 'Large')", [organisation]);
    await sql.query("insert into accounts (id, email) values ($1, 'large@example.test')", [account]);
    await sql.query("insert into memberships (organisation_id, account_id) values ($1, $2)", [organisation, account]);
    await sql.query("insert into invoicing_settings (organisation_id) values ($1) on conflict do nothing", [organisation]);
    // References and triggers cost most of the time, and no step of the proof needs them.
    const filler = new pg.Client({ connectionString: database.superuser });
    await filler.connect();
    await filler.query("set session_replication_role = replica");
    let company: string | null = null;
    for (const [table, columns, values] of FILLED) {
      await filler.query(
        `insert into ${table} (id, organisation_id, ${columns})
          select gen_random_uuid(), $1, ${values} from generate_series(1, ${ROWS}) n, (select $2::uuid as company, $3::uuid as account) x`,
        [organisation, company, account],
      );
      const { rows } = await filler.query(`select id from ${table} limit 1000`);
      ids.set(
        table,
        rows.map(({ id }) => id),
      );
      company ??= rows[0].id;
    }
    await filler.query("analyze");
    await filler.end();
  });
  after(async () => {
    await sql.end();
    await database.drop();
  });

  const one = <T>(of: readonly T[]): T => of[Math.floor(Math.random() * of.length)] as T;
  const write = async () => {
    const client = await connect("writer");
    while (!isOver) {
      await quiet;
      busy += 1;
      const [table, statements] = one(WRITES);
      try {
        await client.query("begin");
        for (const statement of statements) await client.query(statement, [organisation, one(ids.get(table) as string[])]);
        await client.query("commit");
        written += 1;
      } catch (error) {
        failures.push(`${table}: ${(error as Error).message}`);
        await client.query("rollback");
      }
      busy -= 1;
      await delay(Math.random() * 20);
    }
    await client.end();
  };
  const watch = async () => {
    const client = await connect("watcher");
    while (!isOver) {
      for (const { wait, query } of (await client.query<{ wait: string; query: string }>(LONG_WAITS)).rows)
        longWaits.set(wait, query);
      await delay(50);
    }
    await client.end();
  };

  it("make no write fail and none wait a second, and leave the catalogue of a new installation", async () => {
    const working = [watch(), ...Array.from({ length: WRITERS }, write)];
    const lines: string[] = [];
    const refused: string[] = [];
    try {
      for (const name of knownSteps().filter((step) => step.slice(0, 4) > BEFORE)) {
        await delay(Math.random() * 300);
        let repeated = 0;
        const began = performance.now();
        const run = () => migrate(database.owner, APPLICATION, stepsUntil(name), { log: () => (repeated += 1), waits: WAITS });
        try {
          await run();
        } catch (error) {
          if (!(error instanceof MigrationRefused)) throw error;
          refused.push(name);
          const resumed = Promise.withResolvers<void>();
          quiet = resumed.promise;
          while (busy > 0) await delay(5);
          await run();
          quiet = Promise.resolve();
          resumed.resolve();
        }
        lines.push(
          `${name}: ${Math.round(performance.now() - began)} ms, ${repeated} repetitions${refused.includes(name) ? ", refused" : ""}`,
        );
      }
    } finally {
      isOver = true;
      await Promise.all(working);
    }
    process.stdout.write(`${lines.map((line) => `    ${line}`).join("\n")}\n    ${written} writes\n`);
    expect(failures).to.deep.equal([]);
    expect([...longWaits.values()], "waits above a second").to.deep.equal([]);
    expect(refused.filter((name) => !MAY_BE_REFUSED.test(name))).to.deep.equal([]);

    const fresh = await cloneDatabase(EMPTY);
    try {
      await migrate(fresh.owner, APPLICATION, knownSteps());
      const other = new pg.Client({ connectionString: fresh.owner });
      await other.connect();
      const made = async (client: pg.Client) => (await client.query<{ made: string }>(CATALOGUE)).rows.map((row) => row.made);
      const [upgraded, installed] = await Promise.all([made(sql), made(other)]).finally(() => other.end());
      expect(upgraded.filter((text) => !installed.includes(text))).to.deep.equal([]);
      expect(installed.filter((text) => !upgraded.includes(text))).to.deep.equal([]);
    } finally {
      await fresh.drop();
    }
  });
});

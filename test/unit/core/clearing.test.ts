import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import pg from "pg";
import { BY_INDEX, MOST_AT_ONCE, oldRows, oldRowsEverywhere } from "../../../core/sql/old-rows.ts";
import { sentMails } from "../../../integrations/mail/mail.due.ts";
import { oldMessages } from "../../../integrations/sms/sms.due.ts";
import { expiredHeartbeats } from "../../../integrations/uptime/heartbeats/heartbeats.due.ts";
import { allOldRows } from "../../../migrations/run.ts";
import { oldLines } from "../../../services/clients/activity/trail.due.ts";
import { goneLongAgo } from "../../../services/copies/gone.due.ts";
import { oldKeys, relayedEvents } from "../../../services/platform/system/clearing.due.ts";
import { oldDeliveries } from "../../../services/webhooks/deliveries/deliveries.due.ts";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";
import { textsIn } from "../../support/source-texts.ts";

const ROOT = path.join(import.meta.dirname, "../../..");
const SOURCES = "{core,mixins,services,integrations,operator,cli,bin}/**/*.{ts,mjs}";
const DELETES = /\bdelete\s+from\b/i;
/** A condition on time: rows of any number meet it one day. */
const BY_TIME = /\bnow\(\)|_timestamp\(\)|\binterval\b|make_interval|_at\s*<|\b(minute|day|at)\s*<=?\s*[$?]/i;

/** Deletions by time that are few rows for another reason. The list only gets shorter. */
const FEW: Record<string, string> = {
  "core/jobs/store.ts jobs.definitions": "jobs of actors that no version declares any more",
  "integrations/marketing/jobs/period-rows.ts marketing_period_values": "the values of one link, which a night replaces",
  "operator/instance/sign-in.ts instance_challenges": "those of one administrator",
  "operator/instance/sign-in.ts instance_sessions": "those of one administrator",
};

/** The same in functions of the database. */
const FEW_IN_FUNCTIONS: Record<string, string> = {
  "relay public.outbox": "the events of one batch of the relay",
  "sum_marketing_months marketing_months": "the months of the days that a statement changed",
};

/** The tables from which a text deletes by time, without a limit. */
const withoutLimit = (text: string): string[] =>
  text
    .split(";")
    .filter((statement) => DELETES.test(statement) && BY_TIME.test(statement) && !/\blimit\b/i.test(statement))
    .flatMap((statement) => [...statement.matchAll(/\bdelete\s+from\s+([\w.?]+)/gi)].map(([, table]) => table as string));

describe("what is removed because it is old", () => {
  let database: TestDatabase;
  let sql: pg.Client;
  before(async () => {
    database = await cloneDatabase();
    sql = new pg.Client({ connectionString: database.owner });
    await sql.connect();
  });
  after(async () => {
    await sql.end();
    await database.drop();
  });

  it("is removed by batches in every statement of the source", () => {
    const found = globSync(SOURCES, { cwd: ROOT }).flatMap((file) =>
      textsIn(readFileSync(path.join(ROOT, file), "utf8"))
        .flatMap(withoutLimit)
        .map((table) => `${file} ${table}`),
    );
    expect([...new Set(found)].toSorted()).to.deep.equal(Object.keys(FEW).toSorted());
  });

  it("is removed by batches in every function of the database", async () => {
    const { rows } = await sql.query<{ name: string; body: string }>(
      `select p.proname as name, p.prosrc as body from pg_proc p join pg_namespace n on n.oid = p.pronamespace
        where n.nspname in ('public', 'jobs') and p.prosrc ~* 'delete\\s+from'`,
    );
    expect(rows.length).to.be.above(20);
    const found = rows.flatMap(({ name, body }) => withoutLimit(body).map((table) => `${name} ${table}`));
    expect([...new Set(found)].toSorted()).to.deep.equal(Object.keys(FEW_IN_FUNCTIONS));
  });

  it("is found in statements of every form", () => {
    expect(withoutLimit("delete from a where x = 1; with t as (delete from b where made_at < $1) delete from c")).to.deep.equal([
      "b",
      "c",
    ]);
    expect(withoutLimit("delete from a where at < now() - interval '1 day'")).to.deep.equal(["a"]);
    expect(withoutLimit("delete from a where ctid = any(array(select ctid from a where at < now() limit 5))")).to.deep.equal([]);
  });

  it("has a function for each declaration over all organisations, which the application may call", async () => {
    const declared = await allOldRows();
    const { rows } = await sql.query(
      "select proname from pg_proc where proname = any($1) and has_function_privilege('kantoor_app', oid, 'execute') and prosecdef",
      [declared.map(({ name }) => name)],
    );
    expect(declared.length).to.be.above(15);
    expect(rows.length).to.equal(declared.length);
  });

  it("is found by an index in the order of its age, where there are many: a batch sorts no old rows", async () => {
    const bodies = Object.entries({ oldKeys, relayedEvents, sentMails, oldMessages, oldLines }).map(([name, { clearingSql }]) => {
      const body = clearingSql.slice(clearingSql.indexOf("$old$") + 5, clearingSql.lastIndexOf("$old$"));
      const bound = body
        .replaceAll("=> days", "=> $2")
        .replace("coalesce(after", "coalesce($3")
        .replace("= organisation ", "= $1 ");
      return [name, bound] as const;
    });
    const texts = Object.entries({ oldDeliveries, expiredHeartbeats, goneLongAgo }).map(
      ([name, { batch }]) => [name, batch.text] as const,
    );
    await sql.query(`begin; set local plan_cache_mode = force_generic_plan; ${BY_INDEX.text}`);
    const sorting: string[] = [];
    for (const [name, text] of [...texts, ...bodies]) {
      await sql.query(`prepare ${name} (uuid, int, text) as ${text}`);
      const { rows } = await sql.query(`explain (costs off) execute ${name} (null, 30, null)`);
      if (rows.some((row) => /Sort Key: r\./.test(row["QUERY PLAN"]))) sorting.push(name);
    }
    await sql.query("rollback");
    expect(sorting).to.deep.equal([]);
  });

  it("is kept for the declared time, whatever the caller asks for", () => {
    const declared = { table: "jobs.ordered", age: "r.dead_at", kept: "7 days", days: () => 1 };
    const { name, clearingSql, days } = oldRowsEverywhere(declared);
    expect(name).to.match(/^jobs_ordered_old_[0-9a-f]{8}$/);
    expect(clearingSql).to.include("greatest(interval '7 days', make_interval(days => days))");
    expect(clearingSql).to.include(`limit ${MOST_AT_ONCE} for update of r skip locked`);
    expect(days()).to.equal(1);
    expect(oldRows({ ...declared, table: "mails" }).batch.text).to.include("r.organisation_id = $1 and r.dead_at <");
    expect(() => oldRows({ ...declared, table: "mails; drop" })).to.throw("by its name");
  });
});

import { expect } from "chai";
import pg from "pg";
import { zipfShares } from "../../../operator/seed/sizes.ts";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";
import { cli, environmentOf } from "./cli-support.ts";

const [ORGANISATIONS, COMPANIES] = [20, 500];
/** Counts that triggers keep, next to those of the rows. */
const KEPT = `select list, sum(rows)::int as kept from (
    select list, rows from kept_counts union all select list, rows from count_changes) c group by list order by list`;

describe("seed --organisations", () => {
  let database: TestDatabase;
  let env: Record<string, string>;
  let sql: pg.Client;
  let made: Awaited<ReturnType<typeof cli>>;
  const seed = (...more: string[]) =>
    cli(env, ["seed", "--organisations", String(ORGANISATIONS), "--companies", String(COMPANIES), "--json", ...more]);
  before(async () => {
    database = await cloneDatabase();
    env = environmentOf(database, { SERVICE_BASE_DOMAIN: "kantoor.test" });
    sql = new pg.Client({ connectionString: database.superuser });
    await sql.connect();
    made = await seed();
  });
  after(async () => {
    await sql?.end();
    await database?.drop();
  });
  const one = async (text: string, values: unknown[] = []) => (await sql.query(text, values)).rows[0];

  it("makes organisations of sizes by Zipf's law, with an owner each, and shows a key of the largest", async () => {
    expect(made.status, made.err).to.equal(0);
    expect(made.json).to.include({ organisations: ORGANISATIONS, companies: COMPANIES, slug: "seed-01" });
    expect((made.json as { api_key: string }).api_key).to.match(/^kt_/);
    const { rows } = await sql.query(
      `select (select count(*)::int from companies c where c.organisation_id = o.id) as companies,
          (select count(*)::int from membership_roles m join roles r on r.id = m.role_id where m.organisation_id = o.id and r.key = 'owner') as owners
         from organisations o order by o.slug`,
    );
    expect(rows.map(({ companies }) => companies)).to.deep.equal(zipfShares(ORGANISATIONS, COMPANIES));
    expect(new Set(rows.map(({ owners }) => owners))).to.deep.equal(new Set([1]));
  });

  it("keeps the counts of lists right, and what is derived from the rows", async () => {
    const { rows } = await sql.query(KEPT);
    const kept = Object.fromEntries(rows.map(({ list, kept: count }) => [list, count]));
    for (const list of ["companies", "contacts", "projects", "tasks", "time_entries", "invoices", "subscriptions"]) {
      const { count } = await one(`select count(*)::int as count from ${list}`);
      expect(count, list).to.be.above(20);
      expect(kept[list], list).to.equal(count);
    }
    expect((await one("select count(*)::int as count from companies where search_text = ''")).count).to.equal(0);
    const wrong = `select count(*)::int as count from invoices i
      where i.subtotal <> (select sum(l.amount) from document_lines l where l.invoice_id = i.id) or i.total <> i.subtotal + i.tax_total
        or (i.status = 'paid') <> (i.outstanding = 0)`;
    expect((await one(wrong)).count, "invoices that do not add up").to.equal(0);
  });

  it("shows an organisation its own rows alone", async () => {
    const application = new pg.Client({ connectionString: database.application });
    await application.connect();
    try {
      const { id } = await one("select id from organisations where slug = 'seed-02'");
      expect((await application.query("select 1 from companies")).rowCount).to.equal(0);
      await application.query("select set_config('app.organisation_id', $1, false)", [id]);
      const { rows } = await application.query("select distinct organisation_id as id from companies");
      expect(rows).to.deep.equal([{ id }]);
    } finally {
      await application.end();
    }
  });

  it("is refused where organisations are, and with a seed that was used", async () => {
    const again = await seed();
    expect([again.status, again.err]).to.deep.equal([
      2,
      "An organisation already exists; `seed --help` names the option that makes others next to it.\n",
    ]);
    const used = await seed("--beside");
    expect([used.status, used.err]).to.deep.equal([2, "The seed 'seed' was used: choose another one.\n"]);
    expect((await one("select count(*)::int as count from organisations")).count).to.equal(ORGANISATIONS);
  });

  it("makes the same rows again in another database", async () => {
    const digest =
      "select md5(string_agg(to_jsonb(t)::text, '' order by t.id)) as digest from (select id, name, city, custom, created_at from companies) t";
    const other = await cloneDatabase();
    try {
      const again = await cli(environmentOf(other, { SERVICE_BASE_DOMAIN: "kantoor.test" }), [
        ...["seed", "--organisations", String(ORGANISATIONS), "--companies", String(COMPANIES), "--json"],
      ]);
      expect(again.status, again.err).to.equal(0);
      const client = new pg.Client({ connectionString: other.superuser });
      await client.connect();
      try {
        expect((await client.query(digest)).rows[0]).to.deep.equal(await one(digest));
      } finally {
        await client.end();
      }
    } finally {
      await other.drop();
    }
  });
});

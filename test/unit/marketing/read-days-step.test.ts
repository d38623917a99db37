import { randomUUID } from "node:crypto";
import { expect } from "chai";
import pg from "pg";
import step from "../../../migrations/0108-days-that-were-read.ts";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";

describe("the step that derives read days of existing links", function () {
  this.timeout(120_000);
  let database: TestDatabase;
  let sql: pg.Client;
  const [organisation, company] = [randomUUID(), randomUUID()];
  before(async () => {
    database = await cloneDatabase();
    sql = new pg.Client({ connectionString: database.owner });
    await sql.connect();
    await sql.query("insert into organisations (id, slug, name) values ($1, $2, 'Step')", [organisation, `o${organisation}`]);
    await sql.query("insert into companies (organisation_id, id, name) values ($1, $2, 'Client')", [organisation, company]);
  });
  after(async () => {
    await sql.end();
    await database.drop();
  });

  /** A link as the version before left it, after the step. @param synced its last synchronisation, UTC */
  async function stepped(source: string, days: readonly string[], synced: string | null) {
    const id = randomUUID();
    await sql.query("begin");
    try {
      await sql.query("alter table marketing_links drop column read_days");
      await sql.query(
        `insert into marketing_links (id, organisation_id, company_id, source, external_id, display_name, backfill_done, last_synced_at)
         values ($1, $2, $3, $4, $5, 'Link', true, $6)`,
        [id, organisation, company, source, id, synced],
      );
      await sql.query(
        `insert into marketing_days (organisation_id, link_id, company_id, source, day, metrics)
         select $1, $2, $3, $4, unnest($5::date[]), '{}'`,
        [organisation, id, company, source, days],
      );
      await step.up({ sql: async (text, values) => sql.query(text, values), application: "kantoor_app" });
      return (await sql.query("select read_days, backfill_done from marketing_links where id = $1", [id])).rows[0];
    } finally {
      await sql.query("rollback");
    }
  }

  it("takes the days with a row, and of the last run those that it read in every time zone", async () => {
    const days = ["2026-07-01", "2026-07-02", "2026-07-04"];
    expect(await stepped("ga4", days, null)).to.deep.equal({
      read_days: "{[2026-07-01,2026-07-03),[2026-07-04,2026-07-05)}",
      backfill_done: false,
    });
    expect((await stepped("ga4", days, "2026-08-10T04:45:00Z")).read_days).to.equal(
      "{[2026-07-01,2026-07-03),[2026-07-04,2026-07-05),[2026-08-04,2026-08-09)}",
    );
  });

  it("leaves out days that a late source may have lacked, and those of a source that reports the present alone", async () => {
    expect((await stepped("gsc", [], "2026-08-10T04:45:00Z")).read_days).to.equal("{[2026-08-04,2026-08-06)}");
    expect(await stepped("rankmath", ["2026-08-03"], "2026-08-10T04:45:00Z")).to.deep.equal({
      read_days: "{[2026-08-03,2026-08-04)}",
      backfill_done: true,
    });
    expect((await stepped("ga4", [], null)).read_days).to.equal("{}");
  });
});

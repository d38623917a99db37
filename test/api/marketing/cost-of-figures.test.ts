import { expect } from "chai";
import pg from "pg";
import { namedSpan } from "../../../core/calendar/named-spans.ts";
import { spanRows } from "../../../integrations/marketing/periods/counted-spans.ts";
import { FIGURES } from "../../../integrations/marketing/reading/figure-rows.ts";
import { nodesOf } from "../../support/lists/large.ts";
import type { Tenant } from "../../support/service.ts";
import { type StoredWorld, storedWorld } from "./stored-world.ts";

const TODAY = "2026-08-10";
const SOURCES = ["ga4", "gsc", "gads", "seranking", "rankmath"];
const YEAR = 365;
/** Days of both years outside of their whole months, and whole months of both. */
const AROUND = 2 * (22 + 9);
const MONTHS = 2 * 11;

describe("what a year of a client's figures costs", () => {
  let world: StoredWorld;
  let tenant: Tenant;
  let client: pg.Client;
  let company: string;
  before(async () => {
    world = await storedWorld(TODAY);
    tenant = await world.tenant();
    company = (await tenant.company()).id;
    for (const source of SOURCES)
      await world.constant(await world.link(tenant, company, source), "2024-08-01", "2026-08-09", { sessions: 2, clicks: 3 });
    client = new pg.Client({ connectionString: world.database.application });
    await client.connect();
  });
  after(async () => {
    await client.end();
    await world.stop();
  });

  it("is one look at each stored day of the span, and of the other days only those around whole months", async () => {
    const span = namedSpan("365d", TODAY);
    const { id } = tenant.organisation;
    await client.query("begin");
    await client.query("select set_config('app.organisation_id', $1, true)", [id]);
    await client.query("set local plan_cache_mode = force_generic_plan");
    await client.query("set local enable_seqscan = off");
    const { rows } = await client.query(`explain (analyze, timing off, format json) ${FIGURES.text}`, [
      ...[id, company, JSON.stringify(spanRows(span, "year", TODAY, 3)), span.from, span.to, TODAY],
    ]);
    await client.query("commit");
    const nodes = nodesOf(rows[0]["QUERY PLAN"][0].Plan);
    const readOf = (table: string) =>
      nodes
        .filter((node) => node["Relation Name"] === table)
        .map((node) => ["Actual Loops", "Actual Rows", "Rows Removed by Filter"].map((name) => Number(node[name] ?? 0)))
        .reduce((read, [loops = 0, kept = 0, removed = 0]) => read + loops * (kept + removed), 0);
    // The one more is the newest day of Search Console, which says how late that is.
    expect([readOf("marketing_days"), readOf("marketing_months")]).to.deep.equal([
      SOURCES.length * (YEAR + AROUND) + 1,
      SOURCES.length * MONTHS,
    ]);
  });
});

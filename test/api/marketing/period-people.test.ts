import { expect } from "chai";
import type { Tenant } from "../../support/service.ts";
import { type Body, type StoredWorld, storedWorld } from "./stored-world.ts";

const TODAY = "2026-08-10";

const NOTHING_MISSING = { lower_is_better: false, missing_days: 0, previous_missing_days: 0 };

describe("people of a span in GET /marketing/companies/{company_id}/metrics (marketing-ads §2.1, P20)", () => {
  let world: StoredWorld;
  let tenant: Tenant;
  let company: string;
  before(async () => {
    world = await storedWorld(TODAY);
  });
  beforeEach(async () => {
    world.today(TODAY);
    tenant = await world.tenant();
    company = (await tenant.company()).id;
  });
  after(() => world.stop());

  const read = async (query: string): Promise<Body> => {
    const { status, text, body } = await tenant.owner.get(`/marketing/companies/${company}/metrics?${query}`);
    expect(status, text).to.equal(200);
    return body;
  };
  const settings = (body: object) => tenant.owner.put(`/marketing/companies/${company}/settings`, body);
  const kpisOf = async (query: string) => (await read(query)).sources[0].kpis;

  it("are never added up over days: the source is read once, and `pending` until then", async () => {
    const ga4 = await world.link(tenant, company, "ga4");
    await world
      .connection(tenant, tenant.owner)
      .then((id) => world.sql.query("update marketing_links set connection_id = $1 where id = $2", [id, ga4]));
    await world.constant(ga4, "2025-08-01", "2026-08-09", { sessions: 10, totalUsers: 8 });
    const [first, again] = [await kpisOf("period=7d"), await kpisOf("period=7d")];
    expect(first.totalUsers).to.deep.equal({ current: 0, previous: 0, delta_pct: null, ...NOTHING_MISSING, pending: true });
    expect(again).to.deep.equal(first);
    const jobs = async (): Promise<string[][]> =>
      (
        await world.sql.query(
          `select payload from outbox where job = 'marketing.period_values' and organisation_id = $1
           union all select data -> 'payload' from jobs.agenda_jobs where name = 'marketing.period_values' and data::text like '%' || $2 || '%'`,
          [tenant.organisation.id, ga4],
        )
      ).rows.map(({ payload }) => payload.spans.toSorted());
    // One job for both spans: a second one would wait for the link, which the first one reads.
    expect(new Set((await jobs()).map((spans) => spans.join()))).to.deep.equal(
      new Set(["2025-08-03/2025-08-09,2026-08-03/2026-08-09"]),
    );
    const keys = await world.sql.query(
      "select distinct key from outbox where job = 'marketing.period_values' and organisation_id = $1",
      [tenant.organisation.id],
    );
    expect(keys.rows.every(({ key }) => key === ga4)).to.equal(true);
  });

  it("are the source's own value of both spans", async () => {
    const ga4 = await world.link(tenant, company, "ga4");
    await world.constant(ga4, "2026-08-03", "2026-08-09", { sessions: 10, totalUsers: 8 });
    await world.value(ga4, "totalUsers", "2026-08-03", "2026-08-09", 21);
    expect((await kpisOf("period=7d")).totalUsers.pending).to.equal(true);
    await world.value(ga4, "totalUsers", "2025-08-03", "2025-08-09", 20);
    const { kpis, series } = (await read("period=7d")).sources[0];
    expect(kpis.totalUsers).to.deep.equal({ current: 21, previous: 20, delta_pct: 5, ...NOTHING_MISSING, pending: false });
    expect(series.metrics.totalUsers).to.deep.equal(Array(7).fill(8));
  });

  it("are 0 of a future span, without a call", async () => {
    const ga4 = await world.link(tenant, company, "ga4");
    await world.value(ga4, "totalUsers", "2025-09-01", "2025-09-30", 20);
    expect((await kpisOf("period=2026-09")).totalUsers).to.deep.include({
      current: 0,
      previous: 20,
      delta_pct: -100,
      pending: false,
    });
  });

  it("count on the day alone on which they were fetched if the span had not ended then", async () => {
    const ga4 = await world.link(tenant, company, "ga4");
    await settings({ compare: "previous" });
    const people = async (period: string) => {
      const { current, previous, pending } = (await kpisOf(`period=${period}`)).totalUsers;
      return [current, previous, pending];
    };
    const pending = [0, 0, true];
    await world.value(ga4, "totalUsers", "2026-08-01", "2026-08-31", 7);
    expect(await people("2026-09")).to.deep.equal([0, 7, false]);
    world.today("2026-08-11");
    expect(await people("2026-09")).to.deep.equal(pending);
    world.today("2026-09-01");
    await world.value(ga4, "totalUsers", "2026-07-01", "2026-07-31", 20);
    expect(await people("last_month")).to.deep.equal(pending);
    await world.sql.query("delete from marketing_period_values where link_id = $1 and value = 7", [ga4]);
    await world.value(ga4, "totalUsers", "2026-08-01", "2026-08-31", 21);
    expect(await people("last_month")).to.deep.equal([21, 20, false]);
    world.today("2026-09-20");
    expect(await people("2026-08")).to.deep.equal([21, 20, false]);
  });
});

import { expect } from "chai";
import { addDays, daysInclusive, earlier } from "../../../core/calendar/dates.ts";
import { deltaPct } from "../../../integrations/marketing/periods/kpi.ts";
import type { Tenant } from "../../support/service.ts";
import { rounds } from "../../support/tier.ts";
import { type Body, type StoredWorld, storedWorld } from "./stored-world.ts";

const TODAY = "2026-11-20";
const YESTERDAY = "2026-11-19";
const VISITS = { sessions: 100, newUsers: 60, engagementRate: 0.5, keyEvents: 4 };
const CLICKS = { clicks: 10, impressions: 100, ctr: 0.1, position: 5 };
const TOKENS = [
  "1d",
  "7d",
  "30d",
  "90d",
  "yoy",
  "400d",
  "week",
  "last_week",
  "ytd",
  "last_year",
  "month",
  "last_month",
  "quarter",
  "last_quarter",
  "2026-10",
  "2025-Q4",
];

describe("a comparison needs all of its days (marketing-ads §1)", () => {
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

  const get = async (path: string): Promise<Body> => {
    const { status, text, body } = await tenant.owner.get(`/marketing/${path}`);
    expect(status, text).to.equal(200);
    return body;
  };
  const source = async (query: string) => (await get(`companies/${company}/metrics?${query}`)).sources[0];
  const compare = (mode: string) => tenant.owner.put("/marketing/settings", { default_compare: mode });
  /** A link whose days from `from` to yesterday were read and stored, with the same figures each. */
  async function linkSince(from: string, key = "ga4", of = company): Promise<string> {
    const id = await world.link(tenant, of, key);
    await world.readFor(id, from, YESTERDAY);
    await world.constant(id, from, YESTERDAY, key === "gsc" ? CLICKS : VISITS);
    return id;
  }

  it("has none of October with the eight days of last October that a link of 400 days has", async () => {
    await linkSince("2025-10-24");
    const { kpis, ...october } = await source("period=2026-10");
    expect(kpis.sessions).to.deep.equal({
      ...{ current: 3100, previous: 0, delta_pct: null, lower_is_better: false, pending: false },
      ...{ missing_days: 0, previous_missing_days: 23 },
    });
    expect([october.missing_days, october.previous_missing_days]).to.deep.equal([0, 23]);
    expect([kpis.engagementRate.previous, kpis.conversions.previous]).to.deep.equal([0, 0]);
    await compare("previous");
    expect((await source("period=30d")).kpis.sessions).to.deep.include({
      previous: 3000,
      delta_pct: 0,
      previous_missing_days: 0,
    });
  });

  it("has none for a single unread day of the span itself, which the series names", async () => {
    const id = await linkSince("2024-01-01");
    await world.sql.query(
      "update marketing_links set read_days = read_days - datemultirange(daterange('2026-11-17', '2026-11-18')) where id = $1",
      [id],
    );
    await world.sql.query("delete from marketing_days where link_id = $1 and day = '2026-11-17'", [id]);
    const { kpis, series } = await source("period=3d");
    expect(kpis.sessions).to.deep.include({
      current: 200,
      previous: 0,
      delta_pct: null,
      missing_days: 1,
      previous_missing_days: 0,
    });
    expect([series.metrics.sessions, series.missing]).to.deep.equal([[0, 100, 100], ["2026-11-17"]]);
    expect((await source("period=2d")).kpis.sessions).to.deep.include({ previous: 200, delta_pct: 0, missing_days: 0 });
  });

  it("counts a day that was read without a row as a day without visitors", async () => {
    const id = await linkSince("2024-01-01");
    await world.sql.query("delete from marketing_days where link_id = $1 and day = '2026-11-18'", [id]);
    const { kpis, series } = await source("period=2d");
    expect(kpis.sessions).to.deep.include({ current: 100, previous: 200, delta_pct: -50, missing_days: 0 });
    expect(series.missing).to.deep.equal([]);
  });

  it("holds for values of whole spans too", async () => {
    const id = await linkSince("2026-11-01");
    await world.value(id, "totalUsers", "2026-11-13", YESTERDAY, 70);
    await world.value(id, "totalUsers", "2025-11-13", "2025-11-19", 50);
    expect((await source("period=7d")).kpis.totalUsers).to.deep.include({ current: 70, previous: 0, delta_pct: null });
  });

  it("names every day of the series of a link that was never read", async () => {
    const id = await world.link(tenant, company, "gsc");
    await world.sql.query("update marketing_links set read_days = '{}' where id = $1", [id]);
    const { series, missing_days } = await source("period=7d");
    expect(series.missing).to.deep.equal(series.dates);
    expect(missing_days, "three days may be late").to.equal(4);
  });

  it("needs those of every account of a client in reads over many clients", async () => {
    const other = (await tenant.company()).id;
    await linkSince("2024-01-01");
    await linkSince("2026-11-01");
    await linkSince("2024-01-01", "ga4", other);
    await linkSince("2026-11-01", "gsc", other);
    const { rows } = await get("overview?period=7d");
    const [first, second] = [company, other].map((id) => rows.find((row: Body) => row.company_id === id).metrics);
    expect(first.sessions).to.deep.include({ current: 1400, previous: 0, delta_pct: null, previous_missing_days: 7 });
    expect(second.sessions).to.deep.include({ current: 700, previous: 700, delta_pct: 0, previous_missing_days: 0 });
    expect(second.position).to.deep.include({ current: 5, previous: 0, delta_pct: null, previous_missing_days: 7 });
    const summary = await get("summary?period=7d");
    expect(summary.rows.map(({ kpi }: Body) => [kpi.delta_pct, kpi.previous_missing_days])).to.deep.equal([
      [null, 7],
      [0, 0],
    ]);
  });

  it("shows no change of constant traffic, whatever the age of the link, the period and the comparison", async function () {
    this.timeout(300_000);
    // One client for each age, so that one grid shows all of them.
    const step = rounds(40, 1);
    const ages = Array.from({ length: Math.floor(800 / step) + 1 }, (_, at) => at * step);
    for (const age of ages) {
      const { id } = await tenant.company({ name: `Age ${age}` });
      for (const key of ["ga4", "gsc"]) {
        const link = await world.link(tenant, id, key);
        await world.sql.query("update marketing_links set read_days = '{}' where id = $1", [link]);
        if (age === 0) continue;
        await world.readFor(link, addDays(TODAY, -age), YESTERDAY);
        await world.constant(link, addDays(TODAY, -age), YESTERDAY, key === "gsc" ? CLICKS : VISITS);
      }
    }
    for (const mode of ["year", "previous"]) {
      expect((await compare(mode)).status).to.equal(200);
      for (const token of TOKENS) {
        const { compare: spans, rows } = await get(`overview?period=${token}`);
        expect(rows).to.have.length(ages.length);
        // Whole months differ in length, and so do spans with a leap day.
        const [now, before] = [daysInclusive(spans.current_start, spans.current_end), daysInclusive(spans.start, spans.end)];
        const isMissing = (age: number) => addDays(TODAY, -age) > earlier(spans.start, spans.current_start);
        for (const { company_name: name, metrics } of rows) {
          const age = Number(name.slice(4));
          const change = isMissing(age) ? null : deltaPct(now, before);
          for (const [metric, expected] of Object.entries({ sessions: change, clicks: change, position: change && 0 }))
            expect(metrics[metric].delta_pct, `${metric} of ${token} by ${mode} of a link of ${age} days`).to.equal(expected);
        }
      }
    }
  });
});

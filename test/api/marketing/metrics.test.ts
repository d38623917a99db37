import { expect } from "chai";
import { addDays, eachDay } from "../../../core/calendar/dates.ts";
import type { Caller, Tenant } from "../../support/service.ts";
import { refusalOf } from "../clients/companies/company-records.ts";
import { type Body, restricted, type StoredWorld, storedWorld } from "./stored-world.ts";

const TODAY = "2026-08-10";

describe("GET /marketing/companies/{company_id}/metrics (marketing-ads §2.6)", () => {
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

  const answer = (query = "", who: Caller = tenant.owner) => who.get(`/marketing/companies/${company}/metrics?${query}`);
  const read = async (query = "", who?: Caller): Promise<Body> => {
    const { status, text, body } = await answer(query, who);
    expect(status, text).to.equal(200);
    return body;
  };
  const settings = (body: object) => tenant.owner.put(`/marketing/companies/${company}/settings`, body);
  const kpisOf = async (query = "") => (await read(query)).sources[0].kpis;

  it("is empty for a client without links", async () => {
    expect(await read()).to.deep.equal({
      company_id: company,
      range_days: 30,
      period: "30d",
      compare: {
        mode: "year",
        current_start: "2026-07-11",
        current_end: "2026-08-09",
        start: "2025-07-11",
        end: "2025-08-09",
      },
      compare_setting: null,
      compare_default: "year",
      sources: [],
      needs_connection: true,
      can_manage: true,
      show_key_events: true,
      layout: null,
      websites: [],
      narrative: null,
    });
  });

  for (const [query, days, start, end, used] of [
    ["range_days=7", 7, "2026-08-03", "2026-08-09", "7d"],
    ["range_days=7&period=last_quarter", 91, "2026-04-01", "2026-06-30", "last_quarter"],
    ["range_days=7&period=", 7, "2026-08-03", "2026-08-09", "7d"],
    ["period=%20Month%20", 9, "2026-08-01", "2026-08-09", "month"],
    ["period=weekly", 30, "2026-07-11", "2026-08-09", "30d"],
    ["period=9999d", 400, "2025-07-06", "2026-08-09", "400d"],
    ["period=2026-q3", 40, "2026-07-01", "2026-08-09", "2026-Q3"],
    ["period=last_week", 7, "2026-08-03", "2026-08-09", "last_week"],
    ["period=ytd", 221, "2026-01-01", "2026-08-09", "ytd"],
    ["period=7d&date_from=2026-06-03&date_to=2026-06-05", 3, "2026-06-03", "2026-06-05", "custom"],
    ["date_from=0001-01-01&date_to=0001-01-02", 2, "0001-01-01", "0001-01-02", "custom"],
    ["date_from=9999-12-31&date_to=9999-12-31", 1, "9999-12-31", "9999-12-31", "custom"],
  ] as const)
    it(`resolves ${query} in the organisation's zone, and names the period`, async () => {
      await world.link(tenant, company, "ga4");
      for (const path of [`companies/${company}/metrics`, "overview", "summary"]) {
        const { status, text, body } = await tenant.owner.get(`/marketing/${path}?${query}`);
        expect(status, text).to.equal(200);
        const { range_days, compare, period } = body;
        expect([range_days, compare.current_start, compare.current_end, period], path).to.deep.equal([days, start, end, used]);
      }
    });

  for (const [dates, field, key] of [
    ["date_from=2026-06-03", "date_to", "errors.required"],
    ["date_to=2026-06-03&period=7d", "date_from", "errors.required"],
    ["date_from=2026-06-03&date_to=2026-06-02", "date_to", "errors.validation"],
    ["date_from=2025-06-03&date_to=2026-07-08", "date_to", "errors.validation"],
    ["date_from=2026-06-03&date_to=2026-06-31", "date_to", "errors.validation"],
  ] as const)
    it(`refuses ${dates} everywhere`, async () => {
      const id = await world.link(tenant, company, "ga4");
      const drilldown = `companies/${company}/drilldown?link_id=${id}&kind=devices&`;
      for (const path of [`companies/${company}/metrics?`, "overview?", "summary?", drilldown])
        expect(refusalOf(await tenant.owner.get(`/marketing/${path}${dates}`)), path).to.deep.equal([
          422,
          "validation",
          { [field]: key },
        ]);
    });

  it("takes two dates of 400 days, up to today and beyond", async () => {
    const ga4 = await world.link(tenant, company, "ga4");
    await world.constant(ga4, "2024-01-01", "2026-08-10", { sessions: 10 });
    expect((await read("date_from=2025-06-04&date_to=2026-07-08")).range_days).to.equal(400);
    const [{ kpis, data_until: until }] = (await read("date_from=2026-08-08&date_to=2026-08-12")).sources;
    expect([until, kpis.sessions.current, kpis.sessions.previous]).to.deep.equal(["2026-08-09", 20, 20]);
  });

  for (const value of ["0", "401", "x", "-1"])
    it(`refuses range_days=${value}`, async () =>
      expect(refusalOf(await answer(`range_days=${value}`))).to.deep.equal([
        422,
        "validation",
        { range_days: "errors.validation" },
      ]));

  it("ends yesterday where the organisation is, not where UTC is", async () => {
    world.today("2026-08-09T22:30:00Z");
    expect((await read("period=1d")).compare.current_end).to.equal("2026-08-09");
    world.today("2026-08-09T21:30:00Z");
    expect((await read("period=1d")).compare.current_end).to.equal("2026-08-08");
  });

  it("adds up, weighs and averages the stored days, to 4 decimals", async () => {
    const ga4 = await world.link(tenant, company, "ga4");
    await world.days(ga4, {
      "2026-08-08": { sessions: 3, totalUsers: 2, newUsers: 1, keyEvents: 1, engagementRate: 0.5, totalRevenue: 0.1 },
      "2026-08-09": { sessions: 1, totalUsers: 2, newUsers: 1, keyEvents: 2, engagementRate: 0.25, totalRevenue: 0.2 },
      "2026-08-06": { sessions: 2, engagementRate: 1 },
      "2026-08-07": { sessions: 0 },
    });
    const kpis = await kpisOf("period=2d");
    const kpi = (current: number, previous: number, delta_pct: number | null) => ({
      current,
      previous,
      delta_pct,
      lower_is_better: false,
      pending: false,
      missing_days: 0,
      previous_missing_days: 0,
    });
    await settings({ compare: "previous" });
    expect(kpis.sessions).to.deep.equal(kpi(4, 0, null));
    const compared = await kpisOf("period=2d");
    expect(compared.sessions).to.deep.equal(kpi(4, 2, 100));
    expect(compared.engagementRate).to.deep.equal(kpi(0.4375, 1, -56.3));
    expect(compared.totalRevenue).to.deep.equal(kpi(0.3, 0, null));
    expect(compared.keyEvents).to.deep.equal(kpi(3, 0, null));
    expect(compared.conversions).to.deep.equal(compared.keyEvents);
  });

  it("weights ctr and position by impressions, and gives 0 without any", async () => {
    const gsc = await world.link(tenant, company, "gsc");
    await world.days(gsc, {
      "2026-08-08": { clicks: 1, impressions: 10, ctr: 0.1, position: 3 },
      "2026-08-09": { clicks: 0, impressions: 20, ctr: 0, position: 9 },
    });
    const kpis = await kpisOf("period=2d");
    expect(kpis.ctr.current).to.equal(0.0333);
    expect(kpis.position).to.deep.include({ current: 7, lower_is_better: true });
    expect((await kpisOf("period=2026-05")).position.current).to.equal(0);
  });

  it("averages rankings and scores over the days that are stored", async () => {
    const seranking = await world.link(tenant, company, "seranking");
    await world.days(seranking, {
      "2026-08-01": { avg_position: 12.5, top10: 4, keywords_tracked: 20 },
      "2026-08-09": { avg_position: 10, top10: 5, keywords_tracked: 20 },
      "2026-08-05": { top10: 6 },
    });
    const kpis = await kpisOf("period=month");
    expect([kpis.avg_position.current, kpis.top10.current, kpis.keywords_tracked.current]).to.deep.equal([11.25, 5, 20]);
    const rankmath = await world.link(tenant, company, "rankmath");
    await world.days(rankmath, { "2026-08-02": { brand_rank: 2, mentions: 7 }, "2026-08-09": { brand_rank: 5 } });
    Object.assign(kpis, (await read("period=month")).sources.at(-1).kpis);
    expect([kpis.brand_rank.current, kpis.mentions.current]).to.deep.equal([3.5, 7]);
    const isLower = ["avg_position", "brand_rank", "top10", "mentions"].map((name) => kpis[name].lower_is_better);
    expect(isLower).to.deep.equal([true, true, false, false]);
  });

  it("counts a shared day in both spans of a window over a year", async () => {
    const ga4 = await world.link(tenant, company, "ga4");
    await world.days(ga4, { "2025-08-01": { sessions: 5 } });
    expect((await kpisOf("period=400d")).sessions).to.deep.include({ current: 5, previous: 5, delta_pct: 0 });
  });

  it("has every day in the series, with 0 where nothing is stored", async () => {
    const ga4 = await world.link(tenant, company, "ga4");
    await world.days(ga4, { "2026-08-07": { sessions: 5, totalUsers: 4 }, "2026-08-10": { sessions: 99 } });
    const [{ series }] = (await read("period=4d")).sources;
    expect(series.dates).to.deep.equal(["2026-08-06", "2026-08-07", "2026-08-08", "2026-08-09"]);
    expect(series.metrics.sessions).to.deep.equal([0, 5, 0, 0]);
    expect(series.metrics.totalUsers).to.deep.equal([0, 4, 0, 0]);
    expect(series.metrics.conversions).to.deep.equal([0, 0, 0, 0]);
  });

  it("has channels of the current span, and null of a source without", async () => {
    const ga4 = await world.link(tenant, company, "ga4");
    await world.link(tenant, company, "gsc");
    await world.days(
      ga4,
      { "2026-08-08": { sessions: 3 }, "2026-08-09": { sessions: 3 } },
      { channels: { Direct: 2, Unassigned: 1 } },
    );
    await world.days(ga4, { "2025-08-09": { sessions: 3 } }, { channels: { Direct: 100 } });
    const [first, second] = (await read("period=2d")).sources;
    expect([first.channels, second.channels]).to.deep.equal([{ Direct: 4, Unassigned: 2 }, null]);
  });

  describe("a late source (§2.6, P21)", () => {
    const traffic = { clicks: 10, impressions: 100, ctr: 0.1, position: 5 };
    for (const [late, until] of [
      [0, "2026-08-09"],
      [1, "2026-08-08"],
      [2, "2026-08-07"],
      [3, "2026-08-06"],
    ] as const)
      it(`shows no change of constant traffic when it is ${late} days late`, async () => {
        const gsc = await world.link(tenant, company, "gsc");
        await world.constant(gsc, "2025-01-01", addDays("2026-08-09", -late), traffic);
        for (const compare of ["year", "previous"]) {
          await settings({ compare });
          const [source] = (await read("period=7d")).sources;
          expect(source.data_until).to.equal(until);
          expect(source.kpis.clicks).to.deep.include({ current: 10 * (7 - late), previous: 10 * (7 - late), delta_pct: 0 });
          expect([source.kpis.ctr.delta_pct, source.kpis.position.delta_pct]).to.deep.equal([0, 0]);
          expect(source.series.dates).to.have.length(7);
        }
      });

    it("leaves out three days at most, and days of zeros like missing ones", async () => {
      const gsc = await world.link(tenant, company, "gsc");
      await world.constant(gsc, "2025-01-01", "2026-08-04", traffic);
      await world.constant(gsc, "2026-08-08", "2026-08-09", { clicks: 0, impressions: 0, ctr: 0, position: 0 });
      const [source] = (await read("period=7d")).sources;
      expect(source.data_until).to.equal("2026-08-06");
      expect(source.kpis.clicks).to.deep.include({ current: 20, previous: 40 });
    });

    it("counts an empty day with a later one behind it", async () => {
      const gsc = await world.link(tenant, company, "gsc");
      await world.constant(gsc, "2026-07-01", "2026-08-06", traffic);
      await world.days(gsc, { "2026-08-09": traffic });
      const [source] = (await read("period=7d")).sources;
      expect([source.data_until, source.kpis.clicks.current]).to.deep.equal(["2026-08-09", 50]);
    });

    it("is not late in a span that ended long ago, and has no day in one that is too short", async () => {
      const gsc = await world.link(tenant, company, "gsc");
      await world.constant(gsc, "2025-01-01", "2026-08-06", traffic);
      expect((await read("period=last_month")).sources[0].data_until).to.equal("2026-07-31");
      const [source] = (await read("period=1d")).sources;
      expect(source.data_until).to.equal(null);
      expect(source.kpis.clicks).to.deep.include({ current: 0, previous: 0, delta_pct: null });
    });

    it("leaves every day of sources that are on time", async () => {
      const ga4 = await world.link(tenant, company, "ga4");
      await world.constant(ga4, "2026-08-01", "2026-08-06", { sessions: 5 });
      const [source] = (await read("period=7d")).sources;
      expect([source.data_until, source.kpis.sessions.current]).to.deep.equal(["2026-08-09", 20]);
    });

    it("shows 0 % of constant traffic for every token on every day of a year, three days late", async function () {
      this.timeout(300_000);
      const gsc = await world.link(tenant, company, "gsc");
      await world.constant(gsc, "2024-12-01", "2027-12-31", traffic);
      await tenant.owner.put("/marketing/settings", { default_compare: "year" });
      for (const today of eachDay("2027-01-01", "2027-12-31").filter((_, at) => at % 11 === 0)) {
        world.today(today);
        await world.sql.query("delete from marketing_days where link_id = $1 and day >= $2::date - 3 and day < $2", [gsc, today]);
        for (const token of ["7d", "30d", "90d", "365d", "month", "last_month", "quarter", "last_quarter"]) {
          const [{ kpis, data_until: until }] = (await read(`period=${token}`)).sources;
          const expected = until === null ? null : 0;
          expect([kpis.clicks.delta_pct, kpis.impressions.delta_pct], `${token} on ${today}`).to.deep.equal([expected, expected]);
        }
        await world.sql.query(
          `insert into marketing_days (organisation_id, link_id, company_id, source, day, metrics)
           select organisation_id, id, company_id, source, d, $3 from marketing_links, generate_series($2::date - 3, $2::date - 1, '1 day') d where id = $1`,
          [gsc, today, JSON.stringify(traffic)],
        );
      }
    });
  });

  describe("a source's facts", () => {
    it("are in the order of display, active links alone", async () => {
      for (const source of ["rankmath", "gads", "seranking", "ga4", "gsc"]) await world.link(tenant, company, source);
      await world.link(tenant, company, "ga4", { active: false });
      const { sources } = await read();
      expect(sources.map(({ source }: Body) => source)).to.deep.equal(["ga4", "gsc", "gads", "seranking", "rankmath"]);
    });

    it("have the currency of stored days, else of the configuration, else none", async () => {
      const gads = await world.link(tenant, company, "gads", { config: { currency: "SEK" } });
      await world.link(tenant, company, "gsc");
      const currencies = async () => (await read()).sources.map(({ currency }: Body) => currency);
      expect(await currencies()).to.deep.equal([null, "SEK"]);
      await world.days(gads, { "2026-08-01": { cost: 1.5 } }, { currency: "USD" });
      expect(await currencies()).to.deep.equal([null, "USD"]);
    });

    it("name the website, and the source's own screen", async () => {
      const site = await world.website(tenant, company, "shop.example");
      const links = {
        ga4: { external_id: "properties/123" },
        gsc: { external_id: "sc-domain:shop.example" },
        gads: { external_id: "123-456-7890" },
        rankmath: { website_id: site },
        seranking: {},
      };
      for (const [source, values] of Object.entries(links)) await world.link(tenant, company, source, values);
      const { sources, websites } = await read();
      const screens = Object.fromEntries(sources.map(({ source, deep_link }: Body) => [source, deep_link]));
      expect(screens).to.deep.equal({
        ga4: "https://analytics.google.com/analytics/web/#/p123/reports/intelligenthome",
        gsc: "https://search.google.com/search-console?resource_id=sc-domain%3Ashop.example",
        gads: "https://ads.google.com/aw/overview?__c=1234567890",
        rankmath: "https://shop.example/wp-admin/admin.php?page=rank-math-ai-visibility",
        seranking: "",
      });
      expect(websites).to.deep.equal([{ id: site, name: sources[4].website_name }]);
      expect(sources[4]).to.deep.include({ website_id: site });
      expect(sources[0]).to.deep.include({ website_id: null, website_name: null });
    });

    it("have the health of their connection, then of their last run, then of their figures", async () => {
      const connection = await world.connection(tenant, tenant.owner);
      const ga4 = await world.link(tenant, company, "ga4", { connection_id: connection });
      await world.link(tenant, company, "seranking", { last_error: "marketing.accounts_error" });
      const health = async () => (await read()).sources.map((source: Body) => source.health);
      expect(await health()).to.deep.equal(["pending", "error"]);
      await world.days(ga4, { "2026-08-01": { sessions: 1 } });
      expect(await health()).to.deep.equal(["ok", "error"]);
      await world.sql.query("update marketing_links set last_error = 'marketing.accounts_error' where id = $1", [ga4]);
      expect((await read()).sources[0].last_error).to.equal("marketing.accounts_error");
      expect(await health()).to.deep.equal(["error", "error"]);
      await world.sql.query("update workspace_connections set status = 'error' where id = $1", [connection]);
      expect(await health()).to.deep.equal(["disconnected", "error"]);
      expect((await read()).needs_connection).to.equal(true);
      await world.sql.query("delete from workspace_connections where id = $1", [connection]);
      expect(await health()).to.deep.equal(["disconnected", "error"]);
    });

    it("say whose grant they are read with, to colleagues alone (S20)", async () => {
      const colleague = await tenant.member("member", { name: "Sanne de Wit" });
      const connection = await world.connection(tenant, colleague, { email: "sanne@provider.example" });
      await world.link(tenant, company, "ga4", { connection_id: connection });
      const owner = { user_id: colleague.accountId, name: "Sanne de Wit", email: "sanne@provider.example" };
      const body = await read();
      expect(body.sources[0].connection_owner).to.deep.equal({ ...owner, is_me: false });
      expect(body.needs_connection).to.equal(false);
      expect((await read("", colleague)).sources[0].connection_owner).to.deep.equal({ ...owner, is_me: true });
      const client = await tenant.member("client");
      await tenant.group("Clients of the login", [company], [client.membershipId]);
      const seen = await read("", client);
      expect(seen.sources[0].connection_owner).to.equal(null);
      expect(JSON.stringify(seen)).not.to.include("sanne");
    });
  });

  describe("the layout (§2.5)", () => {
    it("shows exactly the tiles, their labels and drilldowns, and figures of no other metric", async () => {
      const ga4 = await world.link(tenant, company, "ga4");
      await world.days(ga4, { "2026-08-09": { sessions: 5, keyEvents: 2, totalRevenue: 12 } });
      const labels = { totalRevenue: { nl: "Omzet" }, sessions: { en: "Visits" } };
      await settings({
        layout: {
          sources: { ga4: { tiles: ["totalRevenue", "newUsers"], labels, drilldowns: ["devices"], chart_metric: "newUsers" } },
        },
      });
      const [source] = (await read()).sources;
      expect(source.tiles).to.deep.equal(["totalRevenue", "newUsers"]);
      expect(Object.keys(source.kpis)).to.deep.equal(["totalRevenue", "newUsers"]);
      expect(Object.keys(source.series.metrics)).to.deep.equal(["totalRevenue", "newUsers"]);
      expect(source.tile_labels).to.deep.equal({ totalRevenue: { nl: "Omzet" } });
      expect([source.drilldowns, source.primary_metric]).to.deep.equal([["devices"], "newUsers"]);
    });

    it("leaves out key events when they are off", async () => {
      await world.link(tenant, company, "ga4");
      await settings({ show_key_events: false });
      const body = await read();
      expect(body.show_key_events).to.equal(false);
      expect(body.sources[0].tiles).to.deep.equal(["sessions", "totalUsers", "newUsers", "engagementRate", "totalRevenue"]);
      expect(body.sources[0].drilldowns).not.to.include("key_events");
      expect(Object.keys(body.sources[0].kpis)).not.to.include.members(["keyEvents"]);
    });

    it("leaves out a hidden source for those who manage no links, and flags it for those who do", async () => {
      await world.link(tenant, company, "ga4");
      await world.link(tenant, company, "gsc");
      const layout = { sources: { ga4: { hidden: true } } };
      await settings({ layout, compare: "previous" });
      const managed = await read();
      expect(managed.sources.map(({ source, hidden }: Body) => [source, hidden])).to.deep.equal([
        ["ga4", true],
        ["gsc", false],
      ]);
      expect(managed).to.deep.include({ layout, compare_setting: "previous", can_manage: true });
      const member = await tenant.member("member");
      const seen = await read("", member);
      expect(seen.sources.map(({ source }: Body) => source)).to.deep.equal(["gsc"]);
      expect(seen).to.deep.include({ layout: null, compare_setting: null, can_manage: false });
      expect(seen.compare.mode).to.equal("previous");
    });
  });

  it("compares by the client's rule, then by the organisation's", async () => {
    await tenant.owner.put("/marketing/settings", { default_compare: "previous" });
    expect(await read()).to.deep.include({ compare_setting: null, compare_default: "previous" });
    expect((await read()).compare.mode).to.equal("previous");
    await settings({ compare: "year" });
    expect((await read()).compare.mode).to.equal("year");
    expect(await read()).to.deep.include({ compare_setting: "year", compare_default: "previous" });
  });

  it("is 404 for a client that the caller does not see", async () => {
    const admin = await restricted(tenant, [(await tenant.company()).id]);
    expect(refusalOf(await answer("", admin))).to.deep.equal([404, "not_found", null]);
    expect(refusalOf(await answer("", await tenant.member("client")))).to.deep.equal([404, "not_found", null]);
    const other = await world.tenant();
    expect(refusalOf(await other.owner.get(`/marketing/companies/${company}/metrics`))).to.deep.equal([404, "not_found", null]);
  });

  it("takes the same number of statements for one link and for thirty", async () => {
    await world.link(tenant, company, "ga4");
    const few = (await answer("period=365d")).statements;
    for (const source of ["ga4", "gsc", "gads", "seranking", "rankmath"])
      for (let n = 0; n < 6; n++)
        await world.constant(await world.link(tenant, company, source), "2026-08-01", "2026-08-09", { sessions: 1 });
    expect((await answer("period=365d")).statements).to.equal(few);
    expect(few).to.be.at.most(4);
  });
});

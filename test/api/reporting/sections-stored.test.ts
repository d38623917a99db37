import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { eachDay } from "../../../core/calendar/dates.ts";
import { catalogue } from "../../../core/declare/catalogue/catalogue.ts";
import type { Tenant } from "../../support/service.ts";
import { type StoredWorld, storedWorld } from "../marketing/stored-world.ts";
import { ok } from "./reporting-world.ts";
import { type Gathering, gathered, printed, rowsOf, valuesOf } from "./sections-world.ts";

const TODAY = "2026-08-10";
const SPAN = { from: "2026-07-01", to: "2026-07-31" };
const SYNCED = { last_synced_at: "2026-08-10T04:45:00Z" };
/** Makes no call to a source if the client's tab has no drilldowns. */
const WITHOUT_DRILLDOWNS = { sources: { ga4: { drilldowns: [] }, gsc: { drilldowns: [] } } };

describe("sections of a report from stored figures (workspace-reporting §1.6)", () => {
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
    await ok(settings({ layout: WITHOUT_DRILLDOWNS }));
  });
  after(() => world.stop());

  const settings = (values: object, client = company) => tenant.owner.put(`/marketing/companies/${client}/settings`, values);
  const gathering = (more: Partial<Gathering> = {}): Gathering => ({ company, span: SPAN, ...more });
  const section = (key: string, more?: Partial<Gathering>) => printed(tenant, `marketing.${key}`, gathering(more));
  const nothing = async (key: string, more?: Partial<Gathering>) =>
    (await gathered(tenant, `marketing.${key}`, gathering(more))).data;
  const link = (source: string, values: Record<string, unknown> = {}) =>
    world.link(tenant, company, source, { ...SYNCED, ...values });
  const people = async (id: string, now: number, before: number) => {
    await world.value(id, "totalUsers", SPAN.from, SPAN.to, now);
    await world.value(id, "totalUsers", "2025-07-01", "2025-07-31", before);
  };
  const failure = (key: string, more?: Partial<Gathering>) =>
    nothing(key, more).then(
      () => null,
      (error: Error) => error.message,
    );

  it("have a part for each website, of which totals are sums and means but never people twice", async () => {
    const site = await world.website(tenant, company, "shop.example");
    const [one, two, loose] = [
      await link("ga4", { website_id: site, display_name: "A" }),
      await link("ga4", { website_id: site, display_name: "B" }),
      await link("ga4", { display_name: "C" }),
    ];
    await world.days(one, { "2026-07-05": { sessions: 10, newUsers: 4, engagementRate: 0.5 } }, { channels: { Direct: 10 } });
    await world.days(two, { "2026-07-05": { sessions: 30, newUsers: 1, engagementRate: 0.9 } }, { channels: { Direct: 30 } });
    await world.days(loose, { "2026-07-06": { sessions: 20, newUsers: 2, engagementRate: 0 } }, { channels: { Email: 20 } });
    await people(loose, 15, 0);
    const split = await section("traffic_channels");
    expect(valuesOf(split.totals)).to.deep.equal({ sessions: [60, null], newUsers: [7, null], engagementRate: [53.33, null] });
    expect(split.table).to.equal(undefined);
    expect(split.parts?.map(({ name, totals }) => [name, valuesOf(totals)])).to.deep.equal([
      ["shop.example", { sessions: [40, null], newUsers: [5, null], engagementRate: [80, null] }],
      ["C", { sessions: [20, null], totalUsers: [15, 0], newUsers: [2, null], engagementRate: [0, null] }],
    ]);
    expect(split.parts?.map((part) => rowsOf(part).map(({ channel, sessions }) => [channel, sessions]))).to.deep.equal([
      [["Direct", 40]],
      [["Email", 20]],
    ]);
    await ok(settings({ report: { split: "combined" } }));
    const whole = await section("traffic_channels", { locale: "nl" });
    expect([whole.totals, whole.parts]).to.deep.equal([split.totals, undefined]);
    expect(rowsOf(whole).map(({ channel, sessions }) => [channel, sessions])).to.deep.equal([
      ["Direct", 40],
      ["E-mail", 20],
    ]);
    await ok(settings({ report: { split: "combined", exclude: [two, loose] } }));
    await people(one, 9, 3);
    expect(valuesOf((await section("traffic_channels")).totals)).to.deep.equal({
      sessions: [10, null],
      totalUsers: [9, 3],
      newUsers: [4, null],
      engagementRate: [50, null],
    });
    await ok(settings({ report: { exclude: [one, two, loose] } }));
    expect(await nothing("traffic_channels")).to.equal(null);
  });

  it("leave hidden sources, and metrics that the tab does not show, out of reports of either audience", async () => {
    const ga4 = await link("ga4");
    await world.days(ga4, { "2026-07-05": { sessions: 10, newUsers: 4, keyEvents: 2, totalRevenue: 5 } });
    await ok(settings({ layout: { sources: { ga4: { tiles: ["newUsers", "sessions"], drilldowns: [] } } } }));
    for (const audience of ["client", "internal"] as const) {
      expect(Object.keys(valuesOf((await section("traffic_channels", { audience })).totals))).to.deep.equal([
        "newUsers",
        "sessions",
      ]);
      expect(await nothing("conversions", { audience })).to.equal(null);
    }
    await ok(settings({ layout: { sources: { ga4: { hidden: true } } } }));
    for (const audience of ["client", "internal"] as const)
      expect(await nothing("traffic_channels", { audience })).to.equal(null);
  });

  it("have no position where nothing was shown, and no comparison where nothing is stored", async () => {
    const gsc = await link("gsc");
    await world.days(gsc, {
      "2026-07-05": { clicks: 0, impressions: 0, ctr: 0, position: 0 },
      "2025-07-05": { clicks: 2, impressions: 10, ctr: 0.2, position: 4 },
    });
    expect(valuesOf((await section("search_console")).totals)).to.deep.equal({
      clicks: [0, 2],
      impressions: [0, 10],
      ctr: [null, 20],
      position: [null, 4],
    });
    expect((await section("search_console", { mode: "year" })).series).to.equal(undefined);
    expect(await nothing("search_console", { mode: "previous" })).to.equal(null);
  });

  it("print the day up to which a late source has figures, in both spans alike", async () => {
    const gsc = await link("gsc");
    const span = { from: "2026-08-03", to: "2026-08-09" };
    await world.constant(gsc, "2026-08-03", "2026-08-07", { clicks: 2, impressions: 10, ctr: 0.2, position: 3 });
    await world.constant(gsc, "2025-08-01", "2025-08-20", { clicks: 2, impressions: 10, ctr: 0.2, position: 3 });
    const data = await section("search_console", { span });
    expect(data.final_until).to.equal("2026-08-07");
    expect(valuesOf(data.totals)["clicks"]).to.deep.equal([10, 10]);
    expect(data.series?.points.map(({ value, before }) => [value, before])).to.deep.equal([
      ...Array.from({ length: 5 }, () => [2, 2]),
      [null, 2],
      [null, 2],
    ]);
  });

  it("print up to which day a link was read, and fail where that is before the span", async () => {
    const ga4 = await link("ga4", { last_synced_at: "2026-07-21T04:45:00Z", last_error: "marketing.quota_used_up" });
    await world.days(ga4, { "2026-07-05": { sessions: 10 } });
    await world.readFor(ga4, "2024-01-01", "2026-07-20");
    await people(ga4, 1, 1);
    expect(await section("traffic_channels")).to.deep.include({ final_until: "2026-07-20", stored_from: null });
    const span = { from: "2026-07-21", to: "2026-07-31" };
    expect(await failure("traffic_channels", { span })).to.equal("marketing.quota_used_up");
    await world.sql.query("update marketing_links set last_error = null where id = $1", [ga4]);
    expect(await failure("traffic_channels", { span })).to.equal("marketing.accounts_error");
    // A link that waits for its first reading has nothing yet; one whose first reading failed says so.
    await world.sql.query("delete from marketing_days where link_id = $1", [ga4]);
    await world.sql.query("update marketing_links set last_synced_at = null, read_days = '{}' where id = $1", [ga4]);
    expect(await nothing("traffic_channels", { span })).to.equal(null);
    await world.sql.query("update marketing_links set last_error = 'marketing.scope_insufficient' where id = $1", [ga4]);
    expect(await failure("traffic_channels", { span })).to.equal("marketing.scope_insufficient");
  });

  it("have no earlier value where days of either span were never read, and name the first stored day", async () => {
    const [ga4, gsc] = [await link("ga4"), await link("gsc")];
    for (const year of ["2025", "2026"]) {
      const days = eachDay(`${year}-07-01`, `${year}-07-31`);
      const visits = { sessions: 10, newUsers: 5, keyEvents: 2, engagementRate: 0.5 };
      await world.days(ga4, Object.fromEntries(days.map((day) => [day, visits])), {
        channels: { Direct: 7, "Organic Search": 3 },
      });
      await world.constant(gsc, `${year}-07-01`, `${year}-07-31`, { clicks: 2, impressions: 10, ctr: 0.2, position: 3 });
    }
    await people(ga4, 200, 180);
    const compared = await section("traffic_channels");
    expect(compared.stored_from).to.equal(null);
    expect(valuesOf(compared.totals)["totalUsers"]).to.deep.equal([200, 180]);
    await world.readFor(ga4, "2025-07-09", "2026-08-09");
    const { totals, table, series, ...data } = await section("traffic_channels");
    expect(data.stored_from).to.equal("2025-07-09");
    expect(valuesOf(totals)).to.deep.equal({
      ...{ sessions: [310, null], totalUsers: [200, null], newUsers: [155, null], engagementRate: [50, null] },
    });
    expect(table?.columns.map(({ key }) => key)).to.deep.equal(["channel", "sessions", "share"]);
    expect(table?.rows).to.deep.equal([
      ["Direct", 217, 70],
      ["Search engines", 93, 30],
    ]);
    expect(series?.points.every(({ value, before }) => value === 10 && before === null)).to.equal(true);
    for (const key of ["search_engines", "conversions"]) {
      const other = await section(key);
      expect(other.stored_from, key).to.equal("2025-07-09");
      for (const { before } of other.totals) expect(before, key).to.equal(null);
    }
    expect(valuesOf((await section("search_console")).totals)["clicks"]).to.deep.equal([62, 62]);
    await world.readFor(ga4, "2026-07-03", "2026-08-09");
    const [first, , third] = (await section("traffic_channels", { mode: "previous" })).series?.points ?? [];
    expect([first?.value, third?.value], "a gap, then a day that was read").to.deep.equal([null, 10]);
  });

  it("have the 25 largest rows, of all links together and of each website", async () => {
    const channels = (from: number) =>
      Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`Channel ${from + at}`, from + at]));
    const [one, two] = [await link("ga4", { display_name: "A" }), await link("ga4", { display_name: "B" })];
    await world.days(one, { "2026-07-05": { sessions: 1 } }, { channels: channels(100) });
    await world.days(two, { "2026-07-05": { sessions: 1 } }, { channels: { ...channels(200), ...channels(300) } });
    for (const id of [one, two]) await people(id, 1, 1);
    const split = await section("traffic_channels", { audience: "internal" });
    expect(split.parts?.map((part) => rowsOf(part).length)).to.deep.equal([20, 25]);
    await ok(settings({ layout: WITHOUT_DRILLDOWNS, report: { split: "combined" } }));
    const whole = rowsOf(await section("traffic_channels", { audience: "internal" }));
    expect(whole.map(({ sessions }) => sessions)).to.deep.equal([
      ...Array.from({ length: 20 }, (_, at) => 319 - at),
      ...Array.from({ length: 5 }, (_, at) => 219 - at),
    ]);
  });

  it("name the currency of amounts where a client has several", async () => {
    const [euro, dollar] = [await link("ga4", { display_name: "A" }), await link("ga4", { display_name: "B" })];
    await world.days(euro, { "2026-07-05": { keyEvents: 1, totalRevenue: 10 } }, { currency: "EUR" });
    await world.days(dollar, { "2026-07-05": { keyEvents: 2, totalRevenue: 20 } }, { currency: "USD" });
    await ok(settings({ report: { split: "combined" } }));
    const data = await section("conversions");
    expect([data.currency, valuesOf(data.totals)]).to.deep.equal([null, { keyEvents: [3, null] }]);
    expect(data.parts?.map(({ totals }) => totals.map(({ label, value }) => [label.en, value]))).to.deep.equal([
      [
        ["Conversions", 1],
        ["Revenue (EUR)", 10],
      ],
      [
        ["Conversions", 2],
        ["Revenue (USD)", 20],
      ],
    ]);
  });

  it("take the same number of statements for one link and for ten", async () => {
    const count = async (key: string) => (await gathered(tenant, `marketing.${key}`, gathering())).statements;
    const more = async () => {
      const [ga4, gsc] = [await link("ga4"), await link("gsc")];
      await world.days(ga4, { "2026-07-05": { sessions: 1, keyEvents: 1 } }, { channels: { "Organic Search": 1, Direct: 1 } });
      await world.days(gsc, { "2026-07-05": { clicks: 1, impressions: 10, ctr: 0.1, position: 1 } });
      await people(ga4, 1, 1);
    };
    const keys = ["traffic_channels", "search_engines", "search_console", "conversions"];
    await more();
    const one = await Promise.all(keys.map(count));
    for (let links = 1; links < 10; links++) await more();
    // People of several sites are not added up, but those of each are printed.
    expect(await Promise.all(keys.map(count))).to.deep.equal(one);
    expect(one).to.deep.equal([3, 2, 2, 2]);
  });
});

describe("the modules behind sections (workspace-reporting §1.3)", () => {
  const ROOT = path.join(import.meta.dirname, "../../..");

  it("are named by no file of reporting", () => {
    const owners = catalogue()
      .reportSections.map(({ key }) => key.split(".")[0] as string)
      .filter((name, at, all) => all.indexOf(name) === at);
    expect(owners).to.deep.equal(["reporting", "marketing", "ads", "work", "uptime"]);
    const files = globSync("services/reporting/**/*.ts", { cwd: ROOT });
    expect(files.length).to.be.greaterThan(30);
    for (const file of files) {
      const source = readFileSync(path.join(ROOT, file), "utf8");
      expect(source, file).not.to.match(/from "[^"]*\/integrations\/|import\("[^"]*\/integrations\//);
      expect(source, file).not.to.match(/["'`](marketing|ads|ads_platform|work|tasks|time|uptime)\.[a-z_]+["'`]/);
      expect(source, file).not.to.match(/\b(marketing|ads)_(links|days|accounts|changes|settings)\b/);
    }
  });

  it("gather every section that is declared", async () => {
    for (const { key, load } of catalogue().reportSections) expect(await load?.(), key).to.be.a("function");
  });
});

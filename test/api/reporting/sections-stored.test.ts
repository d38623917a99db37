import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { eachDay } from "../../../core/calendar/dates.ts";
import { catalogue } from "../../../core/declare/catalogue/catalogue.ts";
import type { ReportTotal } from "../../../core/declare/report-sections.ts";
import type { Tenant } from "../../support/service.ts";
import { type StoredWorld, storedWorld } from "../marketing/stored-world.ts";
import { ok, type Row } from "./reporting-world.ts";
import { type Gathering, gathered, printed, rowsOf, valuesOf } from "./sections-world.ts";

const TODAY = "2026-08-10";
const SPAN = { from: "2026-07-01", to: "2026-07-31" };
const SYNCED = { last_synced_at: "2026-08-10T04:45:00Z" };
/** Makes no call to a source if the client's tab has no drilldowns. */
const WITHOUT_DRILLDOWNS = { sources: { ga4: { drilldowns: [] }, gsc: { drilldowns: [] } } };
const CLIENTS = 120;

/** Numbers from 0 to 1 that are the same in every run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

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
    await people(ga4, 1, 1);
    expect((await section("traffic_channels")).final_until).to.equal("2026-07-20");
    const span = { from: "2026-07-21", to: "2026-07-31" };
    expect(await failure("traffic_channels", { span })).to.equal("marketing.quota_used_up");
    await world.sql.query("update marketing_links set last_error = null where id = $1", [ga4]);
    expect(await failure("traffic_channels", { span })).to.equal("marketing.accounts_error");
    // A link that waits for its first reading has nothing yet; one whose first reading failed says so.
    await world.sql.query("delete from marketing_days where link_id = $1", [ga4]);
    await world.sql.query("update marketing_links set last_synced_at = null where id = $1", [ga4]);
    expect(await nothing("traffic_channels", { span })).to.equal(null);
    await world.sql.query("update marketing_links set last_error = 'marketing.scope_insufficient' where id = $1", [ga4]);
    expect(await failure("traffic_channels", { span })).to.equal("marketing.scope_insufficient");
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

  it(`equal the answers of marketing for ${CLIENTS} clients`, async () => {
    const random = numbers(34);
    const chance = (most: number) => random() < most;
    const some = (most: number) => Math.floor(random() * most);
    const clients = await Promise.all(Array.from({ length: CLIENTS }, async () => (await tenant.company()).id as string));
    const excluded = new Map<string, string[]>();
    for (const client of clients) {
      const ids: string[] = [];
      for (const source of ["ga4", "ga4", "gsc", "gsc", "seranking"]) {
        if (chance(0.4)) continue;
        const id = await world.link(tenant, client, source, { ...SYNCED, display_name: `${source} ${ids.length}` });
        ids.push(id);
        const days = [...eachDay(SPAN.from, SPAN.to), ...eachDay("2025-07-01", "2025-07-31")].filter(() => chance(0.3));
        const metrics = (): Record<string, number> => {
          if (source === "ga4")
            return {
              ...{ sessions: some(50), newUsers: some(9), keyEvents: some(4) / 2, totalRevenue: some(9999) / 100 },
              engagementRate: some(10_000) / 10_000,
            };
          if (source === "gsc")
            return { clicks: some(9), impressions: some(90), ctr: some(1000) / 1000, position: some(900) / 10 };
          return {
            avg_position: 1 + some(900) / 100,
            top3: some(3),
            top10: some(9),
            top30: some(20),
            keywords_ranking: some(30),
          };
        };
        await world.days(id, Object.fromEntries(days.map((day) => [day, metrics()])));
        if (source !== "ga4") continue;
        await world.value(id, "totalUsers", SPAN.from, SPAN.to, some(500));
        await world.value(id, "totalUsers", "2025-07-01", "2025-07-31", some(500));
      }
      const exclude = ids.filter(() => chance(0.1));
      excluded.set(client, exclude);
      const layout = { sources: { ...WITHOUT_DRILLDOWNS.sources, ...(chance(0.1) && { gsc: { hidden: true } }) } };
      const report = { split: chance(0.5) ? "per_website" : "combined", exclude };
      await ok(settings({ layout, show_key_events: chance(0.8), report, rankings: { source: "seranking" } }, client));
    }
    await world.sql.query(
      `insert into marketing_answers (organisation_id, cache_key, answer)
        select organisation_id, 'rankings ' || id || ' 2026-07-01 2026-07-31 2025-07-01 2025-07-31 25 10 25', '[]' from marketing_links
        where organisation_id = $1 and source = 'seranking'`,
      [tenant.organisation.id],
    );
    const overview = (await ok(tenant.owner.get("/marketing/overview?period=2026-07")))["rows"] as Row[];
    const seen = { printed: 0, empty: 0, parts: 0, merged: 0 };
    const check = (totals: readonly ReportTotal[], kpis: Row, names: readonly string[], about: string) => {
      const values = valuesOf(totals);
      const fraction = new Set(["engagementRate", "ctr"]);
      for (const name of names.filter((one) => kpis[one] !== undefined)) {
        const { current, previous } = kpis[name];
        const scale = (value: number) => Number((fraction.has(name) ? value * 100 : value).toFixed(6));
        const [value, before] = values[name] ?? [0, 0];
        expect([value ?? 0, before ?? 0], `${name} ${about}`).to.deep.equal([scale(current), scale(previous)]);
      }
      expect(
        Object.keys(values).every((name) => kpis[name] !== undefined),
        about,
      ).to.equal(true);
    };
    for (const client of clients) {
      const { sources } = await ok(tenant.owner.get(`/marketing/companies/${client}/metrics?period=2026-07`));
      for (const [key, source, names] of [
        ["traffic_channels", "ga4", ["sessions", "totalUsers", "newUsers", "engagementRate"]],
        ["conversions", "ga4", ["keyEvents", "totalRevenue"]],
        ["search_console", "gsc", ["clicks", "impressions", "ctr", "position"]],
        ["rankings", "seranking", ["avg_position", "top3", "top10", "top30", "keywords_ranking"]],
      ] as const) {
        const links = (sources as Row[]).filter(
          (one) => one["source"] === source && !one["hidden"] && !excluded.get(client)?.includes(one["link_id"]),
        );
        const about = `of ${key} of ${client}`;
        const data = await nothing(key, { company: client });
        if (data === null) {
          seen.empty += 1;
          const measured = key === "traffic_channels" ? ["sessions"] : key === "search_console" ? ["impressions"] : names;
          for (const { kpis } of links)
            for (const name of measured.filter((one) => kpis[one] !== undefined))
              expect([kpis[name].current, kpis[name].previous], about).to.deep.equal([0, 0]);
          continue;
        }
        seen.printed += 1;
        if (links.length === 1) check(data.totals, links[0]?.["kpis"], names, about);
        for (const part of data.parts ?? []) {
          seen.parts += 1;
          const own = links.find((one) => one["display_name"] === part.name);
          check(part.totals, own?.["kpis"], names, `${about}, ${part.name}`);
        }
        if (links.length < 2 || excluded.get(client)?.length) continue;
        seen.merged += 1;
        const { metrics } = overview.find((row) => row["company_id"] === client) as Row;
        const values = valuesOf(data.totals);
        for (const [name, column] of [
          ["sessions", "sessions"],
          ["keyEvents", "conversions"],
          ["clicks", "clicks"],
          ["position", "position"],
        ] as const)
          if (values[name])
            expect([values[name][0] ?? 0, values[name][1] ?? 0], `${name} ${about}`).to.deep.equal([
              metrics[column].current,
              metrics[column].previous,
            ]);
      }
    }
    expect(seen.printed).to.be.greaterThan(200);
    for (const kind of ["empty", "parts", "merged"] as const) expect(seen[kind], kind).to.be.greaterThan(30);
  });
});

describe("the modules behind sections (workspace-reporting §1.3)", () => {
  const ROOT = path.join(import.meta.dirname, "../../..");

  it("are named by no file of reporting", () => {
    const owners = catalogue()
      .reportSections.map(({ key }) => key.split(".")[0] as string)
      .filter((name, at, all) => all.indexOf(name) === at);
    expect(owners).to.deep.equal(["marketing", "ads"]);
    const files = globSync("services/reporting/**/*.ts", { cwd: ROOT });
    expect(files.length).to.be.greaterThan(30);
    for (const file of files) {
      const source = readFileSync(path.join(ROOT, file), "utf8");
      expect(source, file).not.to.match(/from "[^"]*\/integrations\/|import\("[^"]*\/integrations\//);
      expect(source, file).not.to.match(/["'`](marketing|ads|ads_platform)\.[a-z_]+["'`]/);
      expect(source, file).not.to.match(/\b(marketing|ads)_(links|days|accounts|changes|settings)\b/);
    }
  });

  it("gather every section that is declared", async () => {
    for (const { key, load } of catalogue().reportSections) expect(await load?.(), key).to.be.a("function");
  });
});

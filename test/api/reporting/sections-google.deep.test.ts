import { expect } from "chai";
import { addDays, dateIn, eachDay } from "../../../core/calendar/calendar.ts";
import { namedSpan } from "../../../core/calendar/named-spans.ts";
import { forgetBreakerStates } from "../../../core/outbound/provider/circuit.ts";
import { readableEvent } from "../../../integrations/marketing/report-sections/event-names.ts";
import type { SimulatedProperty, Visit } from "../../simulators/google/analytics.ts";
import type { SimulatedSite } from "../../simulators/google/search-console.ts";
import { SerankingSimulator, type SimulatedKeyword } from "../../simulators/seranking.ts";
import { type Agency, type MarketingWorld, startMarketing } from "../marketing/google-world.ts";
import { ok, type Row } from "./reporting-world.ts";
import { type Gathering, gathered, printed, rowsOf, valuesOf } from "./sections-world.ts";

const SECTIONS_OF_GOOGLE = ["traffic_channels", "search_engines", "search_console", "referral", "social", "conversions"];
const SECTIONS_OF_SERANKING = ["rankings", "ai_search", "site_audit"];

/** What happens on a shop's site on a day: more at the end of a month, and with visitors who come again. */
function visitsOn(day: string): Visit[] {
  const number = Number(day.slice(8));
  const many = (count: number, visit: Omit<Visit, "user">): Visit[] =>
    Array.from({ length: count }, (_, at) => ({ user: `${visit.source ?? "direct"}-${at}`, ...visit }));
  return [
    ...many(2 + (number % 5), { channel: "Organic Search", source: "google", isEngaged: true, seconds: 30, pages: ["/"] }),
    ...many(1, { channel: "Organic Search", source: "bing", isNew: true, pages: ["/", "/prices"] }),
    ...many(number % 2, {
      channel: "Referral",
      source: "partner.example",
      isEngaged: true,
      keyEvents: { lead: 2 },
      revenue: 12.5,
    }),
    ...many(1, { channel: "Organic Social", source: "instagram", keyEvents: { signup: 3 } }),
    ...many(1, { isNew: true }),
  ];
}

const keyword = (id: string, name: string, positions: Record<string, number>, group_id = 1): SimulatedKeyword => ({
  id,
  name,
  group_id,
  volume: 100 * Number(id),
  positions,
  pages: [`https://shop.example/${name}`],
});

describe("sections of a report from stored and live figures (workspace-reporting §1.3, S28)", () => {
  const seranking = new SerankingSimulator();
  let world: MarketingWorld;
  let agency: Agency;
  let property: SimulatedProperty;
  let site: SimulatedSite;
  const span = () => namedSpan("last_month", dateIn("Europe/Amsterdam", Date.now()));
  before(async () => {
    world = await startMarketing({}, async () => {
      await seranking.start();
      return seranking.environment;
    });
  });
  beforeEach(async () => {
    forgetBreakerStates();
    seranking.reset();
    seranking.sites.length = 0;
    seranking.audits.length = 0;
    agency = await world.agency();
    property = world.analytics.property("Shop", { person: agency.person });
    property.visits = visitsOn;
    site = world.search.site("https://shop.example/", agency.person);
    site.searches = (day) => [
      { query: "bread", clicks: 3, impressions: 40 + Number(day.slice(8)), position: 2.4 },
      { query: "cake", clicks: 1, impressions: 10, position: 7 },
    ];
  });
  afterEach(() => {
    expect(world.google.complaints).to.deep.equal([]);
    expect(seranking.complaints).to.deep.equal([]);
  });
  after(async () => {
    await world.stop();
    await seranking.stop();
  });

  const linkGa4 = () => world.link(agency, { source: "ga4", external_id: property.id, config: { currency: "EUR" } });
  const linkGsc = () => world.link(agency, { source: "gsc", external_id: site.address });
  async function linkSeranking() {
    const id = 700 + seranking.sites.length;
    const days = eachDay(span().from, addDays(span().from, 27));
    const moving = Object.fromEntries(days.map((day, at) => [day, at < 14 ? 8 : 2]));
    seranking.sites.push({
      id,
      title: "Shop",
      name: "https://shop.example",
      groups: [
        { id: 1, name: "Bread" },
        { id: 2, name: "Cakes" },
      ],
      engines: [
        {
          site_engine_id: 10,
          search_engine_id: 411,
          region_name: "Nederland",
          keywords: [
            keyword("2", "cake", Object.fromEntries(days.map((day) => [day, 30])), 2),
            keyword("1", "bread", moving),
            keyword("3", "pie", { [days[0] as string]: 0, [days[9] as string]: 20 }, 2),
          ],
        },
      ],
      models: [
        { id: 1, base_name: "chatgpt", mentions: 12.5, links: 3.5, prompts: 40 },
        { id: 2, base_name: "gemini", mentions: 50, links: 0, prompts: 40 },
      ],
    });
    seranking.audits.push({
      id: id + 1,
      site_id: id,
      status: "finished",
      last_update: "2026-01-01 10:00:00",
      issues: [
        ["notice", "Long title", 9],
        ["error", "Broken link", 3],
        ["warning", "No description", 4],
      ],
    });
    const key = "a-key-of-seranking-0123456789";
    seranking.keys.add(key);
    await ok(agency.owner.put("/marketing/settings", { seranking_api_key: key }));
    return world.link(agency, { source: "seranking", external_id: String(id) });
  }

  const gathering = (more: Partial<Gathering> = {}): Gathering => ({
    company: agency.company,
    span: span(),
    mode: "previous",
    ...more,
  });
  const section = (key: string, more?: Partial<Gathering>) => printed(agency.tenant, `marketing.${key}`, gathering(more));
  const settings = (values: object) => ok(agency.owner.put(`/marketing/companies/${agency.company}/settings`, values));
  /** The kpis of the first source, compared as the report is. */
  async function metrics(source: string): Promise<Row> {
    await settings({ compare: "previous" });
    const body = await ok(agency.owner.get(`/marketing/companies/${agency.company}/metrics?period=last_month`));
    return body["sources"].find((one: Row) => one["source"] === source);
  }
  const drilled = async (link: string, kind: string): Promise<Row[]> => {
    const { rows } = await ok(
      agency.owner.get(`/marketing/companies/${agency.company}/drilldown?link_id=${link}&kind=${kind}&period=last_month`),
    );
    return rows as Row[];
  };
  /** Every total is the kpi of its metric; fractions are printed as percentages. */
  function expectKpis(totals: Parameters<typeof valuesOf>[0], kpis: Row): void {
    for (const { key, kind, value, before } of totals) {
      const scale = kind === "percent" ? 100 : 1;
      expect([value ?? 0, before ?? 0], key).to.deep.equal([
        Number((kpis[key].current * scale).toFixed(6)),
        Number((kpis[key].previous * scale).toFixed(6)),
      ]);
    }
  }

  it("print nothing of a client without links", async () => {
    for (const key of [...SECTIONS_OF_GOOGLE, ...SECTIONS_OF_SERANKING])
      expect((await gathered(agency.tenant, `marketing.${key}`, gathering())).data, key).to.equal(null);
  });

  it("print nothing of sites without visitors and queries", async () => {
    property.visits = () => [];
    site.searches = () => [];
    await linkGa4();
    await linkGsc();
    const before = world.google.received.length;
    for (const key of [...SECTIONS_OF_GOOGLE, "rankings"])
      expect((await gathered(agency.tenant, `marketing.${key}`, gathering())).data, key).to.equal(null);
    // The keywords of a report come from Search Console, in both spans; nothing else does.
    expect(world.google.received.length - before).to.equal(2);
  });

  it("print the traffic and its channels", async () => {
    await linkGa4();
    const data = await section("traffic_channels");
    const { kpis, channels } = await metrics("ga4");
    expect(Object.keys(valuesOf(data.totals))).to.deep.equal(["sessions", "totalUsers", "newUsers", "engagementRate"]);
    expectKpis(data.totals, kpis);
    const people = data.totals.find(({ key }) => key === "totalUsers");
    expect([people?.value, kpis["totalUsers"].pending]).to.deep.equal([property.users(span().from, span().to), false]);
    const rows = rowsOf(data);
    expect(rows.map(({ channel }) => channel)).to.deep.equal(["Search engines", "Direct", "Social media", "Other websites"]);
    expect(rows.map(({ sessions }) => sessions)).to.deep.equal([
      channels["Organic Search"],
      channels["Direct"],
      channels["Organic Social"],
      channels["Referral"],
    ]);
    expect(rows.reduce((sum, { share }) => sum + Number(share), 0)).to.be.closeTo(100, 1e-9);
    expect(data.series?.points).to.have.length(eachDay(span().from, span().to).length);
    expect(data.series?.points[0]?.key).to.match(/^1 [A-Z][a-z]+$/);
    const sessions = data.series?.points.reduce((sum, { value }) => sum + Number(value), 0);
    expect(sessions).to.equal(kpis.sessions.current);
    expect([data.final_until, data.parts]).to.deep.equal([null, undefined]);
  });

  it("read the people of an unread span from Analytics, and store them", async () => {
    await linkGa4();
    const own = { from: addDays(span().from, 3), to: addDays(span().from, 12) };
    const asked = gathering({ span: own });
    const before = world.google.received.length;
    const data = await printed(agency.tenant, "marketing.traffic_channels", asked);
    const people = data.totals.find(({ key }) => key === "totalUsers");
    expect(people).to.deep.include({
      value: property.users(own.from, own.to),
      before: property.users(addDays(own.from, -10), addDays(own.from, -1)),
    });
    expect(world.google.received.length - before).to.equal(1);
    expect(await printed(agency.tenant, "marketing.traffic_channels", asked)).to.deep.equal(data);
    expect(world.google.received.length - before).to.equal(1);
  });

  it("print the visits of a channel, and who sent them, through the kept answers of drilldowns", async () => {
    const link = await linkGa4();
    const { channels } = await metrics("ga4");
    // A job may still ask for people meanwhile.
    const asked = () => world.google.received.filter(({ body }) => body.includes("sessionSource")).length;
    for (const [key, kind, channel, heading] of [
      ["search_engines", "organic_sources", "Organic Search", "engine"],
      ["referral", "referral_sources", "Referral", "website"],
      ["social", "social_sources", "Organic Social", "network"],
    ] as const) {
      const rows = await drilled(link, kind);
      const before = asked();
      const data = await section(key);
      // The drilldown of the span is cached: the previous span is the only request.
      expect(asked() - before, key).to.equal(1);
      expect(data.totals.map(({ value }) => value)).to.deep.equal([channels[channel]]);
      expect(rowsOf(data).map((row) => [row[heading], row["sessions"], row["keyEvents"]])).to.deep.equal(
        rows.map(({ label, metrics: { sessions, keyEvents } }) => [label, sessions, keyEvents]),
      );
      expect(rowsOf(data).map((row) => row["engagementRate"])).to.deep.equal(
        rows.map(({ metrics: { engagementRate } }) => Number((engagementRate * 100).toFixed(6))),
      );
      expect(rowsOf(data).every((row) => Number(row["before"]) > 0)).to.equal(true);
      await section(key);
      expect(asked() - before, key).to.equal(1);
    }
  });

  it("print conversions under the client's own names, in the report's language", async () => {
    const link = await linkGa4();
    await settings({
      layout: {
        sources: {
          ga4: { event_labels: { lead: { nl: "Aanvraag", en: "Request" } }, labels: { keyEvents: { nl: "Doelen" } } },
        },
      },
    });
    const { kpis } = await metrics("ga4");
    const rows = await drilled(link, "key_events");
    const data = await section("conversions", { locale: "nl" });
    expect(data.totals.map(({ key, label }) => [key, label.nl, label.en])).to.deep.equal([
      ["keyEvents", "Doelen", "Conversions"],
      ["totalRevenue", "Omzet", "Revenue"],
    ]);
    expectKpis(data.totals, kpis);
    expect(data.currency).to.equal("EUR");
    expect(rowsOf(data).map(({ event, keyEvents }) => [event, keyEvents])).to.deep.equal(
      rows.map(({ label, metrics: { keyEvents } }) => [label === "Request" ? "Aanvraag" : readableEvent(label), keyEvents]),
    );
    // Without a label of the client's, the readable form of the event's name.
    expect(rowsOf(data)[0]?.["event"]).to.equal("Signup");
    expect(rowsOf(data)[1]?.["event"]).to.equal("Aanvraag");
  });

  it("print no conversions if the client's tab shows none", async () => {
    await linkGa4();
    property.visits = (day) => visitsOn(day).map((visit) => ({ ...visit, revenue: 0 }));
    await world.service.sql.query("update marketing_days set metrics = metrics - 'totalRevenue'");
    await settings({ show_key_events: false });
    expect((await gathered(agency.tenant, "marketing.conversions", gathering())).data).to.equal(null);
    const visits = await section("search_engines");
    expect(visits.table?.columns.map(({ key }) => key)).not.to.include("keyEvents");
  });

  it("print how a site is found in Google", async () => {
    const link = await linkGsc();
    const { kpis } = await metrics("gsc");
    const rows = await drilled(link, "top_queries");
    const data = await section("search_console");
    expect(Object.keys(valuesOf(data.totals))).to.deep.equal(["clicks", "impressions", "ctr", "position"]);
    expectKpis(data.totals, kpis);
    expect(data.totals.find(({ key }) => key === "position")).to.include({ kind: "decimal", lowerIsBetter: true });
    expect(rowsOf(data).map(({ query, clicks, position }) => [query, clicks, position])).to.deep.equal(
      rows.map(({ label, metrics: { clicks, position } }) => [label, clicks, position]),
    );
    expect(data.series).to.deep.include({ kind: "line", valueKind: "count" });
  });

  it("use the keywords of Search Console without SE Ranking", async () => {
    await linkGsc();
    const data = await section("rankings");
    expect(rowsOf(data).map(({ keyword: name, begin, end, status }) => [name, begin, end, status])).to.deep.equal([
      ["bread", 2, 2, "Unchanged"],
      ["cake", 7, 7, "Unchanged"],
    ]);
    expect(Object.keys(valuesOf(data.totals))).to.deep.equal(["position"]);
    await settings({ rankings: { source: "off" } });
    expect((await gathered(agency.tenant, "marketing.rankings", gathering())).data).to.equal(null);
  });

  it("take the keywords of SE Ranking by their groups, and not ranking as no position", async () => {
    await linkGsc();
    await linkSeranking();
    const { kpis } = await metrics("seranking");
    const data = await section("rankings");
    expectKpis(data.totals, kpis);
    expect(data.totals.map(({ key }) => key)).to.include.members(["avg_position", "top10"]);
    expect(rowsOf(data).map(({ group, keyword: name, begin, end, places }) => [group, name, begin, end, places])).to.deep.equal([
      ["Bread", "bread", 8, 2, 6],
      ["Cakes", "pie", null, 20, 0],
    ]);
    expect(data.series?.points.map(({ key }) => key)).to.deep.equal([
      "Keywords in the top 3",
      "Keywords in the top 10",
      "Keywords in the top 30",
    ]);
    const asked = seranking.received.length;
    await section("rankings");
    expect(seranking.received.length).to.equal(asked);
    await settings({ rankings: { grouped: false, show_landing_pages: false, max_position: 30, limit: 2 } });
    const flat = await section("rankings", { locale: "nl" });
    expect(flat.table?.columns.map(({ key }) => key)).not.to.include.members(["group", "page"]);
    expect(rowsOf(flat).map(({ keyword: name, status }) => [name, status])).to.deep.equal([
      ["pie", "Nieuw"],
      ["cake", "Ongewijzigd"],
    ]);
    expect(flat.table).to.have.property("total_rows", 3);
  });

  it("print the presence in answers of AI, of which there is no total", async () => {
    const link = await linkSeranking();
    const rows = await drilled(link, "ai_search");
    const data = await section("ai_search");
    expect(data.totals).to.deep.equal([]);
    expect(rowsOf(data)).to.deep.equal([
      { model: "gemini", mention_share: 50, before: 50, link_share: 0, prompts: 40 },
      { model: "chatgpt", mention_share: 12.5, before: 12.5, link_share: 3.5, prompts: 40 },
    ]);
    expect(rowsOf(data).map(({ model, prompts }) => [model, prompts])).to.deep.equal(
      rows.map(({ label, metrics: { prompts } }) => [label, prompts]),
    );
  });

  it("print the findings of the newest audit, the gravest first", async () => {
    const link = await linkSeranking();
    const rows = await drilled(link, "audit");
    const data = await section("site_audit", { audience: "internal", locale: "nl" });
    expect(rowsOf(data)).to.deep.equal([
      { issue: "Broken link", severity: "Fout", pages: 3 },
      { issue: "No description", severity: "Waarschuwing", pages: 4 },
      { issue: "Long title", severity: "Melding", pages: 9 },
    ]);
    expect(rowsOf(data).map(({ issue, pages }) => [issue, pages])).to.deep.equal(
      rows.map(({ label, metrics: { pages } }) => [label, pages]),
    );
    expect(data.table?.columns.every(({ adds }) => !adds)).to.equal(true);
    expect([data.totals, data.final_until]).to.deep.equal([[], null]);
  });

  it("fail with the source's reason if it cannot be read, and print stored figures all the same", async () => {
    await linkGa4();
    await linkGsc();
    await linkSeranking();
    seranking.keys.clear();
    await world.service.sql.query("update workspace_connections set status = 'error'");
    const reasons: Record<string, string> = {};
    for (const key of [...SECTIONS_OF_GOOGLE, ...SECTIONS_OF_SERANKING])
      await gathered(agency.tenant, `marketing.${key}`, gathering()).then(
        ({ data }) => expect(data, key).not.to.equal(null),
        (error: Error) => {
          reasons[key] = error.message;
        },
      );
    const [disconnected, rejected] = ["marketing.disconnected", "marketing.seranking_key_rejected"];
    expect(reasons).to.deep.equal({
      search_engines: disconnected,
      search_console: disconnected,
      referral: disconnected,
      social: disconnected,
      conversions: disconnected,
      rankings: rejected,
      ai_search: rejected,
      site_audit: rejected,
    });
  });
});

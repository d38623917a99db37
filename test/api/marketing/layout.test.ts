import { expect } from "chai";
import type { Caller, Tenant } from "../../support/service.ts";
import { invalidOn, refusalOf, trailOf } from "../clients/companies/company-records.ts";
import { restricted, type StoredWorld, storedWorld } from "./stored-world.ts";

describe("/marketing/companies/{company_id}/settings (marketing-ads §2.5)", () => {
  let world: StoredWorld;
  let tenant: Tenant;
  let company: string;
  before(async () => {
    world = await storedWorld("2026-08-10");
  });
  beforeEach(async () => {
    tenant = await world.tenant();
    company = (await tenant.company()).id;
  });
  after(() => world.stop());

  const path = () => `/marketing/companies/${company}/settings`;
  const get = async (who: Caller = tenant.owner) => (await who.get(path())).body;
  const put = (body: object, headers = {}) => tenant.owner.put(path(), body, { headers });
  const lines = async () =>
    (await trailOf(world.sql, "company", company)).filter(({ action }) => action.startsWith("marketing."));
  const actions = async () => (await lines()).map(({ action }) => action.replace("marketing.", ""));
  const ga4 = (entry: object) => ({ sources: { ga4: entry } });

  it("are the organisation's rules before they were first saved", async () => {
    expect(await get()).to.deep.equal({
      company_id: company,
      show_key_events: true,
      layout: null,
      compare: null,
      compare_resolved: "year",
      rankings: null,
      rankings_resolved: {
        source: "auto",
        limit: 25,
        min_impressions: 10,
        max_position: 25,
        grouped: true,
        show_landing_pages: true,
      },
      linked_sources: [],
      keyword_source: null,
      report: null,
      report_resolved: { split: "per_website", exclude: [] },
      links: [],
    });
  });

  it("resolve the client's own rules over the organisation's", async () => {
    await tenant.owner.put("/marketing/settings", { default_compare: "previous", rankings: { limit: 50, grouped: false } });
    expect((await get()).compare_resolved).to.equal("previous");
    const { body } = await put({ compare: "year", rankings: { limit: 5 }, report: { split: "combined" } });
    expect(body).to.deep.include({
      compare: "year",
      compare_resolved: "year",
      rankings: { limit: 5 },
      report: { split: "combined" },
    });
    expect(body.rankings_resolved).to.deep.include({ limit: 5, grouped: false, max_position: 25 });
    const merged = (await put({ rankings: { source: "off", limit: null } })).body;
    expect(merged.rankings).to.deep.equal({ source: "off" });
    expect(merged.rankings_resolved).to.deep.include({ source: "off", limit: 50 });
  });

  it("return to the organisation's rule with null", async () => {
    await put({ compare: "previous", rankings: { limit: 5 }, report: { split: "combined" } });
    const { body } = await put({ compare: null, rankings: null, report: null });
    expect(body).to.deep.include({ compare: null, rankings: null, report: null, compare_resolved: "year" });
    expect(body.rankings_resolved.limit).to.equal(25);
    expect(await actions()).to.deep.equal([
      ...["compare_changed", "rankings_changed", "report_changed"],
      ...["compare_changed", "rankings_changed", "report_changed"],
    ]);
    const [first, , , second] = await lines();
    expect(first?.payload.changes).to.deep.equal({ compare: { from: null, to: "previous" } });
    expect(second?.payload.changes).to.deep.equal({ compare: { from: "previous", to: null } });
  });

  for (const [linked, source, expected] of [
    [["seranking", "gsc"], "auto", "seranking"],
    [["gsc"], "auto", "search_console"],
    [["ga4"], "auto", null],
    [["seranking", "gsc"], "search_console", "search_console"],
    [["gsc"], "seranking", null],
    [["seranking", "gsc"], "off", null],
  ] as [string[], string, string | null][])
    it(`read keywords from ${expected} with ${linked} linked and the rule ${source}`, async () => {
      for (const key of linked) await world.link(tenant, company, key);
      await put({ rankings: { source } });
      expect((await get()).keyword_source).to.equal(expected);
    });

  it("name active links in the order of display, then by name", async () => {
    const second = await world.link(tenant, company, "gsc", { display_name: "bravo" });
    const first = await world.link(tenant, company, "gsc", { display_name: "Alpha" });
    const ads = await world.link(tenant, company, "gads");
    await world.link(tenant, company, "ga4", { active: false });
    const body = await get();
    expect(body.links.map(({ id }: { id: string }) => id)).to.deep.equal([first, second, ads]);
    expect(body.linked_sources).to.deep.equal(["gsc", "gads"]);
    expect(body.links[0]).to.deep.equal({ id: first, source: "gsc", display_name: "Alpha" });
  });

  it("exclude links of the client from reports, and of no other", async () => {
    const [own, other] = [await world.link(tenant, company, "ga4"), await world.link(tenant, (await tenant.company()).id, "ga4")];
    expect((await put({ report: { exclude: [own] } })).body.report_resolved).to.deep.equal({
      split: "per_website",
      exclude: [own],
    });
    const inCapitals = [own.toUpperCase(), own];
    expect((await put({ report: { exclude: inCapitals } })).body.report).to.deep.equal({ exclude: [own] });
    expect(refusalOf(await put({ report: { exclude: [other] } }))).to.deep.equal(invalidOn({ exclude: "errors.validation" }));
  });

  it("can be sent back as they were read, with an excluded link that was removed since", async () => {
    const [removed, other] = [await world.link(tenant, company, "ga4"), await world.link(tenant, company, "gsc")];
    await put({ report: { exclude: [removed] } });
    await world.sql.query("update marketing_links set active = false where id = $1", [removed]);
    const { report } = await get();
    expect((await put({ report })).body.report).to.deep.equal({ exclude: [removed] });
    expect((await put({ report: { exclude: [removed, other] } })).body.report).to.deep.equal({ exclude: [removed, other] });
    expect((await put({ report: { exclude: [other] } })).body.report).to.deep.equal({ exclude: [other] });
    const refused = await put({ report: { exclude: [removed] } });
    expect(refusalOf(refused)).to.deep.equal(invalidOn({ exclude: "errors.validation" }));
  });

  it("name the nearest of an unknown source or key of a layout", async () => {
    for (const [layout, details] of [
      [{ sources: { gsd: {} } }, { "layout.sources.gsd": "gsc" }],
      [ga4({ title: ["sessions"], hiden: true }), { "layout.sources.ga4.title": "tiles", "layout.sources.ga4.hiden": "hidden" }],
      [{ source: {} }, { "layout.source": "sources" }],
    ] as const) {
      const { status, body } = await put({ layout });
      expect([status, body.error.fields, body.error.details]).to.deep.equal([422, { layout: "errors.validation" }, details]);
    }
  });

  it("replace the layout as a whole, and clear it without sources", async () => {
    await put({ layout: ga4({ tiles: ["newUsers"], hidden: false }) });
    const layout = { sources: { gsc: { tiles: ["position", "clicks"], labels: { clicks: { nl: "Kliks" } } } } };
    expect((await put({ layout })).body.layout).to.deep.equal(layout);
    expect((await put({ compare: "year" })).body.layout).to.deep.equal(layout);
    expect((await put({ layout: { sources: {} } })).body.layout).to.equal(null);
    expect(await actions()).to.deep.equal([
      "key_events_disabled",
      "layout_changed",
      "layout_changed",
      "compare_changed",
      "layout_changed",
    ]);
  });

  for (const layout of [
    { sources: { bing: {} } },
    ga4({ tiles: ["clicks"] }),
    ga4({ labels: { sessions: { de: "Sitzungen" } } }),
    { sources: { rankmath: { drilldowns: ["queries"] } } },
  ])
    it(`refuse the layout ${JSON.stringify(layout)}`, async () => {
      expect(refusalOf(await put({ layout }))).to.deep.equal(invalidOn({ layout: "errors.validation" }));
      expect(await lines()).to.deep.equal([]);
    });

  it("refuse an unknown comparison", async () =>
    expect(refusalOf(await put({ compare: "week" }))).to.deep.equal(invalidOn({ compare: "errors.validation" })));

  it("switch key events off and on, and record it only when it changes", async () => {
    expect((await put({ show_key_events: true })).body.show_key_events).to.equal(true);
    expect((await put({ show_key_events: false })).body.show_key_events).to.equal(false);
    expect((await put({ show_key_events: false })).body.show_key_events).to.equal(false);
    expect((await put({ show_key_events: null })).body.show_key_events).to.equal(false);
    expect((await put({ show_key_events: true })).body.show_key_events).to.equal(true);
    expect(await actions()).to.deep.equal(["key_events_disabled", "key_events_enabled"]);
  });

  it("switch key events in curated tiles, and compute the switch from them", async () => {
    const curated = await put({ layout: ga4({ tiles: ["totalRevenue", "sessions"], drilldowns: ["key_events", "devices"] }) });
    expect(curated.body.show_key_events).to.equal(false);
    const on = (await put({ show_key_events: true })).body;
    expect(on.layout.sources.ga4.tiles).to.deep.equal(["sessions", "keyEvents", "conversions", "totalRevenue"]);
    expect(on.show_key_events).to.equal(true);
    const off = (await put({ show_key_events: false })).body;
    expect(off.layout.sources.ga4).to.deep.equal({ tiles: ["sessions", "totalRevenue"], drilldowns: ["devices"] });
    expect(off.show_key_events).to.equal(false);
    expect(await actions()).to.deep.equal([
      ...["key_events_disabled", "layout_changed"],
      ...["key_events_enabled", "key_events_disabled"],
    ]);
  });

  it("record the tiles that the switch changes although it was on already", async () => {
    const curated = await put({ layout: ga4({ tiles: ["keyEvents", "sessions"] }) });
    expect(curated.body.show_key_events).to.equal(true);
    const { body } = await put({ show_key_events: true });
    expect(body.layout.sources.ga4.tiles).to.deep.equal(["sessions", "keyEvents", "conversions"]);
    await put({ show_key_events: true });
    expect(await actions()).to.deep.equal(["layout_changed", "layout_changed"]);
  });

  it("record nothing when nothing changes", async () => {
    const body = { layout: ga4({ hidden: true }), compare: "previous", rankings: { limit: 9 }, report: { split: "combined" } };
    await put(body);
    const before = await lines();
    const again = await put(body);
    expect(again.status).to.equal(200);
    expect(await lines()).to.deep.equal(before);
    const { rows } = await world.sql.query("select version from marketing_company_settings where company_id = $1", [company]);
    expect(rows).to.deep.equal([{ version: 1 }]);
  });

  it("hide a hidden source from those who manage no links", async () => {
    const id = await world.link(tenant, company, "seranking");
    await world.link(tenant, company, "gsc");
    await put({ layout: { sources: { seranking: { hidden: true }, gsc: { tiles: ["clicks"] } } } });
    const member = await tenant.member("member");
    const seen = await get(member);
    expect(seen.linked_sources).to.deep.equal(["gsc"]);
    expect(JSON.stringify(seen)).not.to.include(id).and.not.to.include("seranking");
    expect(seen.keyword_source).to.equal("search_console");
    expect((await get()).linked_sources).to.deep.equal(["gsc", "seranking"]);
  });

  it("are written only while the tag of If-Match holds", async () => {
    const tag = (await tenant.owner.get(path())).headers["etag"] as string;
    expect((await put({ compare: "previous" }, { "if-match": tag })).status).to.equal(200);
    expect((await put({ compare: "year" }, { "if-match": tag })).status).to.equal(412);
  });

  it("are 404 for a client that the caller does not see, with reading and with writing", async () => {
    const other = (await tenant.company()).id;
    const admin = await restricted(tenant, [other]);
    const elsewhere = await (await world.tenant()).company();
    for (const id of [company, elsewhere.id]) {
      const hidden = `/marketing/companies/${id}/settings`;
      expect(refusalOf(await admin.get(hidden))).to.deep.equal([404, "not_found", null]);
      expect(refusalOf(await admin.put(hidden, { compare: "year" }))).to.deep.equal([404, "not_found", null]);
    }
    expect((await admin.put(`/marketing/companies/${other}/settings`, { compare: "year" })).status).to.equal(200);
    const client = await tenant.member("client");
    expect((await client.get(path())).status).to.equal(404);
    expect((await client.put(path(), {})).status).to.equal(403);
    expect(await lines()).to.deep.equal([]);
  });

  it("are saved once by two first writes at the same time", async () => {
    const answers = await Promise.all([put({ compare: "previous" }), put({ show_key_events: false })]);
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200]);
    expect(await get()).to.deep.include({ compare: "previous", show_key_events: false });
  });
});

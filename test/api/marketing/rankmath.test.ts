import { expect } from "chai";
import { addDays, todayIn } from "../../../core/calendar/calendar.ts";
import { type RankmathSimulator, type SimulatedBrand, wordpressError } from "../../simulators/rankmath.ts";
import { withDeadline } from "../../support/deadline.ts";
import type { Caller, Tenant } from "../../support/service.ts";
import { type LinkedSource, type SourcesWorld, startSources } from "./sources-world.ts";
import { restricted } from "./stored-world.ts";

const BRAND = "0f8fad5b-d9cb-469f-a165-70867728950e";
const ZONE = "Europe/Amsterdam";
const today = () => todayIn(ZONE, Date.now(), ZONE);
const yesterday = () => addDays(today(), -1);

const brand = (values: Partial<SimulatedBrand> = {}): SimulatedBrand => ({
  id: BRAND,
  name: "Bikes and more",
  url: "https://bikes.example",
  locale: "nl_NL",
  score: 61.5,
  rank: 3,
  avg_sentiment: 0.4,
  mentions: 12,
  citations: 7,
  last_analyzed: "2026-07-14T22:30:00Z",
  ...values,
});

describe("Rank Math as a source", () => {
  let world: SourcesWorld;
  let site: RankmathSimulator;
  let tenant: Tenant;
  let companyId: string;
  let websiteId: string;
  let linked: LinkedSource;

  before(async () => {
    world = await startSources();
    ({ site } = world);
  });
  beforeEach(async () => {
    site.reset();
    for (const known of [site.users, site.powerless, site.insights, site.queries]) known.clear();
    site.brands.length = 0;
    Object.assign(site, { hasPrettyLinks: true, plainStatus: 404, hasPlugin: true, isStale: false, refusal: null, folder: "" });
    site.users.set("reader", "abcd efgh ijkl");
    site.brands.push(brand());
    tenant = await world.service.tenant();
    companyId = (await tenant.company()).id;
    websiteId = await world.website(tenant, companyId);
    linked = await world.link(tenant, "rankmath", { company_id: companyId, website_id: websiteId, external_id: BRAND });
    await store();
  });
  afterEach(() => expect(site.complaints).to.deep.equal([]));
  after(() => world.stop());

  async function store(values: Record<string, unknown> = {}) {
    const sent = { address: site.address, username: "reader", password: "abcd efgh ijkl", ...values };
    const { status, text } = await tenant.owner.put(`/marketing/websites/${websiteId}/credential`, sent);
    if (status !== 200) throw new Error(`${status}: ${text}`);
  }
  const days = (from = addDays(today(), -7), to = yesterday()) => world.ask(tenant, linked, "days", from, to);
  const drill = async (kind: string, period = "2026-07") =>
    (await tenant.owner.get(`/marketing/companies/${companyId}/drilldown?link_id=${linked.id}&kind=${kind}&period=${period}`))
      .body;

  describe("days", () => {
    it("are one row, dated by the last analysis where the organisation is, after a refresh", async () => {
      expect(await days()).to.deep.equal({
        days: [
          {
            day: "2026-07-15",
            metrics: { ai_visibility_score: 61.5, mentions: 12, citations: 7, avg_sentiment: 0.4, brand_rank: 3 },
          },
        ],
      });
      expect(site.asked()).to.deep.equal(["/wp-json/rankmath/v1/ai-visibility/overview?refresh=1"]);
    });

    for (const [written, day] of Object.entries({
      "2026-07-14 22:30:00": "2026-07-15",
      "2026-07-14T23:30:00+02:00": "2026-07-14",
      "2026-07-14": "2026-07-14",
    }))
      it(`read '${written}' as ${day}`, async () => {
        site.brands[0] = brand({ last_analyzed: written });
        expect((await days()).days[0].day).to.equal(day);
      });

    it("omit null values, and rows without any value", async () => {
      site.brands[0] = brand({ rank: null, avg_sentiment: null, citations: 0 });
      expect((await days()).days[0].metrics).to.deep.equal({ ai_visibility_score: 61.5, mentions: 12, citations: 0 });
      site.brands[0] = brand({ score: null, rank: null, avg_sentiment: null, mentions: null, citations: null });
      expect(await days()).to.deep.equal({ days: [] });
    });

    it("write nothing for a stale answer, nor for a brand that was never analysed", async () => {
      site.isStale = true;
      expect(await days()).to.deep.equal({ days: [], isUnread: true });
      site.isStale = false;
      site.brands[0] = brand({ last_analyzed: null });
      expect(await days()).to.deep.equal({ days: [] });
    });

    it("ask nothing for a span of the past, of which the plugin knows nothing (S4)", async () => {
      expect(await days("2025-06-01", "2025-06-30")).to.deep.equal({ days: [], isUnread: true });
      expect(site.received).to.have.length(0);
    });

    it("fail where the brand is gone", async () => {
      site.brands[0] = brand({ id: "another" });
      expect(await days()).to.deep.equal({ failure: "marketing.rankmath_brand_not_found" });
    });
  });

  describe("accounts", () => {
    it("are the brands, without a refresh", async () => {
      expect(await world.ask(tenant, linked, "accounts")).to.deep.equal([
        {
          external_id: BRAND,
          display_name: "Bikes and more",
          account_hint: "https://bikes.example",
          config: { url: "https://bikes.example", locale: "nl_NL" },
        },
      ]);
      expect(site.asked()).to.deep.equal(["/wp-json/rankmath/v1/ai-visibility/overview"]);
    });

    it("are none without the credential, even with an answer of these ten minutes", async () => {
      const pick = async () => {
        const { body } = await tenant.owner.get(`/marketing/accounts?source=rankmath&website_id=${websiteId}`);
        return [body.connected, body.has_scope, body.configured, body.error, body.accounts.length];
      };
      expect(await pick()).to.deep.equal([true, true, true, null, 1]);
      await tenant.owner.delete(`/marketing/websites/${websiteId}/credential`);
      expect(await pick()).to.deep.equal([true, true, false, null, 0]);
      await store();
      expect(await pick()).to.deep.equal([true, true, true, null, 1]);
      expect(site.asked()).to.have.length(1);
    });

    it("report a user without rights as a refused key, which only the picker knows", async () => {
      site.powerless.add("reader");
      expect(await world.ask(tenant, linked, "accounts")).to.deep.equal({ failure: "marketing.rankmath_key_rejected" });
    });
  });

  describe("a site without pretty links", () => {
    for (const plainStatus of [404, 200] as const)
      it(`is read by rest_route if /wp-json answers a page with ${plainStatus}`, async () => {
        Object.assign(site, { hasPrettyLinks: false, plainStatus });
        expect((await days()).days).to.have.length(1);
        expect(site.asked()[1]).to.equal("/?rest_route=/rankmath/v1/ai-visibility/overview&refresh=1");
      });

    it("may be in a folder", async () => {
      Object.assign(site, { hasPrettyLinks: false, folder: "/shop" });
      await store();
      expect((await days()).days).to.have.length(1);
      expect(site.asked()).to.deep.equal([
        "/shop/wp-json/rankmath/v1/ai-visibility/overview?refresh=1",
        "/shop/?rest_route=/rankmath/v1/ai-visibility/overview&refresh=1",
      ]);
    });
  });

  describe("failures", () => {
    const failure = async () => (await days()).failure;

    it("distinguish a refused password, missing rights, used up credits, a plan and an old plugin", async () => {
      const seen: string[] = [];
      site.users.set("reader", "another");
      seen.push(await failure());
      site.users.set("reader", "abcd efgh ijkl");
      site.powerless.add("reader");
      seen.push(await failure());
      site.powerless.clear();
      for (const refusal of [wordpressError(402, "aiv_insufficient_credits"), wordpressError(403, "aiv_plan_limit")]) {
        site.refusal = refusal;
        seen.push(await failure());
      }
      site.refusal = null;
      site.hasPlugin = false;
      seen.push(await failure());
      expect(seen).to.deep.equal([
        "marketing.rankmath_key_rejected",
        "marketing.rankmath_forbidden",
        "marketing.rankmath_no_credits",
        "marketing.rankmath_plan_limit",
        "marketing.rankmath_plugin_outdated",
      ]);
    });

    for (const [what, fault] of Object.entries({
      "other types": { kind: "reply", status: 200, body: `{"success":true,"data":{"brands":"none","is_stale":false}}` },
      "an answer without success": { kind: "reply", status: 200, body: `{"success":false,"data":{}}` },
      "half an answer": { kind: "truncate" },
      "an answer without end": { kind: "flood" },
      "a few bytes that unpack to very many": { kind: "bomb", bytes: 64 << 20 },
      "a redirect": { kind: "reply", status: 301, headers: { Location: "http://169.254.169.254/" } },
      "an error of the server": { kind: "reply", status: 500, body: "<h1>Error</h1>" },
      "a connection that is cut": { kind: "drop" },
    } as const))
      it(`report ${what} as an error of the source, after one request`, async () => {
        site.fail(fault);
        expect(await failure()).to.equal("marketing.accounts_error");
        expect(site.received).to.have.length(1);
      });

    it("give a site 30 seconds, and report one that takes longer as an error", async () => {
      site.fail({ kind: "hang" });
      expect(await withDeadline(30_000, failure)).to.equal("marketing.accounts_error");
      expect(site.received).to.have.length(1);
    });

    it("report a site that answers pages only", async () => {
      site.failWhen(() => true, { kind: "reply", status: 200, body: "<!DOCTYPE html>" });
      expect(await failure()).to.equal("marketing.accounts_error");
    });

    it("report a link without a website, and a website without a credential", async () => {
      await tenant.owner.delete(`/marketing/websites/${websiteId}/credential`);
      expect(await failure()).to.equal("marketing.rankmath_not_connected");
      await world.service.sql.query("update marketing_links set website_id = null where id = $1", [linked.id]);
      expect(await failure()).to.equal("marketing.rankmath_no_website");
      expect(site.received).to.have.length(0);
    });
  });

  describe("drilldowns", () => {
    it("show competitors and queries, and lead to the plugin's own screen", async () => {
      site.insights.set(BRAND, {
        competitors: [
          { name: "Wheels", score: 20 },
          { name: "Chains", score: 80, rank: 1 },
        ],
      });
      site.queries.set(BRAND, [{ id: "q1", query: "best bikes", mentions: 4, citations: 1 }]);
      const competitors = await drill("competitors");
      expect(competitors.columns).to.deep.equal(["score", "mentions", "brand_rank"]);
      expect(competitors.rows).to.deep.equal([
        { label: "Chains", key: null, href: null, metrics: { score: 80, brand_rank: 1 } },
        { label: "Wheels", key: null, href: null, metrics: { score: 20 } },
      ]);
      expect(competitors.deep_link).to.equal(`${site.address}/wp-admin/admin.php?page=rank-math-ai-visibility`);
      expect((await drill("queries")).rows).to.deep.equal([
        { label: "best bikes", key: "q1", href: null, metrics: { mentions: 4, citations: 1 } },
      ]);
    });

    it("answer the reason for none, even with an answer of this hour", async () => {
      site.queries.set(BRAND, []);
      expect((await drill("queries")).available).to.equal(true);
      await tenant.owner.delete(`/marketing/websites/${websiteId}/credential`);
      const { available, unavailable_reason, rows, deep_link } = await drill("queries");
      expect({ available, unavailable_reason, rows }).to.deep.equal({
        available: false,
        unavailable_reason: "marketing.rankmath_not_connected",
        rows: [],
      });
      expect(deep_link, "the website's own address").to.match(/^https:\/\/site\d+\.example\/wp-admin\/admin\.php\?page=/);
      const { body } = await tenant.owner.get(`/marketing/companies/${linked.companyId}/metrics`);
      expect(body.sources.map((one: { deep_link: string }) => one.deep_link)).to.deep.equal([deep_link]);
      await world.service.sql.query("update marketing_links set website_id = null where id = $1", [linked.id]);
      expect((await drill("queries")).unavailable_reason).to.equal("marketing.rankmath_no_website");
    });

    it("lead to no website of a client that the caller does not see, as the metrics do", async () => {
      site.queries.set(BRAND, []);
      const other = (await tenant.company()).id;
      await world.service.sql.query(
        "update domains set company_id = $2 where id = (select domain_id from websites where id = $1)",
        [websiteId, other],
      );
      const path = `/marketing/companies/${linked.companyId}`;
      const shown = async (caller: Caller) => {
        const one = await caller.get(`${path}/drilldown?link_id=${linked.id}&kind=queries`);
        const all = await caller.get(`${path}/metrics`);
        expect([one.status, all.status]).to.deep.equal([200, 200]);
        return [one.body.deep_link, all.body.sources[0].deep_link];
      };
      const address = `${site.address}/wp-admin/admin.php?page=rank-math-ai-visibility`;
      expect(await shown(tenant.owner)).to.deep.equal([address, address]);
      const nowhere = await shown(await restricted(tenant, [linked.companyId]));
      expect(nowhere[0]).to.equal(nowhere[1]);
      expect(nowhere.join(" ")).to.not.include(site.address);
    });
  });
});

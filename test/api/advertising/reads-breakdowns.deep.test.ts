import { expect } from "chai";
import { refusing } from "../../simulators/google-ads/replies.ts";
import { type Advertiser, type AdvertisingWorld, advertiser, startAdvertising, writtenAccount } from "./advertising-world.ts";
import { FilledAccount } from "./reads-world.ts";

const QUERY_REFUSED = () => refusing(400, { group: "queryError", value: "PROHIBITED_SEGMENT_IN_SELECT_OR_WHERE_CLAUSE" });
const NO_RATIO = { ctr: null, average_cpc: null, conversion_rate: null, cost_per_conversion: null, value_per_conversion: null };
const ZEROS = { impressions: 0, clicks: 0, cost: 0, conversions: 0, conversions_value: 0, all_conversions: 0, ...NO_RATIO };

describe("Breakdowns of an advertising account (marketing-ads §3.6)", () => {
  let world: AdvertisingWorld;
  let own: Advertiser;
  let account: string;
  let filled: FilledAccount;
  let bread: string;
  let cake: string;
  before(async () => {
    world = await startAdvertising();
  });
  beforeEach(async () => {
    world.reset();
    own = await advertiser(world);
    account = await writtenAccount(world.service, own);
    filled = new FilledAccount(own.customer);
    bread = filled.campaign(11, "Bread");
    cake = filled.campaign(12, "Cake", {}, { status: "PAUSED" });
  });
  afterEach(() => {
    expect([...world.google.complaints, ...world.ads.complaints]).to.deep.equal([]);
  });
  after(() => world.stop());

  const get = (read: string, query = "") => own.owner.get(`/ads-platform/accounts/${account}/${read}${query}`);

  describe("GET negatives", () => {
    beforeEach(() => {
      const { customer } = filled;
      const rye = filled.adGroup(21, "Rye", bread);
      const gone = filled.adGroup(22, "Gone", bread, {}, { status: "REMOVED" });
      filled.keyword(31, "free", rye, {}, { negative: true });
      filled.keyword(32, "rye", rye);
      filled.keyword(33, "old", rye, {}, { negative: true, status: "REMOVED" });
      filled.keyword(34, "of nobody", gone, {}, { negative: true });
      const criterion = (id: number, values: object) =>
        customer.put("campaign_criterion", `campaignCriteria/12~${id}`, {
          criterionId: String(id),
          campaign: cake,
          type: "KEYWORD",
          status: "ENABLED",
          negative: true,
          ...values,
        });
      criterion(41, { keyword: { text: "cheap", matchType: "EXACT" } });
      criterion(42, { type: "LOCATION", location: { geoTargetConstant: "geoTargetConstants/2528" } });
      const shared = (id: number, type: string, status: string) =>
        customer.put("shared_set", `sharedSets/${id}`, { id: String(id), name: `List ${id}`, type, status });
      const member = (id: number, sharedSet: string) =>
        customer.put("shared_criterion", `sharedCriteria/${sharedSet.split("/").at(-1)}~${id}`, {
          criterionId: String(id),
          type: "KEYWORD",
          keyword: { text: `word ${id}`, matchType: "BROAD" },
          sharedSet,
        });
      member(51, shared(61, "NEGATIVE_KEYWORDS", "ENABLED"));
      member(52, shared(62, "NEGATIVE_PLACEMENTS", "ENABLED"));
      member(53, shared(63, "NEGATIVE_KEYWORDS", "REMOVED"));
    });

    it("answers those of ad groups, campaigns and shared lists, without a period or totals", async () => {
      const { body } = await get("negatives");
      expect(body).to.deep.include({
        period: null,
        totals: null,
        warnings: [],
        extra: { levels: ["ad_group", "campaign", "shared_set"] },
        total_rows: 3,
      });
      expect(body.rows).to.deep.equal([
        {
          level: "ad_group",
          keyword: "free",
          match_type: "PHRASE",
          criterion_id: "31",
          campaign_id: "11",
          campaign_name: "Bread",
          ad_group_id: "21",
          ad_group_name: "Rye",
          shared_set_name: null,
        },
        {
          level: "campaign",
          keyword: "cheap",
          match_type: "EXACT",
          criterion_id: "41",
          campaign_id: "12",
          campaign_name: "Cake",
          ad_group_id: null,
          ad_group_name: null,
          shared_set_name: null,
        },
        {
          level: "shared_set",
          keyword: "word 51",
          match_type: "BROAD",
          criterion_id: "51",
          campaign_id: null,
          campaign_name: null,
          ad_group_id: null,
          ad_group_name: null,
          shared_set_name: "List 61",
        },
      ]);
    });

    it("searches words, campaigns, ad groups and lists", async () => {
      for (const [q, ids] of [
        ["FREE", ["31"]],
        ["cake", ["41"]],
        ["rye", ["31"]],
        ["list 61", ["51"]],
        ["shared_set", []],
      ] as const) {
        const { body } = await get("negatives", `?q=${encodeURIComponent(q)}`);
        expect(
          body.rows.map((row: { criterion_id: string }) => row.criterion_id),
          q,
        ).to.deep.equal(ids);
      }
    });

    it("takes no period", async () => {
      expect((await get("negatives", "?period=7d")).status).to.equal(422);
    });
  });

  describe("GET search-terms", () => {
    beforeEach(() => {
      const rye = filled.adGroup(21, "Rye", bread);
      filled.searchTerm("rye bread near me", rye, { costMicros: 4_500_000n, clicks: 3, impressions: 30 });
      filled.searchTerm("free bread", rye, { costMicros: 4_499_999n, clicks: 9 }, "PHRASE");
      filled.searchTerm("bread", rye, { costMicros: 9_000_000n, clicks: 1 });
    });

    it("answers terms with how they matched, always with the warning that nothing judged them", async () => {
      const { body } = await get("search-terms");
      expect(body.warnings).to.deep.equal(["ads.warning.search_terms_unclassified"]);
      expect(body.rows[1]).to.deep.equal({
        search_term: "rye bread near me",
        match_status: "NONE",
        match_type: "BROAD",
        campaign_id: "11",
        campaign_name: "Bread",
        ad_group_id: "21",
        ad_group_name: "Rye",
        decided: null,
        ...ZEROS,
        impressions: 30,
        clicks: 3,
        cost: 4.5,
        ctr: 0.1,
        average_cpc: 1.5,
        conversion_rate: 0,
      });
      expect(body.totals).to.deep.include({ cost: 18, clicks: 13 });
    });

    it("show the newest valid decision on them, for any scope and spelling", async () => {
      const decide = (subject: string, decision: string, more: object = {}) =>
        own.owner.post(`/ads-platform/accounts/${account}/decisions`, { subject, decision, reason: "off topic", ...more });
      expect((await decide(" FREE  bread", "kept")).status).to.equal(201);
      expect((await decide("free bread", "excluded", { scope: "campaign:11" })).status).to.equal(201);
      const decided = async () => {
        const { body } = await get("search-terms");
        return Object.fromEntries(
          body.rows.map((row: Record<string, unknown>) => [row["search_term"], row["decided"]]),
        ) as Record<string, Record<string, unknown> | null>;
      };
      const found = await decided();
      expect(found["free bread"]).to.include({ decision: "excluded", reason: "off topic", scope: "campaign:11" });
      expect(found["free bread"]).to.have.all.keys("decision", "reason", "scope", "by");
      expect(found["bread"]).to.equal(null);
    });

    it("show no decision on an object whose id or name reads like the term", async () => {
      const path = `/ads-platform/accounts/${account}/decisions`;
      for (const subject_type of ["campaign", "ad_group", "budget", "ad"])
        expect((await own.owner.post(path, { subject: "bread", subject_type, decision: "paused" })).status).to.equal(201);
      // A list of negatives is recorded as a keyword in its own scope.
      await world.service.sql.query(
        `insert into ads_decisions (id, organisation_id, account_id, subject_type, subject, subject_key, scope, decision, source)
          values (gen_random_uuid(), $1, $2, 'keyword', 'Bread', 'bread', 'shared_set:7', 'created', 'write')`,
        [own.tenant.organisation.id, account],
      );
      const decided = async () => (await get("search-terms", '?q="bread"')).body.rows[0].decided;
      expect(await decided()).to.equal(null);
      await own.owner.post(path, { subject: "bread", subject_type: "keyword", scope: "ad_group:21", decision: "added" });
      expect(await decided()).to.include({ decision: "added", scope: "ad_group:21" });
    });

    it("are narrowed by cost and clicks at the provider, exactly", async () => {
      const terms = async (query: string) =>
        (await get("search-terms", query)).body.rows.map((row: { search_term: string }) => row.search_term);
      expect(await terms("?min_cost=4.5")).to.deep.equal(["bread", "rye bread near me"]);
      expect(await terms("?min_clicks=3&min_cost=0.1")).to.deep.equal(["rye bread near me", "free bread"]);
      expect(world.ads.queries().at(-1)).to.include("metrics.cost_micros >= 100000 AND metrics.clicks >= 3");
      for (const wrong of ["?min_cost=-1", "?min_cost=x", "?min_clicks=1.5", "?min_clicks=-1"])
        expect((await get("search-terms", wrong)).status, wrong).to.equal(422);
    });

    it("are found by term, campaign and ad group, and ignore a status", async () => {
      expect((await get("search-terms", "?q=NEAR")).body.total_rows).to.equal(1);
      expect((await get("search-terms", "?q=rye")).body.total_rows).to.equal(3);
      for (const status of ["REMOVED", "LIVE"]) {
        const { status: answered, body } = await get("search-terms", `?status=${status}`);
        expect([answered, body.total_rows]).to.deep.equal([200, 3]);
      }
    });
  });

  describe("GET devices", () => {
    it("answers campaigns by device, and the figures of each device over what matched", async () => {
      filled.measure("campaign", bread, { costMicros: 3_000_000n, clicks: 3 }, { device: "MOBILE" });
      filled.measure("campaign", bread, { costMicros: 4_000_000n, clicks: 1 }, { device: "DESKTOP" });
      filled.measure("campaign", cake, { costMicros: 2_000_000n, clicks: 1 }, { device: "MOBILE" });
      const { body } = await get("devices");
      expect(
        body.rows.map((row: Record<string, unknown>) => [
          row["campaign_name"],
          row["campaign_status"],
          row["device"],
          row["cost"],
        ]),
      ).to.deep.equal([
        ["Bread", "ENABLED", "DESKTOP", 4],
        ["Bread", "ENABLED", "MOBILE", 3],
        ["Cake", "PAUSED", "MOBILE", 2],
      ]);
      expect(body.extra.device_totals).to.deep.equal([
        { device: "MOBILE", ...ZEROS, clicks: 4, cost: 5, average_cpc: 1.25, conversion_rate: 0 },
        { device: "DESKTOP", ...ZEROS, clicks: 1, cost: 4, average_cpc: 4, conversion_rate: 0 },
      ]);
      expect(body.totals).to.include({ cost: 9, clicks: 5 });
      const found = await get("devices", "?q=cake");
      expect(found.body.extra.device_totals).to.have.length(1);
    });
  });

  it("ignore a status, and read no removed campaign because of one", async () => {
    const gone = filled.campaign(13, "Gone", {}, { status: "REMOVED" });
    filled.measure("campaign", gone, { costMicros: 9_000_000n }, { device: "MOBILE" });
    for (const read of ["negatives", "search-terms", "devices", "geo", "conversions", "changes", "recommendations"]) {
      const { status, body } = await get(read, "?status=removed");
      expect([read, status, body.rows]).to.deep.equal([read, 200, []]);
    }
  });

  describe("GET geo", () => {
    it("says what its places are, where no campaign has the name", async () => {
      const { body } = await get("geo", "?campaigns=nothing");
      expect(body).to.deep.include({
        rows: [],
        warnings: ["ads.warning.no_campaigns_matched"],
        extra: { granularity: "country+region+city", location_basis: "user_location" },
      });
    });

    beforeEach(() => {
      filled.places({ 2528: "Netherlands", 20758: "Utrecht (province)", 1010543: "Utrecht" });
      filled.place(bread, 2528, true, 20758, 1010543, { costMicros: 1_000_000n, clicks: 1 });
      filled.place(bread, 2528, false, 20758, 1010543, { costMicros: 2_000_000n, clicks: 2 });
      filled.place(bread, 2056, false, 20071, 1001004, { costMicros: 5_000_000n, clicks: 1 });
    });

    it("answers one row for each campaign and place, with the names of places from one lookup", async () => {
      const { body } = await get("geo");
      expect(body).to.deep.include({
        warnings: [],
        extra: { granularity: "country+region+city", location_basis: "user_location" },
        total_rows: 2,
      });
      expect(body.rows[1]).to.deep.include({
        campaign_id: "11",
        campaign_name: "Bread",
        country: "Netherlands",
        region: "Utrecht (province)",
        city: "Utrecht",
        country_criterion_id: "2528",
        cost: 3,
        clicks: 3,
        average_cpc: 1,
      });
      expect(body.rows[0]).to.deep.include({ country: null, region: null, city: null, country_criterion_id: "2056", cost: 5 });
      expect(world.ads.queries()).to.have.length(2);
      expect((await get("geo", "?q=netherl")).body.total_rows).to.equal(1);
    });

    it("reads by country if the provider refuses regions and cities", async () => {
      world.ads.fail(QUERY_REFUSED());
      const { body } = await get("geo");
      expect(body.warnings).to.deep.equal(["ads.warning.geo_country_only"]);
      expect(body.extra.granularity).to.equal("country");
      expect(
        body.rows.map((row: Record<string, unknown>) => [row["country"], row["region"], row["city"], row["cost"]]),
      ).to.deep.equal([
        [null, null, null, 5],
        ["Netherlands", null, null, 3],
      ]);
      expect(world.ads.queries()).to.have.length(3);
    });

    it("is refused where the provider refuses countries too, or refuses something else", async () => {
      world.ads.fail(QUERY_REFUSED(), QUERY_REFUSED());
      const twice = await get("geo");
      expect([twice.status, twice.body.error.code]).to.deep.equal([422, "ads_platform_query"]);
      world.ads.fail(refusing(400, { group: "requestError", value: "UNKNOWN" }));
      const other = await get("geo");
      expect([other.status, other.body.error.code]).to.deep.equal([422, "ads_platform_request"]);
      expect(world.ads.queries()).to.have.length(3);
    });

    it("keeps the figures where the names of places are refused (S3)", async () => {
      world.ads.failWhen(({ body }) => body.includes("geo_target_constant"), QUERY_REFUSED());
      const { body } = await get("geo");
      expect(body.totals.cost).to.equal(8);
      expect(body.rows[1]).to.include({ country: null, country_criterion_id: "2528" });
    });
  });
});

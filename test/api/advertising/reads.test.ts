import { expect } from "chai";
import { addDays } from "../../../core/calendar/calendar.ts";
import { refusing } from "../../simulators/google-ads/replies.ts";
import { type Advertiser, type AdvertisingWorld, advertiser, startAdvertising, writtenAccount } from "./advertising-world.ts";
import { dayBefore, FilledAccount } from "./reads-world.ts";

const NO_RATIO = { ctr: null, average_cpc: null, conversion_rate: null, cost_per_conversion: null, value_per_conversion: null };
const ZEROS = { impressions: 0, clicks: 0, cost: 0, conversions: 0, conversions_value: 0, all_conversions: 0, ...NO_RATIO };

describe("Reading an advertising account (marketing-ads §3.5, §3.6)", () => {
  let world: AdvertisingWorld;
  let own: Advertiser;
  let account: string;
  let filled: FilledAccount;
  before(async () => {
    world = await startAdvertising();
  });
  beforeEach(async () => {
    world.reset();
    own = await advertiser(world);
    account = await writtenAccount(world.service, own);
    filled = new FilledAccount(own.customer);
  });
  afterEach(() => {
    expect([...world.google.complaints, ...world.ads.complaints]).to.deep.equal([]);
  });
  after(() => world.stop());

  const get = (read: string, query = "") => own.owner.get(`/ads-platform/accounts/${account}/${read}${query}`);
  const names = (answer: { body: { rows: Record<string, unknown>[] } }, field = "campaign_name") =>
    answer.body.rows.map((row) => row[field]);

  describe("GET campaigns", () => {
    beforeEach(() => {
      filled.campaign(
        11,
        "Summer bread",
        {
          impressions: 3000,
          clicks: 70,
          costMicros: 123_456_789n,
          conversions: 3.335,
          conversionsValue: 1000.005,
          allConversions: 4,
          searchImpressionShare: 0.5,
          searchRankLostImpressionShare: 0.25,
        },
        { maximizeConversions: { targetCpaMicros: "0" } },
      );
      filled.campaign(
        12,
        "Winter cake",
        { impressions: 10, clicks: 0, costMicros: 200_000_000n },
        { status: "PAUSED", maximizeConversions: { targetCpaMicros: "7500000" }, optimizationScore: 0.8125 },
      );
      filled.campaign(13, "Gone", { costMicros: 999_000_000n }, { status: "REMOVED" });
      filled.campaign(14, "Silent", {}, { maximizeConversionValue: { targetRoas: 2.71236 } });
    });

    it("answers the envelope with the account, the period, the currency and totals", async () => {
      const { status, body } = await get("campaigns");
      expect(status).to.equal(200);
      const { fetched_at: at, rows: _rows, ...rest } = body;
      expect(Math.abs(Date.parse(at) - Date.now())).to.be.lessThan(60_000);
      expect(rest).to.deep.include({
        account: {
          id: account,
          customer_id: own.customer.id,
          customer_id_formatted: own.customer.id.replace(/^(...)(...)/, "$1-$2-"),
          descriptive_name: "Bakery",
          company_id: null,
        },
        currency: "EUR",
        account_timezone: "Europe/Amsterdam",
        row_count: 3,
        total_rows: 3,
        offset: 0,
        warnings: [],
        extra: {},
      });
      expect(rest.period).to.include({ days: 30, token: "30d" });
      expect(addDays(rest.period.date_from, 29)).to.equal(rest.period.date_to);
      expect(rest.totals).to.deep.equal({
        impressions: 3010,
        clicks: 70,
        cost: 323.46,
        conversions: 3.34,
        conversions_value: 1000.01,
        all_conversions: 4,
        ctr: 0.023256,
        average_cpc: 4.62,
        conversion_rate: 0.047643,
        cost_per_conversion: 96.99,
        value_per_conversion: 299.85,
      });
    });

    it("answers every field of a row, the dearest first", async () => {
      const { body } = await get("campaigns");
      expect(body.rows).to.deep.equal([
        {
          campaign_id: "12",
          campaign_name: "Winter cake",
          status: "PAUSED",
          serving_status: "SERVING",
          channel_type: "SEARCH",
          channel_sub_type: null,
          bidding_strategy_type: "TARGET_SPEND",
          start_date_time: "2026-01-01 00:00:00",
          end_date_time: null,
          optimization_score: 0.8125,
          daily_budget: 12,
          budget_delivery_method: "STANDARD",
          target_cpa: 7.5,
          target_roas: null,
          search_impression_share: null,
          search_lost_is_budget: null,
          search_lost_is_rank: null,
          ...ZEROS,
          impressions: 10,
          cost: 200,
          ctr: 0,
        },
        {
          campaign_id: "11",
          campaign_name: "Summer bread",
          status: "ENABLED",
          serving_status: "SERVING",
          channel_type: "SEARCH",
          channel_sub_type: null,
          bidding_strategy_type: "TARGET_SPEND",
          start_date_time: "2026-01-01 00:00:00",
          end_date_time: null,
          optimization_score: null,
          daily_budget: 11,
          budget_delivery_method: "STANDARD",
          target_cpa: null,
          target_roas: null,
          search_impression_share: 0.5,
          search_lost_is_budget: null,
          search_lost_is_rank: 0.25,
          impressions: 3000,
          clicks: 70,
          cost: 123.46,
          conversions: 3.34,
          conversions_value: 1000.01,
          all_conversions: 4,
          ctr: 0.023333,
          average_cpc: 1.76,
          conversion_rate: 0.047643,
          cost_per_conversion: 37.02,
          value_per_conversion: 299.85,
        },
        { ...body.rows[2], campaign_id: "14", target_cpa: null, target_roas: 2.7124, ...ZEROS },
      ]);
    });

    it("omits removed campaigns, unless they or their status are requested", async () => {
      expect(names(await get("campaigns"))).not.to.include("Gone");
      expect(names(await get("campaigns", "?include_removed=true"))).to.deep.equal([
        "Gone",
        "Winter cake",
        "Summer bread",
        "Silent",
      ]);
      expect(names(await get("campaigns", "?status=removed"))).to.deep.equal(["Gone"]);
    });

    it("narrows to a status in any case; an unknown one matches nothing", async () => {
      expect(names(await get("campaigns", "?status=paused"))).to.deep.equal(["Winter cake"]);
      const unknown = await get("campaigns", "?status=LIVE");
      expect(unknown.body).to.deep.include({ rows: [], total_rows: 0, totals: ZEROS });
    });

    it("searches, adds up what matched and then makes pages", async () => {
      const { body } = await get("campaigns", "?q=E&limit=1&offset=1");
      expect(body).to.deep.include({ row_count: 1, total_rows: 3, offset: 1 });
      expect(names({ body })).to.deep.equal(["Summer bread"]);
      expect(body.totals.cost).to.equal(323.46);
      const found = await get("campaigns", "?q=BREAD");
      expect(found.body.totals.cost).to.equal(123.46);
    });

    it("refuses invalid pages", async () => {
      for (const query of ["?limit=0", "?offset=-1", "?limit=x"]) expect((await get("campaigns", query)).status).to.equal(422);
      expect((await get("campaigns", "?limit=100000&offset=100000")).body).to.include({ total_rows: 3, row_count: 0 });
    });

    it("reads the requested days, and reports the resolved period", async () => {
      filled.measure(
        "campaign",
        `${own.customer.resourceName}/campaigns/11`,
        { costMicros: 1_000_000n },
        { date: dayBefore(50) },
      );
      const days = await get("campaigns", `?date_from=${dayBefore(49)}&date_to=${dayBefore(51)}&period=7d`);
      expect(days.body.totals.cost).to.equal(1);
      expect(days.body.period).to.deep.equal({ date_from: dayBefore(51), date_to: dayBefore(49), days: 3, token: null });
      expect(days.body.warnings).to.deep.equal(["ads.warning.dates_swapped"]);
      const long = await get("campaigns", `?date_from=2020-01-01&date_to=${dayBefore(-2)}`);
      expect(long.body.period.days).to.equal(400);
      expect(long.body.warnings).to.deep.equal(["ads.warning.range_capped", "ads.warning.period_not_final"]);
      expect(world.ads.queries()[0]).to.include(`segments.date BETWEEN '${dayBefore(51)}' AND '${dayBefore(49)}'`);
    });

    it("resolves names of campaigns here, and sends ids", async () => {
      const { body } = await get("campaigns", "?campaigns=WINTER&campaigns=summer'%20OR");
      expect(names({ body })).to.deep.equal(["Winter cake"]);
      expect(world.ads.queries()).to.have.length(2);
      expect(world.ads.queries()[1]).to.include("campaign.id IN (12)");
      expect(world.ads.queries().join(" ")).not.to.match(/summer|winter/i);
    });

    it("finds a name in either encoding of its accents", async () => {
      filled.campaign(15, "Cre\u0300me", { costMicros: 1_000_000n });
      expect(names(await get("campaigns", `?campaigns=${encodeURIComponent("CR\u00c8ME")}`))).to.deep.equal(["Cre\u0300me"]);
    });

    it("answers no rows where no campaign has the name, without a second call", async () => {
      const { body } = await get("campaigns", "?campaigns=nothing");
      expect(body).to.deep.include({ rows: [], total_rows: 0, totals: ZEROS, warnings: ["ads.warning.no_campaigns_matched"] });
      expect(world.ads.queries()).to.have.length(1);
    });

    it("cuts off at 500, before anything else, with a warning", async () => {
      for (let id = 100; id < 600; id += 1)
        filled.campaign(id, id === 599 ? "Cheapest" : `C${id}`, { costMicros: BigInt(1000 - id) });
      const { body } = await get("campaigns", "?limit=2");
      expect(body).to.include({ total_rows: 500, row_count: 2 });
      expect(body.warnings).to.deep.equal(["ads.warning.rows_truncated"]);
      expect((await get("campaigns", "?q=cheapest")).body).to.deep.include({ total_rows: 0 });
    });
  });

  describe("GET ad-groups, keywords and ads", () => {
    let bread: string;
    let rye: string;
    beforeEach(() => {
      bread = filled.campaign(11, "Bread");
      const gone = filled.campaign(12, "Gone", {}, { status: "REMOVED" });
      rye = filled.adGroup(21, "Rye", bread, { costMicros: 5_000_000n, clicks: 4, impressions: 8 });
      filled.adGroup(22, "Oat", bread, { costMicros: 1_000_000n }, { status: "PAUSED", cpcBidMicros: undefined });
      filled.adGroup(23, "Old", bread, { costMicros: 9_000_000n }, { status: "REMOVED" });
      filled.adGroup(24, "Of a removed campaign", gone, { costMicros: 9_000_000n });
    });

    it("answers ad groups with their bids, those of removed campaigns left out", async () => {
      const { body } = await get("ad-groups");
      expect(names({ body }, "ad_group_name")).to.deep.equal(["Rye", "Oat"]);
      expect(body.rows[0]).to.deep.equal({
        campaign_id: "11",
        campaign_name: "Bread",
        ad_group_id: "21",
        ad_group_name: "Rye",
        status: "ENABLED",
        ad_group_type: "SEARCH_STANDARD",
        cpc_bid: 1.25,
        ...ZEROS,
        impressions: 8,
        clicks: 4,
        cost: 5,
        ctr: 0.5,
        average_cpc: 1.25,
        conversion_rate: 0,
      });
      expect(body.rows[1].cpc_bid).to.equal(null);
      expect(names(await get("ad-groups", "?include_removed=true"), "ad_group_name")).to.have.length(4);
      expect(names(await get("ad-groups", "?q=bread&status=paused"), "ad_group_name")).to.deep.equal(["Oat"]);
    });

    it("answers keywords with their quality; a missing score is null, and negatives are omitted", async () => {
      const qualityInfo = {
        qualityScore: 7,
        creativeQualityScore: "AVERAGE",
        postClickQualityScore: "BELOW_AVERAGE",
        searchPredictedCtr: "ABOVE_AVERAGE",
      };
      const bids = { cpcBidMicros: "2000000", effectiveCpcBidMicros: "2500000" };
      filled.keyword(31, "rye bread", rye, { costMicros: 3_000_000n, clicks: 1 }, { qualityInfo, ...bids });
      filled.keyword(32, "dark bread", rye, {}, { keyword: { text: "dark bread", matchType: "EXACT" } });
      filled.keyword(33, "free bread", rye, { costMicros: 7_000_000n }, { negative: true });
      filled.keyword(34, "old bread", rye, { costMicros: 7_000_000n }, { status: "REMOVED" });
      const { body } = await get("keywords");
      expect(body.rows).to.deep.equal([
        {
          campaign_id: "11",
          campaign_name: "Bread",
          ad_group_id: "21",
          ad_group_name: "Rye",
          criterion_id: "31",
          keyword: "rye bread",
          match_type: "PHRASE",
          status: "ENABLED",
          cpc_bid: 2,
          effective_cpc_bid: 2.5,
          quality_score: 7,
          creative_quality: "AVERAGE",
          landing_page_quality: "BELOW_AVERAGE",
          expected_ctr: "ABOVE_AVERAGE",
          ...ZEROS,
          clicks: 1,
          cost: 3,
          average_cpc: 3,
          conversion_rate: 0,
        },
        {
          ...body.rows[1],
          criterion_id: "32",
          match_type: "EXACT",
          cpc_bid: null,
          effective_cpc_bid: null,
          quality_score: null,
          creative_quality: null,
          landing_page_quality: null,
          expected_ctr: null,
        },
      ]);
      expect(names(await get("keywords", "?status=REMOVED"), "keyword")).to.deep.equal(["old bread"]);
      expect(names(await get("keywords", "?q=DARK"), "keyword")).to.deep.equal(["dark bread"]);
    });

    it("answers ads, and searches in their addresses", async () => {
      const headlines = [{ text: "Fresh rye" }, { text: "Baked today" }];
      const ad = {
        id: "41",
        type: "RESPONSIVE_SEARCH_AD",
        finalUrls: ["https://shop.example/rye"],
        responsiveSearchAd: { headlines },
      };
      filled.ad(41, rye, [], { costMicros: 2_000_000n }, { ad });
      filled.ad(42, rye, ["https://shop.example/oat"], {}, { status: "PAUSED", adStrength: undefined, policySummary: undefined });
      filled.ad(43, rye, [], { costMicros: 9_000_000n }, { status: "REMOVED" });
      const { body } = await get("ads");
      expect(body.rows).to.deep.equal([
        {
          campaign_id: "11",
          campaign_name: "Bread",
          ad_group_id: "21",
          ad_group_name: "Rye",
          ad_id: "41",
          ad_name: "Fresh rye",
          ad_type: "RESPONSIVE_SEARCH_AD",
          final_urls: ["https://shop.example/rye"],
          status: "ENABLED",
          ad_strength: "GOOD",
          approval_status: "APPROVED",
          ...ZEROS,
          cost: 2,
        },
        {
          ...body.rows[1],
          ad_id: "42",
          ad_name: "RESPONSIVE_SEARCH_AD 42",
          final_urls: ["https://shop.example/oat"],
          status: "PAUSED",
          ad_strength: null,
          approval_status: null,
        },
      ]);
      expect(names(await get("ads", "?q=/OAT"), "ad_id")).to.deep.equal(["42"]);
      expect(names(await get("ads", "?status=removed"), "ad_id")).to.deep.equal(["43"]);
    });
  });

  describe("an account's own refusals", () => {
    it("is 404 for an unknown account, and 409 for a broken grant, without a call", async () => {
      const other = await own.owner.get(`/ads-platform/accounts/${crypto.randomUUID()}/campaigns`);
      expect([other.status, other.body.error.code]).to.deep.equal([404, "not_found"]);
      await world.service.sql.query("update workspace_connections set status = 'error' where id = $1", [own.connectionId]);
      const broken = await get("campaigns");
      expect([broken.status, broken.body.error.code]).to.deep.equal([409, "ads_platform_not_configured"]);
      expect(world.ads.calls()).to.deep.equal([]);
    });

    for (const [status, group, value, code, answered] of [
      [401, "authenticationError", "OAUTH_TOKEN_REVOKED", "ads_platform_auth", 409],
      [403, "authorizationError", "DEVELOPER_TOKEN_NOT_APPROVED", "ads_platform_developer_token", 409],
    ] as const)
      it(`answers ${code} to ${group}.${value} (marketing-ads §3.4)`, async () => {
        const refused = refusing(status, { group, value });
        world.ads.fail(refused, refused, refused, refused);
        const { status: got, body } = await own.tenant.owner.get(`/ads-platform/accounts/${account}/campaigns`);
        expect([got, body.error.code, body.error.details?.provider_error_code]).to.deep.equal([
          answered,
          code,
          `${group}.${value}`,
        ]);
      });

    it("answers ads_platform_error to an answer that no rule reads", async () => {
      const odd = { kind: "reply", status: 418, headers: { "Content-Type": "text/html" }, body: "<p>tea</p>" } as const;
      world.ads.fail(odd, odd, odd, odd);
      const { status, body } = await own.tenant.owner.get(`/ads-platform/accounts/${account}/campaigns`);
      expect([status, body.error.code]).to.deep.equal([502, "ads_platform_error"]);
    });

    it("of the provider keep its code and request id, never its text", async () => {
      world.ads.fail(
        refusing(403, { group: "authorizationError", value: "USER_PERMISSION_DENIED", message: "Secret prose" }, "r-7"),
      );
      const { status, body, text } = await get("keywords");
      expect([status, body.error.code]).to.deep.equal([409, "ads_platform_permission"]);
      expect(body.error.details).to.deep.equal({
        provider_error_code: "authorizationError.USER_PERMISSION_DENIED",
        provider_request_id: "r-7",
      });
      expect(text).not.to.include("prose");
    });

    it("shows the account's own zone and currency, and null while they are unknown", async () => {
      const id = await writtenAccount(
        world.service,
        { ...own, customer: world.ads.state.customer({}) },
        { currency_code: null, time_zone: "" },
      );
      world.ads.state.let(own.person.subject, world.ads.state.customers.get(String(1_000_000_002)) as never);
      const { body } = await own.owner.get(`/ads-platform/accounts/${id}/campaigns`);
      expect(body).to.include({ currency: null, account_timezone: null, total_rows: 0 });
    });
  });
});

import { expect } from "chai";
import { type Advertiser, type AdvertisingWorld, advertiser, startAdvertising, writtenAccount } from "./advertising-world.ts";
import { dayBefore, FilledAccount } from "./reads-world.ts";

describe("Records of an advertising account (marketing-ads §3.6)", () => {
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
    account = await writtenAccount(world.service, own, { time_zone: "UTC" });
    filled = new FilledAccount(own.customer);
  });
  afterEach(() => {
    expect([...world.google.complaints, ...world.ads.complaints]).to.deep.equal([]);
  });
  after(() => world.stop());

  const get = (read: string, query = "") => own.owner.get(`/ads-platform/accounts/${account}/${read}${query}`);

  describe("GET conversions", () => {
    beforeEach(() => {
      const action = (id: number, values: object, allConversions: number) => {
        const name = filled.customer.put("conversion_action", `conversionActions/${id}`, { id: String(id), ...values });
        filled.measure("conversion_action", name, { allConversions, allConversionsValue: allConversions * 10 });
      };
      action(1, { name: "Call", status: "HIDDEN" }, 0.125);
      action(
        2,
        {
          name: "Order",
          status: "ENABLED",
          type: "WEBPAGE",
          category: "PURCHASE",
          origin: "WEBSITE",
          primaryForGoal: true,
          countingType: "MANY_PER_CLICK",
          clickThroughLookbackWindowDays: "30",
          viewThroughLookbackWindowDays: "1",
          attributionModelSettings: { attributionModel: "GOOGLE_SEARCH_ATTRIBUTION_DATA_DRIVEN" },
          includeInConversionsMetric: true,
        },
        2.5,
      );
      action(3, { name: "Old", status: "REMOVED" }, 9);
    });

    it("answers how conversions are counted, always with the warning that this is configuration", async () => {
      const { body } = await get("conversions");
      expect(body).to.deep.include({ totals: null, warnings: ["ads.warning.conversions_are_configuration"] });
      expect(body.period.days).to.equal(30);
      expect(body.rows).to.deep.equal([
        {
          conversion_action_id: "2",
          name: "Order",
          status: "ENABLED",
          type: "WEBPAGE",
          category: "PURCHASE",
          origin: "WEBSITE",
          primary_for_goal: true,
          counting_type: "MANY_PER_CLICK",
          click_through_lookback_days: 30,
          view_through_lookback_days: 1,
          attribution_model: "GOOGLE_SEARCH_ATTRIBUTION_DATA_DRIVEN",
          counts_toward_conversions: true,
          all_conversions: 2.5,
          all_conversions_value: 25,
        },
        {
          conversion_action_id: "1",
          name: "Call",
          status: "HIDDEN",
          type: null,
          category: null,
          origin: null,
          primary_for_goal: false,
          counting_type: null,
          click_through_lookback_days: null,
          view_through_lookback_days: null,
          attribution_model: null,
          counts_toward_conversions: false,
          all_conversions: 0.13,
          all_conversions_value: 1.25,
        },
      ]);
      expect((await get("conversions", "?q=ORD")).body.total_rows).to.equal(1);
    });
  });

  describe("GET changes", () => {
    beforeEach(() => {
      const change = (id: number, day: string, values: object) =>
        filled.customer.put("change_event", `changeEvents/${id}~1~1`, { changeDateTime: `${day} 12:00:00.123456`, ...values });
      change(1, dayBefore(5), {
        changeResourceType: "CAMPAIGN",
        changeResourceName: `${own.customer.resourceName}/campaigns/11`,
        resourceChangeOperation: "UPDATE",
        campaign: `${own.customer.resourceName}/campaigns/11`,
        userEmail: "anna@example.com",
        clientType: "GOOGLE_ADS_WEB_CLIENT",
        changedFields: "status,name",
        oldResource: { campaign: { status: "ENABLED", name: "Bread" } },
        newResource: { campaign: { status: "PAUSED", name: "Breads" } },
      });
      change(2, dayBefore(2), {
        changeResourceType: "CAMPAIGN_BUDGET",
        changeResourceName: `${own.customer.resourceName}/campaignBudgets/7`,
        resourceChangeOperation: "CREATE",
        userEmail: "bob@example.com",
        newResource: { campaignBudget: { amountMicros: "5000000" } },
      });
    });

    it("names a new ad by its first headline", async () => {
      const headlines = [{ text: "Fresh rye" }, { text: "Baked today" }];
      filled.customer.put("change_event", "changeEvents/3~1~1", {
        ...{ changeDateTime: `${dayBefore(1)} 12:00:00.123456`, changeResourceType: "AD_GROUP_AD" },
        ...{ changeResourceName: `${own.customer.resourceName}/adGroupAds/21~41`, resourceChangeOperation: "CREATE" },
        newResource: { adGroupAd: { status: "PAUSED", ad: { id: "41", responsiveSearchAd: { headlines } } } },
      });
      const { rows } = (await get("changes", "?period=7d")).body;
      expect([rows[0].changed_name, rows[0].resource_type]).to.deep.equal(["Fresh rye", "AD_GROUP_AD"]);
    });

    it("answers who changed what, newest first, with the days that were read", async () => {
      const { body } = await get("changes", "?period=7d");
      expect(body).to.deep.include({
        totals: null,
        warnings: ["ads.warning.changes_exclude_automation"],
        extra: { effective_period: { from: dayBefore(7), to: dayBefore(1) }, change_event_window_days: 30 },
      });
      expect(body.rows).to.deep.equal([
        {
          changed_at: `${dayBefore(2)} 12:00:00.123456`,
          resource_type: "CAMPAIGN_BUDGET",
          operation: "CREATE",
          changed_resource: `${own.customer.resourceName}/campaignBudgets/7`,
          changed_name: null,
          campaign: null,
          ad_group: null,
          changed_by: "bob@example.com",
          client_type: null,
          changed_fields: [],
        },
        {
          changed_at: `${dayBefore(5)} 12:00:00.123456`,
          resource_type: "CAMPAIGN",
          operation: "UPDATE",
          changed_resource: `${own.customer.resourceName}/campaigns/11`,
          changed_name: "Breads",
          campaign: `${own.customer.resourceName}/campaigns/11`,
          ad_group: null,
          changed_by: "anna@example.com",
          client_type: "GOOGLE_ADS_WEB_CLIENT",
          changed_fields: [
            { field: "status", from: "ENABLED", to: "PAUSED" },
            { field: "name", from: "Bread", to: "Breads" },
          ],
        },
      ]);
      expect((await get("changes", "?q=ANNA")).body.total_rows).to.equal(1);
      expect((await get("changes", "?q=budgets/7")).body.total_rows).to.equal(1);
    });

    it("moves an early start to the days that the provider keeps", async () => {
      const { body } = await get("changes", "?period=90d");
      expect(body.warnings).to.deep.equal(["ads.warning.changes_window_shortened", "ads.warning.changes_exclude_automation"]);
      expect(body.extra.effective_period).to.deep.equal({ from: dayBefore(29), to: dayBefore(1) });
      expect(body.period.days).to.equal(90);
      expect(body.total_rows).to.equal(2);
    });

    it("makes no call for days that are wholly earlier (S4)", async () => {
      const { status, body } = await get("changes", `?date_from=${dayBefore(60)}&date_to=${dayBefore(30)}`);
      expect(status).to.equal(200);
      expect(body).to.deep.include({ rows: [], extra: { effective_period: null, change_event_window_days: 30 } });
      expect(world.ads.calls()).to.deep.equal([]);
    });
  });

  describe("GET recommendations", () => {
    it("answers those not dismissed, with the changes they propose", async () => {
      const put = (id: number, values: object) =>
        filled.customer.put("recommendation", `recommendations/${id}`, { dismissed: false, ...values });
      const campaign = `${own.customer.resourceName}/campaigns/`;
      put(1, {
        type: "KEYWORD",
        campaign: `${campaign}11`,
        adGroup: `${own.customer.resourceName}/adGroups/21`,
        impact: {
          baseMetrics: { impressions: 100, clicks: 4.5, costMicros: "12345678", conversions: 0.333 },
          potentialMetrics: { impressions: 200 },
        },
      });
      put(2, { type: "PERFORMANCE_MAX_OPT_IN", campaigns: [`${campaign}11`, `${campaign}12`] });
      put(3, { type: "KEYWORD", dismissed: true });
      const { body } = await get("recommendations");
      expect(body).to.deep.include({ period: null, totals: null, warnings: [], extra: {}, total_rows: 2 });
      expect(body.rows).to.deep.equal([
        {
          type: "KEYWORD",
          resource_name: `${own.customer.resourceName}/recommendations/1`,
          campaign: `${campaign}11`,
          ad_group: `${own.customer.resourceName}/adGroups/21`,
          base: { impressions: 100, clicks: 4.5, cost: 12.35, conversions: 0.33 },
          potential: { impressions: 200, clicks: 0, cost: 0, conversions: 0 },
        },
        {
          type: "PERFORMANCE_MAX_OPT_IN",
          resource_name: `${own.customer.resourceName}/recommendations/2`,
          campaign: `${campaign}11, ${campaign}12`,
          ad_group: null,
          base: null,
          potential: null,
        },
      ]);
      expect((await get("recommendations", "?q=adgroups/21")).body.total_rows).to.equal(1);
      expect((await get("recommendations", "?q=campaigns/12")).body.total_rows).to.equal(1);
    });
  });

  describe("GET snapshot", () => {
    it("answers the campaigns with their totals, a shared budget counted once", async () => {
      const shared = filled.customer.put("campaign_budget", "campaignBudgets/90", { id: "90", amountMicros: "20500000" });
      filled.campaign(11, "Bread", { costMicros: 1_000_000n, clicks: 2 }, { campaignBudget: shared });
      filled.campaign(12, "Cake", { costMicros: 2_000_000n }, { campaignBudget: shared });
      filled.campaign(13, "Paused", {}, { status: "PAUSED" });
      filled.campaign(14, "Own", {});
      filled.campaign(15, "Gone", { costMicros: 4_000_000n }, { status: "REMOVED" });
      own.customer.values.optimizationScore = 0.75;
      const { status, body } = await get("snapshot", "?period=7d");
      expect(status).to.equal(200);
      expect(body).to.deep.include({
        campaign_count: 4,
        enabled_campaign_count: 3,
        total_daily_budget: 34.5,
        row_count: 4,
        total_rows: 4,
      });
      expect(body.totals).to.include({ cost: 3, clicks: 2, average_cpc: 1.5 });
      expect(body.account_summary).to.deep.include({
        cost: 7,
        clicks: 2,
        average_cpc: 3.5,
        optimization_score: 0.75,
        status: "ENABLED",
      });
      expect(body.period).to.deep.include({ days: 7, token: "7d" });
      expect(body.rows[0]).to.include({ campaign_name: "Cake", daily_budget: 20.5 });
    });

    it("of an account without campaigns has no budget", async () => {
      const { body } = await get("snapshot");
      expect(body).to.deep.include({ campaign_count: 0, enabled_campaign_count: 0, total_daily_budget: null, rows: [] });
      expect(body.account_summary).to.include({ cost: 0, ctr: null });
    });
  });
});

import { expect } from "chai";
import { execute } from "../../simulators/google-ads/execute.ts";
import { readGaql } from "../../simulators/google-ads/gaql.ts";
import { AdsState } from "../../simulators/google-ads/state.ts";

describe("the simulated Google Ads", () => {
  const state = new AdsState();
  const customer = state.customer({ descriptiveName: "Bakery" });
  const budget = customer.put("campaign_budget", "campaignBudgets/5", { id: "5", amountMicros: "1000000" });
  const bread = customer.put("campaign", "campaigns/1", {
    id: "1",
    name: "Bread's best",
    status: "ENABLED",
    campaignBudget: budget,
  });
  const cake = customer.put("campaign", "campaigns/2", { id: "2", name: "Cake AND pie", status: "PAUSED" });
  const group = customer.put("ad_group", "adGroups/7", { id: "7", name: "Group", campaign: bread });
  for (const [of, date, device, clicks, costMicros] of [
    [bread, "2026-08-01", "MOBILE", 3, 9_007_199_254_740_993n],
    [bread, "2026-08-01", "DESKTOP", 4, 1n],
    [bread, "2026-08-02", "MOBILE", 5, 2n],
    [cake, "2026-08-02", "MOBILE", 7, 3n],
  ] as const)
    customer.measured("campaign", of, { date, device }, { clicks, costMicros, conversions: 0.5 });

  const ask = (query: string) => execute(customer, readGaql(query));
  const DAYS = "segments.date BETWEEN '2026-08-01' AND '2026-08-02'";

  it("selects fields with the names of their objects, and those of other objects", () => {
    expect(
      ask("SELECT ad_group.name, campaign.id, campaign_budget.amount_micros, customer.descriptive_name FROM ad_group"),
    ).to.deep.equal([
      {
        adGroup: { resourceName: group, name: "Group" },
        campaign: { resourceName: bread, id: "1" },
        campaignBudget: { resourceName: budget, amountMicros: "1000000" },
        customer: { resourceName: customer.resourceName, descriptiveName: "Bakery" },
      },
    ]);
  });

  it("adds exactly the measured values, by the selected segments", () => {
    expect(
      ask(`SELECT campaign.id, metrics.clicks, metrics.cost_micros FROM campaign WHERE ${DAYS} ORDER BY campaign.id`),
    ).to.deep.equal([
      { campaign: { resourceName: bread, id: "1" }, metrics: { clicks: "12", costMicros: "9007199254740996" } },
      { campaign: { resourceName: cake, id: "2" }, metrics: { clicks: "7", costMicros: "3" } },
    ]);
    expect(
      ask(`SELECT segments.date, metrics.clicks, metrics.conversions FROM customer WHERE ${DAYS} ORDER BY segments.date`),
    ).to.deep.equal([
      { segments: { date: "2026-08-01" }, metrics: { clicks: "7", conversions: 1 } },
      { segments: { date: "2026-08-02" }, metrics: { clicks: "12", conversions: 1 } },
    ]);
    expect(ask("SELECT segments.date, metrics.clicks FROM campaign WHERE segments.date = '2020-01-01'")).to.deep.equal([]);
    expect(ask("SELECT campaign.id, metrics.clicks FROM campaign WHERE segments.date = '2020-01-01' LIMIT 1")).to.deep.equal([
      { campaign: { resourceName: bread, id: "1" }, metrics: { clicks: "0" } },
    ]);
  });

  const conditions: [string, string[]][] = [
    ["campaign.status = 'ENABLED'", ["1"]],
    ["campaign.status != 'ENABLED'", ["2"]],
    ["campaign.status IN ('ENABLED', 'PAUSED')", ["1", "2"]],
    ["campaign.status NOT IN ('REMOVED')", ["1", "2"]],
    ["campaign.id > 1", ["2"]],
    ["campaign.name LIKE '%AND%' AND campaign.id >= 2", ["2"]],
    ["campaign.name = 'Bread\\'s best'", ["1"]],
    ["campaign.campaign_budget IS NULL", ["2"]],
    [`metrics.clicks > 7 AND ${DAYS}`, ["1"]],
  ];
  for (const [where, ids] of conditions)
    it(`filters by ${where}`, () => {
      const found = ask(`SELECT campaign.id FROM campaign WHERE ${where} ORDER BY campaign.id`);
      expect(found.map(({ campaign }) => (campaign as { id: string }).id)).to.deep.equal(ids);
    });

  it("orders by unselected fields, downwards, and cuts", () => {
    const found = ask(`SELECT campaign.id FROM campaign WHERE ${DAYS} ORDER BY metrics.cost_micros DESC LIMIT 1`);
    expect(found).to.deep.equal([{ campaign: { resourceName: bread, id: "1" } }]);
  });
});

import { expect } from "chai";
import { budgetQuery, criteriaQuery, listQuery } from "../../../integrations/advertising/writes/gate/current.ts";
import { amountOf, microsOf } from "../../../integrations/advertising/writes/requests/amounts.ts";
import { appliedOperations, readBackQueries } from "../../../integrations/advertising/writes/settling/read-back.ts";
import { checkGaql } from "../../simulators/descriptions/check-request.mjs";

const at = (name: string) => `customers/1/${name}`;
const NONE = new Set<string>();
const budget = (id: string, values: object) => ({
  campaignBudget: { resourceName: at(`campaignBudgets/${id}`), status: "ENABLED", ...values },
});
const COLLECTIONS = [
  ["campaignBudgets", {}, "campaignBudgets/1"],
  ["campaigns", {}, "campaigns/1"],
  ["adGroups", { campaign: at("campaigns/1") }, "adGroups/1"],
  ["adGroupAds", { adGroup: at("adGroups/1") }, "adGroupAds/1~2"],
  ["adGroupCriteria", { adGroup: at("adGroups/1") }, "adGroupCriteria/1~2"],
  ["campaignCriteria", { campaign: at("campaigns/1") }, "campaignCriteria/1~2"],
  ["sharedCriteria", { sharedSet: at("sharedSets/1") }, "sharedCriteria/1~2"],
  ["sharedSets", {}, "sharedSets/1"],
  ["campaignSharedSets", { sharedSet: at("sharedSets/1"), campaign: at("campaigns/2") }, "campaignSharedSets/2~1"],
] as const;

describe("reading a write back (marketing-ads §3.10)", () => {
  for (const [collection, created, name] of COLLECTIONS)
    it(`asks the provider for ${collection} in a query that it takes, with no text of a caller in it`, () => {
      const nasty = "x' OR campaign.id = 1";
      const operations = [
        { create: { ...created, name: nasty, keyword: { text: nasty, matchType: "EXACT" } } },
        { remove: at(name) },
        { update: { resourceName: at(name), name: nasty }, updateMask: "name" },
      ];
      for (const some of [operations.slice(0, 1), operations.slice(1, 2), operations.slice(1)])
        for (const text of readBackQueries(collection, some)) {
          expect(checkGaql(text).problems, text).to.deep.equal([]);
          expect(text).to.not.include("OR campaign");
        }
    });

  it("reads the state before a change in queries that the provider accepts", () => {
    const queries = [
      budgetQuery("7"),
      listQuery("7"),
      ...(["campaign", "ad_group", "shared_set"] as const).map((level) => criteriaQuery(level, "2", ["3", "4"])),
    ];
    for (const text of queries) expect(checkGaql(text).problems, text).to.deep.equal([]);
  });

  it("identifies a new object by its name and values, the newest first, and never one of another write", () => {
    const create = { create: { name: "Summer", amountMicros: "5000000" } };
    const rows = [
      budget("9", { name: "Summer", amountMicros: "5000000" }),
      budget("10", { name: "Summer", amountMicros: "5000000" }),
      budget("11", { name: "Summer", amountMicros: "6000000" }),
      budget("12", { name: "summer", amountMicros: "5000000" }),
      budget("13", { name: "Summer", amountMicros: "5000000", status: "REMOVED" }),
    ];
    expect(appliedOperations("campaignBudgets", [create], rows, NONE)).to.deep.equal([at("campaignBudgets/10")]);
    expect(appliedOperations("campaignBudgets", [create, create, create], rows, NONE)).to.deep.equal([
      at("campaignBudgets/10"),
      at("campaignBudgets/9"),
      null,
    ]);
    expect(
      appliedOperations("campaignBudgets", [create], rows, new Set([at("campaignBudgets/10"), at("campaignBudgets/9")])),
    ).to.deep.equal([null]);
  });

  it("identifies a change by all of its values, and a removal by the absence of the object", () => {
    const name = at("campaignBudgets/9");
    const update = { update: { resourceName: name, name: "B", amountMicros: "5000000" }, updateMask: "name,amountMicros" };
    const applied = (row: object, operation: object) =>
      appliedOperations("campaignBudgets", [operation], [budget("9", row)], NONE)[0];
    expect(applied({ name: "B", amountMicros: "5000000" }, update)).to.equal(name);
    expect(applied({ name: "B", amountMicros: "4000000" }, update)).to.equal(null);
    expect(applied({ name: "B" }, { remove: name })).to.equal(null);
    expect(applied({ status: "REMOVED" }, { remove: name })).to.equal(name);
    expect(appliedOperations("campaignBudgets", [{ remove: name }], [], NONE)).to.deep.equal([name]);
  });

  it("counts in millionths exactly, and refuses smaller fractions", () => {
    expect([microsOf(0.29), microsOf(1.15), microsOf("1000000000"), microsOf(0.0000001), microsOf(-1.5)]).to.deep.equal([
      "290000",
      "1150000",
      "1000000000000000",
      null,
      "-1500000",
    ]);
    expect(amountOf("290000").toFixed()).to.equal("0.29");
  });
});

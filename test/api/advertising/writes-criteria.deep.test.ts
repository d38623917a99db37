import { expect } from "chai";
import { AdvertisedAccount, sentWrites, startWrites, type WritesWorld } from "./writes-world.ts";

const INVALID = "errors.validation";

describe("keywords and negatives by their ids at the provider (marketing-ads §3.8, §3.10)", () => {
  let world: WritesWorld;
  let account: AdvertisedAccount;
  before(async () => {
    world = await startWrites();
  });
  beforeEach(async () => {
    world.reset();
    account = await AdvertisedAccount.make(world);
  });
  afterEach(() => expect([...world.google.complaints, ...world.ads.complaints]).to.deep.equal([]));
  after(() => world.stop());

  it("changes no criterion of another kind by its id: a keyword is no negative, an audience or a location neither", async () => {
    const at = (name: string) => `customers/${account.customerId}/${name}`;
    const { customer } = account.own;
    customer.put("ad_group_criterion", "adGroupCriteria/3~80", {
      ...{ criterionId: "80", type: "USER_LIST", status: "ENABLED", negative: false, adGroup: at("adGroups/3") },
    });
    customer.put("campaign_criterion", "campaignCriteria/2~81", {
      ...{ criterionId: "81", type: "LOCATION", status: "ENABLED", negative: false, campaign: at("campaigns/2") },
    });
    customer.put("campaign_criterion", "campaignCriteria/2~82", {
      ...{ criterionId: "82", type: "LOCATION", status: "ENABLED", negative: true, campaign: at("campaigns/2") },
    });
    const cases: [method: string, tail: string, body: object, field: string][] = [
      ["PATCH", "keywords", { ad_group_id: "3", criterion_id: "6", status: "PAUSED" }, "criterion_id"],
      ["PATCH", "keywords", { ad_group_id: "3", criterion_id: "80", cpc_bid: 0.1 }, "criterion_id"],
      ["POST", "keywords/remove", { ad_group_id: "3", criterion_ids: ["5", "6"] }, "criterion_ids"],
      ["POST", "keywords/remove", { ad_group_id: "3", criterion_ids: ["80"] }, "criterion_ids"],
      ["POST", "negatives/remove", { level: "ad_group", parent_id: "3", criterion_ids: ["5"] }, "criterion_ids"],
      ["POST", "negatives/remove", { level: "ad_group", parent_id: "3", criterion_ids: ["6", "80"] }, "criterion_ids"],
      ["POST", "negatives/remove", { parent_id: "2", criterion_ids: ["81"] }, "criterion_ids"],
      ["POST", "negatives/remove", { parent_id: "2", criterion_ids: ["82"] }, "criterion_ids"],
    ];
    for (const [method, tail, body, field] of cases)
      for (const validate_only of [false, true])
        expect([body, ...(await account.refused(method, tail, { ...body, validate_only }))]).to.deep.equal([
          body,
          "validation",
          { [field]: INVALID },
          {},
        ]);
    expect(await account.decisions()).to.deep.equal([]);
    const unknown = await account.call("POST", "negatives/remove", { parent_id: "2", criterion_ids: ["404"] });
    expect([unknown.status, unknown.body.results[0].error_code], "the provider says so").to.deep.equal([
      200,
      "mutateError.RESOURCE_NOT_FOUND",
    ]);
  });

  it("finds only lists of negatives among the shared sets, and removes no other type", async () => {
    account.own.customer.put("shared_set", "sharedSets/8", {
      ...{ id: "8", name: "Sites", status: "ENABLED", type: "NEGATIVE_PLACEMENTS" },
    });
    for (const query of ["", "?validate_only=true"]) {
      const { status, body } = await account.call("DELETE", `negative-lists/8${query}`);
      expect([status, body.error.code, sentWrites(world)]).to.deep.equal([404, "not_found", []]);
    }
    const unknown = await account.call("DELETE", "negative-lists/404");
    expect([unknown.status, unknown.body.error.details.provider_error_code], "the provider says so").to.deep.equal([
      422,
      "mutateError.RESOURCE_NOT_FOUND",
    ]);
  });

  it("refuses a keyword's bid against the policy before any call, without a connection too", async () => {
    await account.policy({ max_cpc: 1 });
    const bid = { ad_group_id: "3", criterion_id: "5", cpc_bid: 2 };
    expect((await account.refused("PATCH", "keywords", bid))[0]).to.equal("ads_platform_bid_over_ceiling");
    expect(world.ads.received, "nobody was called").to.deep.equal([]);
    const connect = (id: string | null) =>
      world.service.sql.query("update ads_accounts set connection_id = $2 where id = $1", [account.id, id]);
    await connect(null);
    expect((await account.refused("PATCH", "keywords", bid))[0]).to.equal("ads_platform_bid_over_ceiling");
    await connect(account.own.connectionId);
  });
});

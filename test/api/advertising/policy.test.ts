import { expect } from "chai";
import { startService, type Tenant, type TestService } from "../../support/service.ts";

const NOTHING = {
  protected_terms: [],
  banned_phrases: [],
  always_exclude: [],
  max_daily_budget: null,
  max_budget_increase_pct: null,
  max_cpc: null,
  waste_min_cost: null,
  waste_min_clicks: null,
  steering: "",
  ad_copy_rules: "",
};
const BUILT_IN = {
  protected_terms: [],
  banned_phrases: [],
  always_exclude: [],
  max_daily_budget: null,
  max_budget_increase: 1,
  max_cpc: null,
  waste_min_cost: null,
  waste_min_clicks: null,
  agency_steering: "",
  account_steering: "",
  agency_ad_copy_rules: "",
  account_ad_copy_rules: "",
};
const HOUSE = "/ads-platform/policy";

describe("policies of advertising over the API (marketing-ads §3.8)", () => {
  let service: TestService;
  let tenant: Tenant;
  let account: string;
  let own: string;
  before(async () => {
    service = await startService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    const values = [tenant.organisation.id];
    const text = `insert into ads_accounts (id, organisation_id, customer_id, descriptive_name) values (gen_random_uuid(), $1, '1', 'A') returning id`;
    account = (await service.sql.query(text, values)).rows[0].id;
    own = `/ads-platform/accounts/${account}/policy`;
  });
  after(() => service.stop());

  const lines = async () =>
    (
      await service.sql.query(
        "select entity_type, action, payload from activity where organisation_id = $1 and action like 'ads.%' order by created_at, id",
        [tenant.organisation.id],
      )
    ).rows;

  it("of all accounts is read, and not changed, by a member who sees some clients only", async () => {
    const restricted = await tenant.member("admin");
    await tenant.group("Some", [(await tenant.company()).id], [restricted.membershipId]);
    await tenant.owner.put(HOUSE, { max_cpc: 2 });
    for (const { status } of [await restricted.put(HOUSE, { max_cpc: 9 }), await restricted.delete(HOUSE)])
      expect(status).to.equal(403);
    expect((await restricted.get(HOUSE)).body.max_cpc).to.equal(2);
  });

  it("reads the built-in values if none are stored", async () => {
    expect((await tenant.owner.get(HOUSE)).body).to.deep.equal({
      account_id: null,
      stored: false,
      ...NOTHING,
      resolved: BUILT_IN,
    });
    expect((await tenant.owner.get(own)).body).to.deep.equal({
      account_id: account,
      stored: false,
      ...NOTHING,
      resolved: BUILT_IN,
    });
  });

  it("keeps absent fields, lets null inherit, and resolves the account over the organisation", async () => {
    await tenant.owner.put(HOUSE, {
      protected_terms: [" Brood ", "brood", "Taart"],
      max_daily_budget: 50.5,
      steering: "house",
      max_cpc: 2,
    });
    const first = await tenant.owner.put(own, {
      protected_terms: ["Cake"],
      max_cpc: 0.1,
      waste_min_clicks: 3,
      ad_copy_rules: "short",
    });
    expect([first.status, first.body.stored, first.body.max_cpc]).to.deep.equal([200, true, 0.1]);
    const { body } = await tenant.owner.put(own, { max_cpc: null, steering: "account" });
    expect([body.protected_terms, body.max_cpc, body.waste_min_clicks]).to.deep.equal([["cake"], null, 3]);
    expect(body.resolved).to.deep.equal({
      ...BUILT_IN,
      protected_terms: ["brood", "taart", "cake"],
      max_daily_budget: 50.5,
      max_cpc: 2,
      waste_min_clicks: 3,
      agency_steering: "house",
      account_steering: "account",
      account_ad_copy_rules: "short",
    });
    expect((await tenant.owner.put(own, { protected_terms: null, steering: null })).body).to.deep.include({
      protected_terms: [],
      steering: "",
    });
  });

  it("drops a policy and answers with what holds then", async () => {
    await tenant.owner.put(HOUSE, { max_cpc: 2 });
    await tenant.owner.put(own, { max_cpc: 1 });
    const { status, body } = await tenant.owner.delete(own);
    expect([status, body.stored, body.max_cpc, body.resolved.max_cpc]).to.deep.equal([200, false, null, 2]);
    expect((await tenant.owner.delete(own)).status, "again").to.equal(200);
    expect((await tenant.owner.delete(HOUSE)).body).to.deep.equal({
      account_id: null,
      stored: false,
      ...NOTHING,
      resolved: BUILT_IN,
    });
  });

  it("refuses wrong values on their fields", async () => {
    const refused = async (body: object) => (await tenant.owner.put(HOUSE, body)).body.error.fields;
    expect(await refused({ max_cpc: -1, waste_min_clicks: 1.5 })).to.deep.equal({
      max_cpc: "errors.validation",
      waste_min_clicks: "errors.validation",
    });
    expect(await refused({ protected_terms: ["x".repeat(81)] })).to.deep.equal({ protected_terms: "errors.validation" });
    expect(await refused({ steering: "x".repeat(8001) })).to.deep.equal({ steering: "errors.validation" });
  });

  it("notes which values changed, once, and nothing where nothing did", async () => {
    await tenant.owner.put(own, { max_cpc: 1.5, protected_terms: ["a"] });
    await tenant.owner.put(own, { max_cpc: 1.5, protected_terms: ["A "] });
    await tenant.owner.put(HOUSE, { steering: "secret plans" });
    await tenant.owner.delete(own);
    expect(await lines()).to.deep.equal([
      { entity_type: "ads_account", action: "ads.policy_changed", payload: { changed: ["protected_terms", "max_cpc"] } },
      { entity_type: "ads_policy", action: "ads.policy_changed", payload: { changed: ["steering"] } },
      { entity_type: "ads_account", action: "ads.policy_removed", payload: { changed: [] } },
    ]);
  });

  it("stores nothing for a request without values", async () => {
    const { status, body } = await tenant.owner.put(own, {});
    expect([status, body.stored, await lines()]).to.deep.equal([200, false, []]);
  });

  it("writes over no state that the caller has not seen", async () => {
    const { headers } = await tenant.owner.get(HOUSE);
    const tag = { headers: { "If-Match": String(headers["etag"]) } };
    expect((await tenant.owner.put(HOUSE, { max_cpc: 1 }, tag)).status).to.equal(200);
    expect((await tenant.owner.put(HOUSE, { max_cpc: 2 }, tag)).status).to.equal(412);
  });

  it("is for those who manage policies, in their organisation", async () => {
    expect((await (await tenant.member("member")).get(HOUSE)).status).to.equal(403);
    expect((await (await service.tenant()).owner.get(own)).status).to.equal(404);
  });
});

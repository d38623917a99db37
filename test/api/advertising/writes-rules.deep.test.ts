import { expect } from "chai";
import { AdvertisedAccount, sentWrites, startWrites, type WritesWorld } from "./writes-world.ts";

const INVALID = "errors.validation";
const NOTHING = "errors.ads_platform_nothing_to_change";

describe("rules of writes at the advertising provider (marketing-ads §3.8, §3.10)", () => {
  let world: WritesWorld;
  let account: AdvertisedAccount;
  before(async () => {
    world = await startWrites();
    world.reset();
    account = await AdvertisedAccount.make(world);
  });
  beforeEach(async () => {
    world.mutations.reset();
    world.ads.received.length = 0;
    await account.own.owner.delete(account.path("policy"));
    await world.service.sql.query("delete from ads_decisions");
  });
  afterEach(() => expect([...world.google.complaints, ...world.ads.complaints]).to.deep.equal([]));
  after(() => world.stop());

  const keywords = (count: number) => Array.from({ length: count }, (_, n) => ({ text: `word ${n}` }));
  const ids = (count: number) => Array.from({ length: count }, (_, n) => String(n + 1));
  const AD = {
    ad_group_id: "3",
    headlines: ["One", "Two", "Three"],
    descriptions: ["First.", "Second."],
    final_urls: ["https://bakery.example/"],
  };

  it("refuses each wrong shape with its field, before any call", async () => {
    const key = (name: string) => `errors.ads_platform_${name}`;
    const many = key("too_many_operations");
    const cases: [method: string, tail: string, body: unknown, fields: Record<string, string>][] = [
      ["POST", "budgets", { name: "B", amount: 1.0000001 }, { amount: INVALID }],
      ["POST", "budgets", { amount: 1 }, { name: "errors.required" }],
      ["POST", "budgets", { name: " ", amount: 1 }, { name: INVALID }],
      ["PATCH", "budgets/1", { name: "\u00a0" }, { name: INVALID }],
      ["POST", "campaigns", { name: " ", budget_id: "1" }, { name: INVALID }],
      ["POST", "ad-groups", { name: " ", campaign_id: "2" }, { name: INVALID }],
      ["POST", "negative-lists", { name: " " }, { name: INVALID }],
      ["PATCH", "budgets/1", {}, { amount: NOTHING }],
      ["PATCH", "budgets/1", { amount: null }, { amount: INVALID }],
      ["PATCH", "budgets/one", { amount: 1 }, { budget_id: INVALID }],
      ["POST", "campaigns", { name: "C", budget_id: "1", channel: "SMOKE" }, { channel: INVALID }],
      ["POST", "campaigns", { name: "C", budget_id: "1' OR 1" }, { budget_id: INVALID }],
      ["PATCH", "campaigns/2", {}, { status: NOTHING }],
      ["PATCH", "campaigns/2", { status: "ON" }, { status: key("status_invalid") }],
      ["PATCH", "campaigns/2", { status: "" }, { status: key("status_invalid") }],
      ["PATCH", "ads", { ad_group_id: "3", ad_id: "4", status: " " }, { status: key("status_invalid") }],
      ["PATCH", "campaigns/2", { status: "removed", name: "X" }, { status: key("status_removed") }],
      ["PATCH", "ad-groups/3", {}, { status: NOTHING }],
      ["PATCH", "ad-groups/3", { status: "REMOVED", cpc_bid: 1 }, { status: key("status_removed") }],
      ["PATCH", "ads", { ad_group_id: "3", ad_id: "4", status: "REMOVED" }, { status: key("status_removed") }],
      ["PATCH", "keywords", { ad_group_id: "3", criterion_id: "5", status: "REMOVED" }, { status: key("status_removed") }],
      ["PATCH", "keywords", { ad_group_id: "3", criterion_id: "5" }, { status: NOTHING }],
      ["POST", "keywords", { ad_group_id: "3", keywords: [] }, { keywords: INVALID }],
      ["POST", "keywords", { ad_group_id: "3", keywords: [{ text: "x".repeat(81) }] }, { text: INVALID }],
      ["POST", "keywords", { ad_group_id: "3", keywords: [{ text: "x", match_type: "FUZZY" }] }, { match_type: INVALID }],
      ["POST", "keywords", { ad_group_id: "3", keywords: [{ text: "x" }, { text: " " }] }, { text: "errors.required" }],
      ["POST", "keywords", { ad_group_id: "3", keywords: keywords(201) }, { operations: many }],
      ["POST", "keywords/remove", { ad_group_id: "3", criterion_ids: ids(201) }, { operations: many }],
      ["POST", "negatives", { parent_id: "2" }, { terms: "errors.required" }],
      [
        "POST",
        "negatives",
        { parent_id: "2", level: "account", terms: [{ text: "x" }] },
        { level: key("negative_level_invalid") },
      ],
      ["POST", "negatives", { parent_id: "2", terms: [{ text: "x", match_type: "FUZZY" }] }, { match_type: INVALID }],
      ["POST", "negatives", { parent_id: "2", terms: [{ text: "  " }] }, { text: "errors.required" }],
      ["POST", "negatives", { parent_id: "2", terms: keywords(201) }, { operations: many }],
      [
        "POST",
        "negatives/remove",
        { parent_id: "2", level: "x", criterion_ids: ["6"] },
        { level: key("negative_level_invalid") },
      ],
      ["POST", "negative-lists", { name: "L", campaign_ids: ids(101) }, { campaign_ids: INVALID }],
      ["POST", "ads", { ...AD, headlines: ["One", "Two"] }, { headlines: key("ad_headline_count") }],
      ["POST", "ads", { ...AD, headlines: keywords(16).map(({ text }) => text) }, { headlines: key("ad_headline_count") }],
      ["POST", "ads", { ...AD, headlines: ["One", "Two", "x".repeat(31)] }, { headlines: key("ad_headline_length") }],
      ["POST", "ads", { ...AD, descriptions: ["One"] }, { descriptions: key("ad_description_count") }],
      ["POST", "ads", { ...AD, descriptions: ["One", "x".repeat(91)] }, { descriptions: key("ad_description_length") }],
      ["POST", "ads", { ...AD, final_urls: ["ftp://bakery.example"] }, { final_urls: key("ad_final_url") }],
      [
        "POST",
        "ads",
        { ...AD, headlines: [], final_urls: [] },
        { headlines: key("ad_headline_count"), final_urls: key("ad_final_url") },
      ],
      ["POST", "ads", { ...AD, path1: "x".repeat(16) }, { path1: INVALID }],
    ];
    for (const [method, tail, body, fields] of cases)
      expect([tail, body, ...(await account.refused(method, tail, body))]).to.deep.equal([tail, body, "validation", fields, {}]);
    expect(world.ads.received).to.deep.equal([]);
  });

  it("refuses changes against the policy, with the field, the limit and the obstacle", async () => {
    await account.policy({ max_daily_budget: 30, max_budget_increase_pct: 0.5, max_cpc: 1, banned_phrases: ["Number  One"] });
    const cases: [method: string, tail: string, body: unknown, code: string, field: string, details: object][] = [
      ["POST", "budgets", { name: "B", amount: -1 }, "budget_negative", "amount", {}],
      ["POST", "budgets", { name: "B", amount: 30.01 }, "budget_over_ceiling", "amount", { limit: 30 }],
      ["PATCH", "budgets/1", { amount: 15.01 }, "budget_increase_too_large", "amount", { limit: 15 }],
      ["PATCH", "budgets/1", { amount: 31 }, "budget_over_ceiling", "amount", { limit: 30 }],
      ["POST", "ad-groups", { name: "A", campaign_id: "2", cpc_bid: 1.01 }, "bid_over_ceiling", "cpc_bid", { limit: 1 }],
      ["PATCH", "ad-groups/3", { cpc_bid: -0.01 }, "bid_negative", "cpc_bid", {}],
      ["PATCH", "keywords", { ad_group_id: "3", criterion_id: "5", cpc_bid: 2 }, "bid_over_ceiling", "cpc_bid", { limit: 1 }],
      [
        "POST",
        "ads",
        { ...AD, headlines: ["We are number one", "b", "c"] },
        "banned_phrase",
        "headlines",
        { blocks: "number one" },
      ],
      ["POST", "ads", { ...AD, descriptions: ["NUMBER ONE!", "b"] }, "banned_phrase", "descriptions", { blocks: "number one" }],
      ["POST", "ads", { ...AD, path1: "number_one" }, "banned_phrase", "path1", { blocks: "number one" }],
      ["POST", "ads", { ...AD, path2: "Ｎumber-Оne" }, "banned_phrase", "path2", { blocks: "number one" }],
    ];
    for (const [method, tail, body, code, field, details] of cases)
      expect([tail, ...(await account.refused(method, tail, body))]).to.deep.equal([
        tail,
        `ads_platform_${code}`,
        { [field]: `errors.ads_platform_${code}` },
        details,
      ]);
    expect((await account.call("PATCH", "budgets/1", { amount: 15 })).status, "as far as it goes").to.equal(200);
    expect((await account.call("PATCH", "budgets/1", { amount: 10 })).status, "down again").to.equal(200);
  });

  it("skips rows of a batch that the policy does not allow, and sends the others", async () => {
    await account.policy({ max_cpc: 1, protected_terms: ["fresh bread"] });
    const words = await account.call("POST", "keywords", {
      ad_group_id: "3",
      keywords: [
        { text: "a", cpc_bid: 2 },
        { text: "b", cpc_bid: 1 },
        { text: "c", cpc_bid: -1 },
      ],
    });
    expect([words.status, words.body.requested, words.body.applied]).to.deep.equal([201, 3, 1]);
    expect(words.body.skipped).to.deep.equal([
      { subject: "a", reason: "errors.ads_platform_bid_over_ceiling", blocks: null, limit: 1 },
      { subject: "c", reason: "errors.ads_platform_bid_negative", blocks: null, limit: null },
    ]);
    expect(
      words.body.results.map(({ index }: { index: number }) => index),
      "its place in the request",
    ).to.deep.equal([1]);
    const terms = [{ text: "bread", match_type: "BROAD" }, { text: "stale bread" }, { text: "Fresh Bread", match_type: "EXACT" }];
    const negatives = await account.call("POST", "negatives", { parent_id: "2", terms });
    expect(negatives.body.skipped).to.deep.equal([
      { subject: "bread", reason: "errors.ads_platform_protected_term", blocks: "fresh bread", limit: null },
      { subject: "Fresh Bread", reason: "errors.ads_platform_protected_term", blocks: "fresh bread", limit: null },
    ]);
    expect([negatives.body.applied, (await account.activity()).at(-1)]).to.deep.equal([
      1,
      ["ads.negatives_added", { resource: "campaign_criterion", applied: 1, requested: 3, skipped: 2 }],
    ]);
  });

  it("makes no call where every row is skipped", async () => {
    await account.policy({ protected_terms: ["bread"] });
    const { status, body } = await account.call("POST", "negatives", { parent_id: "2", terms: [{ text: "bread" }] });
    expect([status, body.applied, body.requested, body.results, world.ads.received]).to.deep.equal([201, 0, 1, [], []]);
  });

  it("warns where a list of the policy has more terms than are applied", async () => {
    const terms = (from: number) => Array.from({ length: 300 }, (_, n) => `term ${from + n}`);
    await account.policy({ protected_terms: terms(0) });
    await account.own.owner.put("/ads-platform/policy", { protected_terms: terms(300) });
    const { body } = await account.call("POST", "budgets", { name: "Capped", amount: 1, validate_only: true });
    await account.own.owner.delete("/ads-platform/policy");
    expect(body.warnings).to.deep.equal(["ads.warning.policy_terms_capped", "ads.warning.validated_not_applied"]);
  });

  it("sends amounts exactly, creates everything paused, and declares political advertising (trap S23)", async () => {
    await account.call("POST", "budgets", { name: "Exact", amount: 0.29 });
    await account.call("POST", "campaigns", {
      name: "Declared",
      budget_id: "11",
      eu_political_advertising: true,
      target_content_network: true,
    });
    await account.call("POST", "ad-groups", { name: "Exact", campaign_id: "2", cpc_bid: 1.15 });
    const [budget, campaign, group] = sentWrites(world).map(({ operations }) => operations[0].create);
    expect(budget).to.deep.equal({ name: "Exact", amountMicros: "290000", deliveryMethod: "STANDARD", explicitlyShared: false });
    expect(campaign).to.deep.equal({
      name: "Declared",
      status: "PAUSED",
      advertisingChannelType: "SEARCH",
      campaignBudget: `customers/${account.customerId}/campaignBudgets/11`,
      networkSettings: {
        targetGoogleSearch: true,
        targetSearchNetwork: true,
        targetContentNetwork: true,
        targetPartnerSearchNetwork: false,
      },
      containsEuPoliticalAdvertising: "CONTAINS_EU_POLITICAL_ADVERTISING",
      targetSpend: {},
    });
    expect([group.cpcBidMicros, group.status, group.type]).to.deep.equal(["1150000", "PAUSED", "SEARCH_STANDARD"]);
  });

  it("removes a campaign by its status alone, and names changed fields alone in the mask (trap S23)", async () => {
    const { customerId } = account;
    await account.call("POST", "campaigns", { name: "Gone", budget_id: "11" });
    const made = world.mutations.carried.at(-1)?.resourceName ?? "";
    const id = made.split("/").at(-1);
    const removed = await account.call("PATCH", `campaigns/${id}`, { status: "Removed" });
    await account.call("PATCH", "ad-groups/3", { status: "enabled", name: "Rye bread", cpc_bid: 0.5 });
    expect([removed.status, sentWrites(world)[1].operations]).to.deep.equal([200, [{ remove: made }]]);
    expect(sentWrites(world)[2].operations).to.deep.equal([
      {
        update: {
          resourceName: `customers/${customerId}/adGroups/3`,
          status: "ENABLED",
          name: "Rye bread",
          cpcBidMicros: "500000",
        },
        updateMask: "status,name,cpcBidMicros",
      },
    ]);
    await account.call("PATCH", "keywords", { ad_group_id: "3", criterion_id: "5", cpc_bid: 0.5 });
    expect(sentWrites(world)[3].operations[0].updateMask).to.equal("cpcBidMicros");
    expect((await account.activity()).slice(-3).map(([action]) => action)).to.deep.equal([
      "ads.campaign_removed",
      "ads.ad_group_changed",
      "ads.keyword_changed",
    ]);
  });

  it("reads a budget before it is changed: 404 without it, a warning where several campaigns spend it", async () => {
    expect(await account.refused("PATCH", "budgets/404", { amount: 1 })).to.deep.equal(["not_found", {}, {}]);
    const { body } = await account.call("PATCH", "budgets/12", { amount: 12, name: "Shared by three" });
    expect(body.warnings).to.deep.equal(["ads.warning.shared_budget"]);
    const [decision] = await account.decisions();
    expect(decision?.["payload"]).to.deep.equal({
      from: 10,
      to: 12,
      name: { from: "Shared", to: "Shared by three" },
      campaigns_affected: 3,
      id: "12",
      resource_name: `customers/${account.customerId}/campaignBudgets/12`,
    });
  });

  it("leaves the refusal of a budget in use to the provider", async () => {
    const { status, body } = await account.call("DELETE", "budgets/1");
    expect([status, body.error.code, body.error.details.provider_error_code]).to.deep.equal([
      422,
      "ads_platform_request",
      "campaignBudgetError.CAMPAIGN_BUDGET_IN_USE",
    ]);
  });

  it("keeps the rows that the provider took, and names the refused ones by their place", async () => {
    world.mutations.refuse((_, __, index) =>
      index === 1 ? { group: "criterionError", value: "KEYWORD_HAS_INVALID_CHARS", message: "no such sign" } : null,
    );
    const body = { ad_group_id: "3", keywords: [{ text: "one" }, { text: "two!" }, { text: "three" }] };
    const answer = await account.call("POST", "keywords", body);
    expect([answer.status, answer.body.applied, answer.body.requested]).to.deep.equal([201, 2, 3]);
    expect(answer.body.results[1]).to.deep.equal({
      index: 1,
      ok: false,
      resource_name: null,
      error_code: "criterionError.KEYWORD_HAS_INVALID_CHARS",
      message: "no such sign",
    });
    expect((await account.decisions()).map(({ subject }) => subject)).to.deep.equal(["three", "one"]);
    expect(sentWrites(world)[0].partialFailure).to.equal(true);
  });

  it("blames no operation if the provider names none (trap P25)", async () => {
    world.mutations.refuseWithoutIndex({ group: "criterionError", value: "INVALID_KEYWORD_TEXT" });
    const { status, body } = await account.call("POST", "keywords", { ad_group_id: "3", keywords: keywords(3) });
    expect([status, body.applied, body.warnings]).to.deep.equal([201, 0, ["ads.warning.unattributed_failure"]]);
    expect(body.results.map(({ ok, error_code }: Record<string, unknown>) => [ok, error_code])).to.deep.equal([
      [false, null],
      [false, null],
      [false, null],
    ]);
    expect([await account.decisions(), (await account.intents()).at(-1)?.["state"]]).to.deep.equal([[], "refused"]);
    const tried = { ad_group_id: "3", keywords: keywords(3), validate_only: true };
    const checked = (await account.call("POST", "keywords", tried)).body;
    expect(checked.warnings).to.include("ads.warning.unattributed_failure");
    expect(
      checked.results.map(({ ok }: { ok: boolean }) => ok),
      "none of them is known to be valid",
    ).to.deep.equal([false, false, false]);
  });

  it("answers one error of the whole request for all operations as that error (trap P24)", async () => {
    world.mutations.refuse(() => ({ group: "quotaError", value: "RESOURCE_EXHAUSTED" }));
    const before = (await account.activity()).length;
    const { status, body } = await account.call("POST", "keywords", { ad_group_id: "3", keywords: keywords(200) });
    expect([status, body.error.code, body.error.details.provider_error_code]).to.deep.equal([
      429,
      "ads_platform_quota",
      "quotaError.RESOURCE_EXHAUSTED",
    ]);
    expect([await account.decisions(), (await account.activity()).length]).to.deep.equal([[], before]);
    expect((await account.intents()).at(-1)?.["state"]).to.equal("refused");
  });

  it("records terms that stay even if the rest is only validated, and names those recorded before", async () => {
    const body = {
      parent_id: "2",
      terms: [{ text: "cheap flour" }],
      keep: [{ text: " Fresh  Flour ", reason: "sells", expires_on: "2099-01-01" }],
      validate_only: true,
    };
    const first = await account.call("POST", "negatives", body);
    expect([first.status, first.body.warnings]).to.deep.equal([201, ["ads.warning.validated_not_applied"]]);
    const [kept, ...others] = await account.decisions();
    expect(others).to.deep.equal([]);
    expect(kept).to.deep.include({
      decision: "kept",
      scope: "campaign:2",
      applied: false,
      reason: "sells",
      expires_on: "2099-01-01",
    });
    const second = await account.call("POST", "negatives", { ...body, keep: [{ text: "fresh flour" }] });
    expect(second.body.warnings).to.deep.equal(["ads.warning.validated_not_applied", "ads.warning.decision_already_stood"]);
    const alone = await account.call("POST", "negatives", { parent_id: "2", keep: [{ text: "spelt" }] });
    expect([alone.status, alone.body.requested, alone.body.applied, sentWrites(world)]).to.deep.equal([201, 0, 0, []]);
    expect((await account.decisions()).length).to.equal(2);
  });

  it("notes removed negatives as kept again, with what undoes them", async () => {
    await account.call("POST", "negatives", { parent_id: "2", terms: [{ text: "gluten", match_type: "EXACT" }] });
    const id = world.mutations.carried.at(-1)?.resourceName.split("~").at(-1) as string;
    await account.call("POST", "negatives/remove", { parent_id: "2", criterion_ids: [id] });
    const [kept] = await account.decisions();
    expect(kept).to.deep.include({ decision: "kept", subject: "gluten", scope: "campaign:2", applied: true });
    expect(kept?.["payload"]).to.deep.include({ undo: true, criterion_id: id, match_type: "EXACT" });
  });

  it("makes a list and attaches it, and says where that is not complete", async () => {
    const { status, body } = await account.call("POST", "negative-lists", { name: "Both", campaign_ids: ["2", "404"] });
    expect([status, body.requested, body.applied, body.warnings]).to.deep.equal([
      201,
      3,
      2,
      ["ads.warning.list_not_fully_attached"],
    ]);
    expect(body.results.map(({ index, ok }: Record<string, unknown>) => [index, ok])).to.deep.equal([
      [0, true],
      [1, true],
      [2, false],
    ]);
    const checked = await account.call("POST", "negative-lists", { name: "Checked", campaign_ids: ["2"], validate_only: true });
    expect([checked.status, checked.body.results.length, world.mutations.validations]).to.deep.equal([201, 1, 1]);
  });

  it("renames without a decision, but with a line of activity", async () => {
    expect((await account.call("PATCH", "campaigns/2", { name: "Renamed" })).status).to.equal(200);
    expect([await account.decisions(), (await account.activity()).at(-1)?.[0]]).to.deep.equal([[], "ads.campaign_changed"]);
  });

  it("lets two people who change one budget take turns, so that together they raise it no further than one may", async () => {
    const answers = await Promise.all([
      account.call("PATCH", "budgets/11", { amount: 20 }),
      account.call("PATCH", "budgets/11", { amount: 19 }),
      account.call("PATCH", "budgets/11", { amount: 39 }),
    ]);
    expect(answers.slice(0, 2).map(({ status }) => status)).to.deep.equal([200, 200]);
    const recorded = (await account.decisions()).toReversed().map(({ payload }) => payload as { from: number; to: number });
    // Each started from the state that the previous one left.
    for (const [at, { from, to }] of recorded.entries()) {
      expect(from).to.equal(at === 0 ? 10 : recorded[at - 1]?.to);
      expect(to).to.be.at.most(from * 2);
    }
    const now = account.own.customer.object("campaign_budget", `customers/${account.customerId}/campaignBudgets/11`);
    expect(Number(now?.["amountMicros"]) / 1e6).to.equal(recorded.at(-1)?.to);
  });

  it("shows restricted staff the accounts of their clients, and those without a client", async () => {
    const { tenant } = account.own;
    const [theirs, other] = [await tenant.company(), await tenant.company()];
    const bob = await tenant.member("admin");
    await tenant.group("theirs", [theirs.id], [bob.membershipId]);
    const statuses = async () => [
      (await account.call("GET", "policy", undefined, {}, bob)).status,
      (await account.call("POST", "budgets", { name: "Mine", amount: 1, validate_only: true }, {}, bob)).status,
    ];
    const move = (company: string | null) =>
      world.service.sql.query("update ads_accounts set company_id = $2 where id = $1", [account.id, company]);
    expect(await statuses()).to.deep.equal([200, 201]);
    await move(other.id);
    expect(await statuses()).to.deep.equal([404, 404]);
    await move(theirs.id);
    expect(await statuses()).to.deep.equal([200, 201]);
    await move(null);
  });
});

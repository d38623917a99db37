import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { jobsOf } from "../../../mixins/jobs.ts";
import { AdvertisedAccount, isWrite, startWrites, type WritesWorld } from "./writes-world.ts";

const TEXT = readFileSync(path.join(import.meta.dirname, "../../../docs/advertising.md"), "utf8");
const run = promisify(execFile);
// biome-ignore lint/suspicious/noExplicitAny: answers are looked into
type Body = any;

describe("docs/advertising.md, changes with guard rails", function () {
  this.timeout(60_000);
  let world: WritesWorld;
  let account: AdvertisedAccount;
  before(async () => {
    world = await startWrites();
    await jobsOf(world.service.node.broker).ready();
    world.reset();
    account = await AdvertisedAccount.make(world);
  });
  afterEach(() => expect([...world.google.complaints, ...world.ads.complaints]).to.deep.equal([]));
  after(() => world.stop());

  it("leads from a policy to a paused campaign and a write whose answer is lost, as it is typed", async () => {
    const blocks = [...TEXT.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, lines]) => lines as string);
    expect(blocks).to.have.length(7);
    const { tenant, owner, customer } = account.own;
    const { port } = world.service;
    const prelude = [
      `KEY=${owner.key}; JSON='Content-Type: application/json'; API=http://${tenant.host}:${port}/api/v1`,
      `curl() { command curl --resolve ${tenant.host}:${port}:127.0.0.1 "$@"; echo; }`,
    ];
    const mend = world.ads.failWhen((request) => isWrite(request) && request.body.includes('"amountMicros":"15000000"'), {
      kind: "lose",
    });
    const { stdout } = await run("bash", ["-euc", [...prelude, ...blocks].join("\n")]);
    mend();
    // Rows of a list are on lines of their own.
    const answers = stdout
      .replaceAll(/, \n /g, ", ")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Body);
    const [house, own, valid, tooHigh, keywords, ad, negatives, decisions, lost, unknown, ...more] = answers;
    expect(more).to.deep.equal([]);
    expect(house.resolved).to.deep.include({ max_daily_budget: 50, max_cpc: 2 });
    expect(own.resolved).to.deep.include({ max_daily_budget: 20, max_cpc: 2, protected_terms: ["bakery amsterdam"] });
    expect([valid.applied, valid.warnings]).to.deep.equal([0, ["ads.warning.validated_not_applied"]]);
    expect([tooHigh.error.code, tooHigh.error.details.limit]).to.deep.equal(["ads_platform_budget_over_ceiling", 20]);
    expect([keywords.requested, keywords.applied, keywords.warnings]).to.deep.equal([2, 1, ["ads.warning.created_paused"]]);
    expect(keywords.skipped).to.deep.equal([
      { subject: "fresh rye bread", reason: "errors.ads_platform_bid_over_ceiling", blocks: null, limit: 2 },
    ]);
    expect([ad.applied, ad.warnings]).to.deep.equal([1, ["ads.warning.created_paused"]]);
    expect([negatives.applied, negatives.skipped]).to.deep.equal([
      1,
      [{ subject: "bakery", reason: "errors.ads_platform_protected_term", blocks: "bakery amsterdam", limit: null }],
    ]);
    expect(decisions.items.map((row: Body) => `${row.decision} ${row.subject_type}`).toReversed()).to.deep.equal([
      "created budget",
      "created campaign",
      "created ad_group",
      "added keyword",
      "created ad",
      "excluded search_term",
    ]);
    const made = world.mutations.carried.flatMap(({ collection, operation }) => {
      const status = operation.create?.["status"];
      return ["campaigns", "adGroups", "adGroupCriteria", "adGroupAds"].includes(collection) ? [[collection, status]] : [];
    });
    expect(made).to.deep.equal([
      ["campaigns", "PAUSED"],
      ["adGroups", "PAUSED"],
      ["adGroupCriteria", "PAUSED"],
      ["adGroupAds", "PAUSED"],
    ]);
    expect(lost.error.code).to.equal("ads_platform_unreachable");
    expect(unknown.items.map(({ id, state }: Body) => [id, state])).to.deep.equal([[lost.error.details.intent_id, "unknown"]]);
    await account.settleAfter(2);
    expect((await account.decisions("state=applied")).map(({ id }) => id)).to.include(lost.error.details.intent_id);
    expect([...(customer.objects.get("campaign_budget")?.values() ?? [])].map(({ amountMicros }) => amountMicros)).to.include(
      "15000000",
    );
  });

  it("names every rule of the policy that refuses a write, and every state", () => {
    for (const word of [
      ...[
        "ads_platform_budget_over_ceiling",
        "ads_platform_budget_needs_ceiling",
        "ads_platform_budget_increase_too_large",
        "ads_platform_bid_over_ceiling",
      ],
      ...["ads_platform_protected_term", "ads_platform_banned_phrase", "ads_platform_writes_disabled"],
      ...["`pending`", "`unknown`", "`applied`", "`refused`"],
    ])
      expect(TEXT, word).to.include(word);
  });
});

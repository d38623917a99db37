import { expect } from "chai";
import { type OwnPolicy, resolvePolicy } from "../../../integrations/advertising/policy/resolve.ts";
import { allowedOf, type Write } from "../../../integrations/advertising/writes/gate/gate.ts";
import * as campaign from "../../../integrations/advertising/writes/requests/campaign-requests.ts";
import * as keyword from "../../../integrations/advertising/writes/requests/keyword-requests.ts";
import type { Collection, Planned } from "../../../integrations/advertising/writes/requests/operation.ts";
import type { AdsAccountRow } from "../../../mixins/google-ads/models.ts";
import { checkRequest } from "../../simulators/descriptions/check-request.mjs";
import { rounds } from "../../support/tier.ts";

const SEQUENCES = rounds(500, 10_000);
/** Sequences whose requests are held against the provider's description. */
const CHECKED = rounds(50, 200);
const STEPS = 6;
const WORDS = ["bread", "cake", "fresh", "white", "online", "cheap"];
const MATCHES = ["EXACT", "PHRASE", "BROAD"];

/** Numbers that look random and are the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Whether ads would still appear: derived from texts, in another way than the rule does. */
function blocks(term: string, negative: string, match: string): boolean {
  if (match === "EXACT") return term === negative;
  if (match === "PHRASE") return ` ${term} `.includes(` ${negative} `);
  return negative.split(" ").every((word) => term.split(" ").includes(word));
}

const EMPTY: OwnPolicy = {
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

describe(`${SEQUENCES} random sequences of writes and policies`, () => {
  it("create nothing that runs, pass no ceiling, block no protected term and use no banned phrase", function () {
    this.timeout(120_000);
    let sent = 0;
    let refused = 0;
    let skippedRows = 0;
    for (let seed = 1; seed <= SEQUENCES; seed++) {
      const next = numbers(seed);
      const phrase = () => Array.from({ length: 1 + next(3) }, () => WORDS[next(WORDS.length)]).join(" ");
      const amount = () => (next(4000) - 200) / 100;
      const maybe = (value: () => number) => (next(3) === 0 ? null : String(Math.abs(value())));
      const policyNow = (): OwnPolicy => ({
        ...EMPTY,
        protected_terms: [phrase(), phrase()],
        banned_phrases: [phrase()],
        max_daily_budget: maybe(amount),
        max_cpc: maybe(amount),
        max_budget_increase_pct: maybe(() => next(30) / 10),
      });
      const base = 10;
      let budget = base;
      let resolved = resolvePolicy(policyNow(), null);
      const routes: (() => [Collection, Planned[], Partial<Write>])[] = [
        () => ["campaignBudgets", [campaign.budgetCreate({ name: "B", amount: amount(), shared: false })], {}],
        () => {
          const now = { name: "B", amountMicros: String(Math.round(budget * 1_000_000)), referenceCount: 1 };
          return [
            "campaignBudgets",
            [campaign.budgetUpdate("1", "1", { amount: amount() }, now)],
            { budget: { resourceName: "1", amountMicros: now.amountMicros } },
          ];
        },
        () => {
          const flags = { channel: "SEARCH", target_content_network: next(2) === 0, eu_political_advertising: false };
          return ["campaigns", [campaign.campaignCreate("1", { name: "C", budget_id: "1", ...flags })], {}];
        },
        () => ["adGroups", [campaign.adGroupCreate("1", { name: "G", campaign_id: "2", cpc_bid: amount() })], {}],
        () => {
          const texts = {
            headlines: [phrase(), phrase(), phrase()],
            descriptions: [phrase(), phrase()],
            final_urls: ["https://a.example"],
          };
          return ["adGroupAds", [campaign.adCreate("1", { ad_group_id: "3", ...texts })], {}];
        },
        () => {
          const rows = Array.from({ length: 3 }, () => ({ text: phrase(), match_type: MATCHES[next(3)], cpc_bid: amount() }));
          return ["adGroupCriteria", keyword.keywordsAdd("1", "3", rows), { isBatch: true }];
        },
        () => {
          const level = (["campaign", "ad_group", "shared_set"] as const)[next(3)] ?? "campaign";
          const rows = Array.from({ length: 3 }, () => ({ text: phrase(), match_type: MATCHES[next(3)] }));
          const planned = keyword.negativesAdd("1", level, "2", rows);
          return [keyword.NEGATIVE_HOMES[level].collection, planned, { isBatch: true }];
        },
      ];
      for (let step = 0; step < STEPS; step++) {
        if (next(3) === 0) resolved = resolvePolicy(policyNow(), next(2) === 0 ? policyNow() : null);
        const [collection, planned, more] = (routes[next(routes.length)] as (typeof routes)[number])();
        const write: Write = { resource: "r", operation: "o", activity: "a", validateOnly: false, collection, planned, ...more };
        let allowed: readonly Planned[];
        try {
          const opened = { policy: resolved, account: { currency_code: "EUR" } as AdsAccountRow };
          const judged = allowedOf(write, opened, String(base * 1_000_000));
          allowed = judged.allowed;
          skippedRows += judged.skipped.length;
        } catch (error) {
          expect((error as { code: number }).code, String(error)).to.equal(422);
          refused += 1;
          continue;
        }
        for (const { operation } of allowed) {
          sent += 1;
          const values = (operation.create ?? operation.update) as Record<string, never>;
          const { policy } = resolved;
          const where = `sequence ${seed}, step ${step}: ${JSON.stringify(operation)} ${JSON.stringify(policy)}`;
          const negative = values["negative"] || collection === "sharedCriteria";
          if (["campaigns", "adGroups", "adGroupAds", "adGroupCriteria"].includes(collection) && operation.create && !negative)
            expect(values["status"], where).to.equal("PAUSED");
          const money = (name: string) => Number(values[name]) / 1_000_000;
          if (values["amountMicros"] !== undefined) {
            expect(money("amountMicros"), where).to.be.at.least(0);
            expect(money("amountMicros"), where).to.be.at.most(Number(policy.max_daily_budget ?? Infinity));
            const most = operation.update ? Math.max(budget, base * (1 + Number(policy.max_budget_increase))) : Infinity;
            expect(money("amountMicros"), where).to.be.at.most(most + 1e-9);
            if (operation.update) budget = money("amountMicros");
          }
          if (values["cpcBidMicros"] !== undefined) {
            expect(money("cpcBidMicros"), where).to.be.at.least(0);
            expect(money("cpcBidMicros"), where).to.be.at.most(Number(policy.max_cpc ?? Infinity));
          }
          const { text, matchType } = (values["keyword"] ?? {}) as { text: string; matchType: string };
          if (negative) for (const term of policy.protected_terms) expect(blocks(term, text, matchType), where).to.equal(false);
          if (collection === "adGroupAds")
            for (const banned of policy.banned_phrases) expect(JSON.stringify(values["ad"]), where).to.not.include(banned);
        }
        if (seed <= CHECKED && allowed.length > 0) {
          const body = { operations: allowed.map(({ operation }) => operation) };
          const path = `/v26/customers/1/${collection}:mutate`;
          expect(checkRequest({ provider: "googleads", method: "POST", path, body }).problems).to.deep.equal([]);
        }
      }
    }
    expect(sent, "most are sent").to.be.above(SEQUENCES);
    expect([refused > SEQUENCES / 10, skippedRows > SEQUENCES / 10]).to.deep.equal([true, true]);
  });
});

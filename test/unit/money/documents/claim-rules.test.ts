import { expect } from "chai";
import { type Claims, claims, claimsOf, keptClaims } from "../../../../services/money/documents/claims/claim-rules.ts";

const line = (line_kind: "product" | "hours" | "subscription" | "domain", more: object = {}) => ({
  line_kind,
  time_entry_ids: [] as string[],
  subscription_id: null,
  domain_id: null,
  period_start: null,
  period_end: null,
  ...more,
});
const agreed = (source_id: string, period_end: string) => ({
  source: "subscription" as const,
  source_id,
  period_end,
  period_start: null,
});
const owned = (source_id: string, period_end: string) => ({ ...agreed(source_id, period_end), source: "domain" as const });

describe("what lines ask to bill", () => {
  it("is each hour and each period once", () => {
    const lines = [
      line("hours", { time_entry_ids: ["a", "b"] }),
      line("product", { time_entry_ids: ["b", "c"] }),
      line("subscription", { subscription_id: "s", period_end: "2026-02-15" }),
      line("product", { subscription_id: "s", period_end: "2026-02-15" }),
      line("domain", { domain_id: "s", period_end: "2026-02-15" }),
    ];
    expect(claimsOf(lines)).to.deep.equal({
      entries: ["a", "b", "c"],
      periods: [agreed("s", "2026-02-15"), owned("s", "2026-02-15")],
    });
    expect(lines.map(claims)).to.deep.equal([true, true, true, true, true]);
    expect([line("hours"), line("domain", { domain_id: "s" })].map(claims)).to.deep.equal([false, false]);
  });
});

describe("a document's claims after its lines were replaced", () => {
  const before: Claims = { entries: ["a"], periods: [agreed("s", "2026-02-15"), owned("d", "2026-03-01")] };
  for (const [what, lines, wanted] of [
    ["is nothing without lines", [], { entries: [], periods: [] }],
    ["is nothing where no line is of a kind that bills", [line("product")], { entries: [], periods: [] }],
    ["keeps hours where a line of hours names none", [line("hours")], { entries: ["a"], periods: [] }],
    [
      "is the hours that are named, whatever was billed before",
      [line("hours", { time_entry_ids: ["b"] }), line("hours")],
      { entries: ["b"], periods: [] },
    ],
    [
      "keeps both kinds of periods where a line bills an agreement",
      [line("subscription")],
      { entries: [], periods: before.periods },
    ],
    [
      "keeps the periods of domains where a line bills one",
      [line("domain")],
      { entries: [], periods: [owned("d", "2026-03-01")] },
    ],
    [
      "is the period that is named, and keeps the other sort",
      [line("subscription", { subscription_id: "s", period_end: "2026-03-15" })],
      { entries: [], periods: [agreed("s", "2026-03-15"), owned("d", "2026-03-01")] },
    ],
  ] as const)
    it(what, () => expect(keptClaims(before, claimsOf(lines), lines)).to.deep.equal(wanted));
});

import { expect } from "chai";
import type { RecurringSource } from "../../../../core/values/recurring-source.ts";
import { renewalText } from "../../../../services/money/agreements/billing/period-texts.ts";
import { backlogGroups, backlogItems, totalOf } from "../../../../services/money/agreements/outstanding/backlog.ts";
import { firstActivation } from "../../../../services/money/agreements/subscription-values.ts";

const source = (
  source_id: string,
  company_name: string,
  ends: string[],
  values: Partial<RecurringSource> = {},
): RecurringSource => ({
  source: "subscription",
  source_id,
  company_id: company_name === "" ? null : `id of ${company_name}`,
  company_name,
  name: source_id,
  currency: "EUR",
  interval: "monthly",
  amount: "10.00",
  level: null,
  no_cycle: false,
  no_price: false,
  invoiceable: true,
  truncated: false,
  periods: ends.map((period_end) => ({ period_start: "2026-01-01", period_end, future: false, amount: "10.10", lines: [] })),
  ...values,
});

describe("the backlog of periods", () => {
  const sources = [
    source("b", "Zeta", ["2026-02-01", "2026-03-01"]),
    source("c", "", ["2026-02-01"]),
    source("a", "aarde", ["2026-02-01"], { level: "send" }),
    source("d", "Zeta", ["2026-02-01"], { source: "domain", invoiceable: false }),
  ];

  it("is ordered by end, client and name, without claimed and not invoiced periods", () => {
    const items = backlogItems(sources, new Set(["subscription:b:2026-03-01"]), "draft");
    expect(items.map(({ id, auto_mode }) => [id, auto_mode])).to.deep.equal([
      ["subscription:c:2026-02-01", "draft"],
      ["subscription:a:2026-02-01", "send"],
      ["subscription:b:2026-02-01", "draft"],
    ]);
  });

  it("has groups whose amounts are exact, those without a client last", () => {
    const items = backlogItems(sources, new Set(), "off");
    expect(totalOf(items, "EUR")).to.deep.equal({ count: 4, amount: "40.40", unconverted_count: 0 });
    expect(totalOf(items, "USD")).to.deep.equal({ count: 4, amount: "0.00", unconverted_count: 4 });
    expect(backlogGroups(items, "company", "EUR").map(({ key, count, amount }) => [key, count, amount])).to.deep.equal([
      ["id of aarde", 1, "10.10"],
      ["id of Zeta", 2, "20.20"],
      ["", 1, "10.10"],
    ]);
    expect(backlogGroups(items, "month", "EUR").map(({ key, label }) => [key, label])).to.deep.equal([
      ["2026-02", ""],
      ["2026-03", ""],
    ]);
    expect(totalOf([], "EUR")).to.deep.equal({ count: 0, amount: "0.00", unconverted_count: 0 });
  });
});

describe("the first activation of an agreement", () => {
  const made = {
    status: "active" as const,
    activated_at: null,
    start_date: "2026-01-31",
    end_date: null,
    next_invoice_date: null,
    anchor: null,
    interval: "monthly" as const,
    interval_count: 1,
  };
  for (const [what, values, expected] of [
    ["gives the boundary one period after the start, clamped", {}, { next_invoice_date: "2026-02-28" }],
    ["keeps a given one", { next_invoice_date: "2026-06-01" }, { next_invoice_date: "2026-06-01" }],
    ["gives none past the end", { end_date: "2026-02-27" }, { next_invoice_date: null }],
    ["is none for a draft", { status: "draft" }, null],
    ["happens once", { activated_at: "2026-01-31T00:00:00Z" }, null],
  ] as [string, object, object | null][])
    it(what, () => expect(firstActivation({ ...made, ...values })).to.deep.equal(expected));
});

describe("the line of a renewal", () => {
  it("is in the language of the organisation, else in English", () => {
    const said = ["nl", "en", "nl-BE", "pt"].map((locale) => renewalText(locale, "a.nl", "2025-03-01", "2026-03-01"));
    expect(said).to.deep.equal([
      "Domeinverlenging a.nl (01-03-2025-01-03-2026)",
      "Domain renewal a.nl (01-03-2025-01-03-2026)",
      "Domeinverlenging a.nl (01-03-2025-01-03-2026)",
      "Domain renewal a.nl (01-03-2025-01-03-2026)",
    ]);
  });
});

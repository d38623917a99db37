import { expect } from "chai";
import { cycleOf, type DueAgreement } from "../../../../services/money/agreements/cycle/due-periods.ts";
import { amountOf, periodLines } from "../../../../services/money/agreements/cycle/period-lines.ts";

const agreement = (values: Partial<DueAgreement> = {}): DueAgreement => ({
  name: "Hosting",
  currency: "EUR",
  interval: "monthly",
  interval_count: 1,
  anchor: null,
  next_invoice_date: "2026-02-15",
  end_date: null,
  lines: [],
  prices: [
    { amount: "90.00", valid_from: "2026-01-15" },
    { amount: "99.00", valid_from: "2026-03-01" },
  ],
  ...values,
});

describe("a run of the cycle", () => {
  for (const [what, values, period, next] of [
    ["bills the whole period up to the boundary", {}, ["2026-01-15", "2026-02-15", "90.00"], "2026-03-15"],
    [
      "takes the price of the period's end",
      { next_invoice_date: "2026-03-15" },
      ["2026-02-15", "2026-03-15", "99.00"],
      "2026-04-15",
    ],
    [
      "takes a price that begins on the boundary",
      { next_invoice_date: "2026-03-01" },
      ["2026-02-01", "2026-03-01", "99.00"],
      "2026-04-01",
    ],
    [
      "stays at the end of the month with that anchor",
      { next_invoice_date: "2026-02-28", anchor: "month_end" },
      ["2026-01-31", "2026-02-28", "90.00"],
      "2026-03-31",
    ],
    [
      "steps by the interval and its count",
      { interval: "quarterly", interval_count: 2 },
      ["2025-08-15", "2026-02-15", "90.00"],
      "2026-08-15",
    ],
    ["keeps a clamp", { next_invoice_date: "2026-02-28" }, ["2026-01-28", "2026-02-28", "90.00"], "2026-03-28"],
    ["ends on the last boundary", { end_date: "2026-03-14" }, ["2026-01-15", "2026-02-15", "90.00"], null],
    ["has another on the last day itself", { end_date: "2026-03-15" }, ["2026-01-15", "2026-02-15", "90.00"], "2026-03-15"],
    ["bills nothing past the end", { end_date: "2026-02-14" }, null, null],
    ["bills the boundary that is the end", { end_date: "2026-02-15" }, ["2026-01-15", "2026-02-15", "90.00"], null],
    [
      "comes to the sum of own lines",
      { lines: [{ description: "A", quantity: "1.50", unit_amount: "0.33" }] },
      ["2026-01-15", "2026-02-15", "0.50"],
      "2026-03-15",
    ],
  ] as [string, Partial<DueAgreement>, [string, string, string] | null, string | null][])
    it(what, () => {
      const found = cycleOf(agreement(values));
      expect(found.next).to.equal(next);
      expect(found.period && [found.period.period_start, found.period.period_end, found.period.amount]).to.deep.equal(period);
    });

  it("has one line at its price without lines of its own", () => {
    const lines = periodLines("Hosting", [], "90.00");
    expect(lines).to.deep.equal([{ description: "Hosting", quantity: "1.00", unit_price: "90.00" }]);
    expect(amountOf(lines, "EUR")).to.equal("90.00");
  });
});

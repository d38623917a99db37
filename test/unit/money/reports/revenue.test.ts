import { expect } from "chai";
import { monthsOf, revenueOf, yearBefore } from "../../../../services/money/reports/revenue/revenue.ts";

describe("the period a year before", () => {
  for (const [from, to, first, last] of [
    ["2026-01-01", "2026-12-31", "2025-01-01", "2025-12-31"],
    ["2026-04-10", "2026-05-09", "2025-04-10", "2025-05-09"],
    ["2025-02-01", "2025-02-28", "2024-02-01", "2024-02-29"],
    ["2024-02-01", "2024-02-29", "2023-02-01", "2023-02-28"],
    ["2024-02-29", "2024-03-15", "2023-02-28", "2023-03-15"],
  ] as const)
    it(`of ${from} to ${to} is ${first} to ${last}`, () =>
      expect(yearBefore({ from, to })).to.deep.equal({ from: first, to: last }));
});

describe("revenue by group", () => {
  const row = (key: string, amount: string, previous: string) => ({ key, label: null, amount, previous, documents: 1 });

  it("has each month of the period, and no change without revenue a year before", () => {
    const period = { from: "2025-12-15", to: "2026-02-10" };
    expect(monthsOf(period)).to.deep.equal(["2025-12", "2026-01", "2026-02"]);
    const { groups, total } = revenueOf([row("2025-12", "150", "100"), row("2026-02", "-10", "0")], "month", period, "EUR");
    expect(
      groups.map(({ key, amount, previous_amount, change_pct }) => [key, amount, previous_amount, change_pct]),
    ).to.deep.equal([
      ["2025-12", "150.00", "100.00", "50.0"],
      ["2026-01", "0.00", "0.00", null],
      ["2026-02", "-10.00", "0.00", null],
    ]);
    expect(total).to.deep.equal({ amount: "140.00", previous_amount: "100.00", change_pct: "40.0" });
  });

  it("rounds each amount once, and the total on the exact sum", () => {
    const period = { from: "2026-01-01", to: "2026-12-31" };
    const { groups, total } = revenueOf([row("hours", "0.004", "-8"), row("product", "0.004", "1")], "kind", period, "EUR");
    expect(groups.map(({ key, amount }) => [key, amount])).to.deep.equal([
      ["product", "0.00"],
      ["hours", "0.00"],
    ]);
    expect(total).to.deep.equal({ amount: "0.01", previous_amount: "-7.00", change_pct: "100.1" });
  });
});

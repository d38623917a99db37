import { expect } from "chai";
import { formatDecimal, sum } from "../../../../core/values/money.ts";
import { billedHours, worthOf } from "../../../../services/money/calculation/hours.ts";
import { lineAmount } from "../../../../services/money/calculation/totals.ts";

describe("hours as they are billed", () => {
  const rows: [minutes: number[], hours: string][] = [
    [[], "0.00"],
    [[60], "1.00"],
    [[20], "0.3333"],
    [[5], "0.0833"],
    [[20, 20, 20], "1.00"],
    [[0.3], "0.005"],
    [[100_000], "1666.6667"],
  ];
  for (const [minutes, hours] of rows)
    it(`${minutes.join(" + ") || "no"} minutes are ${hours} hours`, () => {
      expect(billedHours(minutes)).to.equal(hours);
    });

  it("are worth minutes × rate ÷ 60, rounded once after summing", () => {
    const thirds = (rate: string) => Array.from({ length: 3 }, () => ({ minutes: 20, rate }));
    expect(worthOf(thirds("0.01"), "EUR")).to.equal("0.01");
    expect(worthOf([...thirds("100.00"), { minutes: 7, rate: "0.00" }], "EUR")).to.equal("100.00");
    expect(worthOf([{ minutes: 30, rate: "0.01" }], "EUR")).to.equal("0.01");
    expect(worthOf([], "EUR")).to.equal("0.00");
    expect(worthOf([{ minutes: 50, rate: "92.55" }], "JPY")).to.equal("77.00");
  });

  it("bill twelve calls of five minutes like the hour they are, however they are grouped", () => {
    const calls = Array.from({ length: 12 }, () => 5);
    expect(lineAmount(billedHours(calls), "120", "EUR")).to.equal("120.00");
    expect(formatDecimal(sum(calls.map((minutes) => lineAmount(billedHours([minutes]), "120", "EUR"))))).to.equal("120.00");
  });
});

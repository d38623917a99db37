import { expect } from "chai";
import { billedHours, worthOf } from "../../../../services/money/calculation/hours.ts";

describe("hours as they are billed", () => {
  const rows: [minutes: number[], hours: string][] = [
    [[], "0.00"],
    [[60], "1.00"],
    [[20], "0.33"],
    [[20, 20, 20], "1.00"],
    [[0.3], "0.01"],
    [[100_000], "1666.67"],
  ];
  for (const [minutes, hours] of rows)
    it(`${minutes.join(" + ") || "no"} minutes are ${hours} hours`, () => {
      expect(billedHours(minutes)).to.equal(hours);
    });

  it("are worth minutes × rate ÷ 60, rounded once after summing", () => {
    const thirds = (rate: string) => Array.from({ length: 3 }, () => ({ minutes: 20, rate }));
    expect(worthOf(thirds("0.01"))).to.equal("0.01");
    expect(worthOf([...thirds("100.00"), { minutes: 7, rate: "0.00" }])).to.equal("100.00");
    expect(worthOf([{ minutes: 30, rate: "0.01" }])).to.equal("0.01");
    expect(worthOf([])).to.equal("0.00");
  });
});

import { expect } from "chai";
import { brokenRule, keepsInvoiced } from "../../../../services/money/calculation/instalments.ts";

const turn = (due_on: string, percent: string) => ({ due_on, percent });

describe("instalments (money §10.2)", () => {
  it("follow each other and are 100 % together", () => {
    for (const [turns, broken] of [
      [[], null],
      [[turn("2026-03-02", "100")], null],
      [[turn("2026-03-02", "33.33"), turn("2026-03-03", "33.33"), turn("2026-03-04", "33.34")], null],
      [[turn("2026-03-02", "33.33"), turn("2026-03-03", "66.66")], "percent"],
      [[turn("2026-03-02", "60"), turn("2026-03-03", "60")], "percent"],
      [[turn("2026-03-02", "50"), turn("2026-03-02", "50")], "due_on"],
      [[turn("2026-03-03", "50"), turn("2026-03-02", "50")], "due_on"],
    ] as const)
      expect(brokenRule(turns), JSON.stringify(turns)).to.equal(broken);
  });

  it("keep what was invoiced", () => {
    const invoiced = [turn("2026-03-02", "30.00")];
    expect(keepsInvoiced(invoiced, [turn("2026-03-02", "30"), turn("2026-05-01", "70")])).to.equal(true);
    expect(keepsInvoiced(invoiced, [turn("2026-03-02", "40"), turn("2026-05-01", "60")])).to.equal(false);
    expect(keepsInvoiced(invoiced, [turn("2026-05-01", "100")])).to.equal(false);
  });
});

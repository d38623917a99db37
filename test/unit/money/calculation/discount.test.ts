import { expect } from "chai";
import { decimal, formatDecimal, sum } from "../../../../core/values/money.ts";
import { discountLeft, discountTaken, NO_DISCOUNT, promisedDiscount } from "../../../../services/money/calculation/discount.ts";
import { spread } from "../../../../services/money/calculation/spread.ts";
import { discountText } from "../../../../services/money/calculation/terms-text.ts";

const invoice = { total: "1028.44", currency: "EUR", issue_date: "2026-03-02", due_date: "2026-03-16" };

describe("discount for early payment (money §6.1)", () => {
  it("is computed once at issue, and ends on the due date at the latest", () => {
    expect(promisedDiscount({ percent: "2.00", days: 8 }, invoice)).to.deep.equal({
      payment_discount: { percent: "2.00", days: 8 },
      discount_until: "2026-03-10",
      discount_amount: "20.57",
      discount_left: "20.57",
    });
    expect(promisedDiscount({ percent: "2.00", days: 30 }, invoice)).to.deep.include({
      payment_discount: { percent: "2.00", days: 14 },
      discount_until: "2026-03-16",
    });
    expect(promisedDiscount({ percent: "2.50", days: 0 }, { ...invoice, total: "1999", currency: "JPY" })).to.include({
      discount_until: "2026-03-02",
      discount_amount: "50.00",
    });
  });

  it("is none without percent, without an amount, and for a due date before the invoice", () => {
    for (const [discount, more] of [
      [null, {}],
      [{ percent: "0.00", days: 8 }, {}],
      [{ percent: "2.00", days: 8 }, { total: "0.00" }],
      [{ percent: "2.00", days: 8 }, { total: "-12.00" }],
      [{ percent: "0.01", days: 8 }, { total: "1.00" }],
      [{ percent: "2.00", days: 8 }, { due_date: "2026-03-01" }],
    ] as const)
      expect(promisedDiscount(discount, { ...invoice, ...more })).to.deep.equal(NO_DISCOUNT);
  });

  it("is taken by what settles all but the discount in time", () => {
    for (const [outstanding, paid_until, taken] of [
      ["20.57", "2026-03-10", "20.57"],
      ["18.44", "2026-03-10", "18.44"],
      ["20.58", "2026-03-10", "0.00"],
      ["20.57", "2026-03-11", "0.00"],
      ["0.00", "2026-03-10", "0.00"],
      ["-3.00", "2026-03-10", "0.00"],
    ])
      expect(
        discountTaken({
          outstanding: outstanding as string,
          discount_left: "20.57",
          discount_until: "2026-03-10",
          paid_until: paid_until as string,
        }),
        `${outstanding} on ${paid_until}`,
      ).to.equal(taken);
    expect(discountLeft("1028.44", "145.20", "2.00", "EUR")).to.equal("17.66");
  });

  it("is divided over the rates so that the parts add up", () => {
    expect(spread("20.57", ["973.99", "54.45"], "EUR")).to.deep.equal(["19.48", "1.09"]);
    expect(spread("1.00", ["1", "1", "1"], "EUR")).to.deep.equal(["0.34", "0.33", "0.33"]);
    expect(spread("100", ["1", "1", "1"], "JPY")).to.deep.equal(["34.00", "33.00", "33.00"]);
    expect(spread("10.00", ["110", "-10"], "EUR")).to.deep.equal(["11.00", "-1.00"]);
    for (let round = 1; round <= 300; round++) {
      const weights = Array.from({ length: 1 + (round % 6) }, (_, index) =>
        String(1 + ((round * 7919 + index * 104_729) % 99_991)),
      );
      const amount = formatDecimal(decimal((round * 48_271) % 999_983).dividedBy(100));
      const parts = spread(amount, weights, "EUR");
      expect(formatDecimal(sum(parts))).to.equal(amount);
      const whole = sum(weights);
      parts.forEach((part, index) => {
        const exact = decimal(amount)
          .times(weights[index] as string)
          .dividedBy(whole);
        expect(exact.minus(part).abs().lessThan("0.01"), `${amount} over ${weights}`).to.equal(true);
      });
    }
  });

  it("is named in the document's language", () => {
    expect(discountText({ percent: "2.50", days: 8 }, "nl_BE")).to.equal("2,5% korting bij betaling binnen 8 dagen");
    expect(discountText({ percent: "2.00", days: 1 }, "de")).to.equal("2% discount if paid within 1 day");
  });
});

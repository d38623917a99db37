import { expect } from "chai";
import fc from "fast-check";
import { decimal, fromCents, roundHalfUp } from "../../../../core/values/money.ts";
import { type LinePrice, linePrice, unitCode } from "../../../../services/money/documents/e-invoices/line-price.ts";
import { plainText } from "../../../../services/money/documents/e-invoices/plain-text.ts";
import { cases } from "../../../support/cases.ts";

describe("the price of a line", () => {
  const rows: [net: string, quantity: string, unitPrice: string, shown: LinePrice][] = [
    ["630.00", "7.50", "84.00", { quantity: "7.50", price: "84.00", base_quantity: null }],
    ["-75.00", "1.00", "-75.00", { quantity: "-1.00", price: "75.00", base_quantity: null }],
    ["-75.00", "-1.00", "75.00", { quantity: "-1.00", price: "75.00", base_quantity: null }],
    ["75.00", "-1.00", "-75.00", { quantity: "1.00", price: "75.00", base_quantity: null }],
    ["10.00", "3.00", "4.03", { quantity: "3.00", price: "10.00", base_quantity: "3.00" }],
    ["-10.00", "3.00", "-4.03", { quantity: "-3.00", price: "10.00", base_quantity: "3.00" }],
    ["8.26", "4.00", "2.50", { quantity: "4.00", price: "2.065", base_quantity: null }],
    ["0.01", "1024.00", "0.00", { quantity: "1024.00", price: "0.01", base_quantity: "1024.00" }],
    ["0.01", "64.00", "0.00", { quantity: "64.00", price: "0.00015625", base_quantity: null }],
    ["0.00", "5.00", "0.00", { quantity: "5.00", price: "0.00", base_quantity: null }],
    ["0.00", "0.00", "-12.00", { quantity: "0.00", price: "12.00", base_quantity: null }],
  ];
  for (const [net, quantity, unitPrice, shown] of rows)
    it(`${quantity} for ${net} is ${shown.quantity} × ${shown.price}`, () => {
      expect(linePrice(decimal(net), quantity, unitPrice)).to.deep.equal(shown);
    });

  it("brings the net back, has the least decimals and is never negative", () => {
    const anyNet = fc.integer({ min: -999_999_999_999, max: 999_999_999_999 });
    const anyQuantity = fc.oneof(fc.integer({ min: -9_999_999_999, max: 9_999_999_999 }), fc.integer({ min: 1, max: 999 }));
    fc.assert(
      fc.property(anyNet, anyQuantity, (cents, hundredths) => {
        fc.pre(hundredths !== 0);
        const net = decimal(fromCents(cents));
        const { quantity, price, base_quantity } = linePrice(net, fromCents(hundredths), "1.00");
        const product = decimal(quantity)
          .times(price)
          .dividedBy(base_quantity ?? 1);
        expect(roundHalfUp(product, 20).equals(net)).to.equal(true);
        expect(decimal(price).isNegative()).to.equal(false);
        const places = price.split(".")[1]?.length ?? 0;
        expect(places).to.be.within(2, 10);
        if (base_quantity === null && places > 2) {
          const shorter = roundHalfUp(net.abs().dividedBy(decimal(quantity).abs()), places - 1);
          expect(shorter.times(decimal(quantity).abs()).equals(net.abs())).to.equal(false);
        }
      }),
      cases(1000),
    );
  });
});

describe("the unit of a line", () => {
  const rows: [unit: string | null, code: string][] = [
    ["uur", "HUR"],
    ["Hour", "HUR"],
    [" hours ", "HUR"],
    ["std.", "HUR"],
    ["heures", "HUR"],
    ["stuk", "C62"],
    ["uurwerk", "C62"],
    ["", "C62"],
    [null, "C62"],
  ];
  for (const [unit, code] of rows)
    it(`'${unit}' is ${code}`, () => {
      expect(unitCode(unit)).to.equal(code);
    });
});

describe("notes as plain text", () => {
  const rows: [markdown: string | null, text: string | null][] = [
    [null, null],
    ["  \n\n ", null],
    ["<b></b>", null],
    ["# Dank\n\nVoor **alles** en _meer_", "Dank\n\nVoor alles en _meer_"],
    ["een *sterk* punt, 2 * 3 * 4", "een sterk punt, 2 * 3 * 4"],
    ["[betaal hier](https://pay.example/?a=1)", "betaal hier (https://pay.example/?a=1)"],
    ["- één\n- twee  ", "- één\n- twee"],
    ["> citaat\r\nregel", "citaat\nregel"],
    ["a\n\n---\n\n\nb", "a\n\nb"],
    ["`code` en ~~weg~~ en 1 \\* 2", "code en weg en 1 * 2"],
    ["a <script>alert(1)</script> b", "a alert(1) b"],
    ["5 < 6 en 7 > 6", "5 < 6 en 7 > 6"],
  ];
  for (const [markdown, text] of rows)
    it(JSON.stringify(markdown), () => {
      expect(plainText(markdown)).to.equal(text);
    });
});

import { expect } from "chai";
import fc from "fast-check";
import { type DecimalText, decimal, formatDecimal, sum } from "../../../../core/values/money.ts";
import { mirrored } from "../../../../services/money/calculation/credit.ts";
import { netsOf } from "../../../../services/money/calculation/nets.ts";
import {
  AMOUNT_LIMIT,
  formatPrice,
  isWithin,
  lineAmount,
  QUANTITY_LIMIT,
  totalsOf,
} from "../../../../services/money/calculation/totals.ts";
import { anyLines, CASES, eur, line } from "./support.ts";

const negated = (amount: DecimalText): DecimalText => formatDecimal(decimal(amount).negated());

describe("line amounts", () => {
  const rows: [quantity: string | number, price: string | number, amount: string][] = [
    [1, "12.5", "12.50"],
    ["0.5", "0.01", "0.01"],
    ["-0.5", "0.01", "-0.01"],
    ["0.5", "-0.01", "-0.01"],
    ["10000", "0.0025", "25.00"],
    ["0.0833", "120", "10.00"],
    ["1.4167", "92.50", "131.04"],
    ["0.49", "0.01", "0.00"],
    ["-0.49", "0.01", "0.00"],
    ["0.105", "1", "0.11"],
    ["-0.105", "1", "-0.11"],
    ["1", "0.105", "0.11"],
    ["1.005", "100", "100.50"],
    ["100", "1.005", "100.50"],
    ["0.0049", "1", "0.00"],
    ["0.0050", "1", "0.01"],
    ["-0.0050", "1", "-0.01"],
    [0, "99.99", "0.00"],
    [0.1, 0.2, "0.02"],
    ["99999999.99", "99.99", "9998999999.00"],
  ];
  for (const [quantity, price, amount] of rows)
    it(`${quantity} × ${price} is ${amount}`, () => {
      expect(lineAmount(quantity, price, "EUR")).to.equal(amount);
    });

  const currencies: [currency: string, amount: string][] = [
    ["JPY", "12346.00"],
    ["ISK", "12346.00"],
    ["EUR", "12345.50"],
    ["HUF", "12345.50"],
  ];
  for (const [currency, amount] of currencies)
    it(`1 × 12345.5 ${currency} is ${amount}`, () => {
      expect(lineAmount("1", "12345.5", currency)).to.equal(amount);
    });

  it("are the exact product, rounded once, for any quantity and price of up to 4 decimals", () => {
    const fourPlaces = fc.bigInt({ min: -(10n ** 11n), max: 10n ** 11n });
    fc.assert(
      fc.property(fourPlaces, fourPlaces, fc.constantFrom("EUR", "JPY"), (quantity, price, currency) => {
        const text = (units: bigint) => decimal(String(units)).dividedBy(10_000).toFixed(4);
        // In units of 10^-8, rounded to the minor unit by whole numbers alone.
        const [product, unit] = [quantity * price, currency === "JPY" ? 10n ** 8n : 10n ** 6n];
        const size = product < 0n ? -product : product;
        const whole = (size + unit / 2n) / unit;
        const cents = (product < 0n ? -whole : whole) * (currency === "JPY" ? 100n : 1n);
        expect(lineAmount(text(quantity), text(price), currency)).to.equal(formatDecimal(decimal(String(cents)).dividedBy(100)));
      }),
      CASES,
    );
  });
});

describe("quantities and unit prices", () => {
  for (const [sent, kept] of [
    ["2", "2.00"],
    [0.0025, "0.0025"],
    ["1.500", "1.50"],
    ["-0", "0.00"],
    ["-1.23456", null],
  ] as const)
    it(`${sent} is ${kept ?? "refused"}`, () => {
      if (kept === null) expect(() => formatPrice(sent)).to.throw(RangeError);
      else expect(formatPrice(sent)).to.equal(kept);
    });
});

describe("the tax of a currency without parts", () => {
  it("is whole, exclusive and inclusive", () => {
    const lines = [line(1, 999, 21)];
    const { subtotal, tax_total, total } = totalsOf(lines, { prices_include_tax: false, currency: "JPY" });
    expect([subtotal, tax_total, total]).to.deep.equal(["999.00", "210.00", "1209.00"]);
    const inside = totalsOf(lines, { prices_include_tax: true, currency: "JPY" });
    expect([inside.subtotal, inside.tax_total, inside.total]).to.deep.equal(["826.00", "173.00", "999.00"]);
    expect(netsOf([...lines, line(1, 999, 21)], { prices_include_tax: true, currency: "JPY" })).to.deep.equal([
      "825.00",
      "826.00",
    ]);
  });
});

describe("limits of amounts", () => {
  const rows: [value: string, limit: number, within: boolean][] = [
    ["99999999.99", QUANTITY_LIMIT, true],
    ["99999999.9999", QUANTITY_LIMIT, true],
    ["-100000000", QUANTITY_LIMIT, false],
    ["-99999999.99", QUANTITY_LIMIT, true],
    ["9999999999.99", AMOUNT_LIMIT, true],
    ["10000000000", AMOUNT_LIMIT, false],
    ["-10000000000", AMOUNT_LIMIT, false],
  ];
  for (const [value, limit, within] of rows)
    it(`${value} is ${within ? "within" : "outside"} ${limit}`, () => {
      expect(isWithin(value, limit)).to.equal(within);
    });
});

describe("tax groups", () => {
  it("are absent without lines", () => {
    expect(totalsOf([], eur(false))).to.deep.equal({ subtotal: "0.00", tax_total: "0.00", total: "0.00", tax_groups: [] });
  });

  it("are distinguished by rate and category, not by how the rate is written", () => {
    const lines = [
      line(1, 10, 21),
      { ...line(1, 10, 21), tax_rate_pct: "21.00" },
      line(1, 10, 21, "reduced"),
      line(1, 10, 5.5, "reduced"),
    ];
    expect(
      totalsOf(lines, eur(false)).tax_groups.map(({ rate_pct, category, base }) => [rate_pct, category, base]),
    ).to.deep.equal([
      ["21.00", "reduced", "10.00"],
      ["21.00", "standard", "20.00"],
      ["5.50", "reduced", "10.00"],
    ]);
  });

  it("are ordered by percentage as a number, then by category", () => {
    const lines = [
      line(1, 1, 9),
      line(1, 1, 0, "zero"),
      line(1, 1, 100),
      line(1, 1, 21),
      line(1, 1, 0, "reverse_charge"),
      line(1, 1, 0, "exempt"),
    ];
    expect(totalsOf(lines, eur(false)).tax_groups.map(({ rate_pct, category }) => `${rate_pct} ${category}`)).to.deep.equal([
      "100.00 standard",
      "21.00 standard",
      "9.00 reduced",
      "0.00 exempt",
      "0.00 reverse_charge",
      "0.00 zero",
    ]);
  });

  it("are named by the first line that names them", () => {
    const lines = [
      line(1, 1, 21, "standard", ""),
      line(1, 1, 21, "standard", "VAT 21%"),
      line(1, 1, 21, "standard", "btw"),
      line(1, 1, 9),
    ];
    expect(totalsOf(lines, eur(false)).tax_groups.map(({ name }) => name)).to.deep.equal(["VAT 21%", ""]);
  });

  it("subtract no tax from exempt or reverse charged amounts at a nominal rate", () => {
    const lines = [line(1, 121, 21, "reverse_charge"), line(1, 121, 21, "exempt"), line(1, 121, 21)];
    expect(totalsOf(lines, eur(true)).tax_groups.map(({ base, tax }) => [base, tax])).to.deep.equal([
      ["121.00", "0.00"],
      ["121.00", "0.00"],
      ["100.00", "21.00"],
    ]);
  });

  it("round half away from zero on both sides", () => {
    expect(totalsOf([line(1, "0.50", 21)], eur(false)).tax_total).to.equal("0.11");
    expect(totalsOf([line(1, "-0.50", 21)], eur(false)).tax_total).to.equal("-0.11");
    expect(totalsOf([line(1, "0.03", 100)], eur(true)).subtotal).to.equal("0.02");
    expect(totalsOf([line(1, "-0.03", 100)], eur(true)).subtotal).to.equal("-0.02");
  });
});

describe("nets of lines", () => {
  const rows: [what: string, lines: ReturnType<typeof line>[], inclusive: boolean, nets: string[]][] = [
    ["are the amounts where prices exclude tax", [line(3, "0.33", 21), line(1, 5, 9)], false, ["0.99", "5.00"]],
    ["give the rest to the largest", [line(1, 10, 21), line(1, "10.01", 21), line(1, 10, 21)], true, ["8.26", "8.28", "8.26"]],
    ["or the largest below zero", [line(1, 1, 21), line(1, -20, 21), line(1, 1, 21), line(1, 1, 21)], true, ["0.83", "-16.54", "0.83", "0.83"]], // biome-ignore format: a row
    ["the first on a tie", [line(1, -10, 21), line(1, 10, 21), line(1, 10, 21), line(1, 10, 21)], true, ["-8.25", "8.26", "8.26", "8.26"]], // biome-ignore format: a row
    ["a group at a time", [line(1, 10, 21), line(1, "10.90", 9), line(1, 10, 21), line(1, 10, 21)], true, ["8.27", "10.00", "8.26", "8.26"]], // biome-ignore format: a row
    [
      "are the amounts of what bears no tax",
      [line(1, 121, 21, "reverse_charge"), line(1, 7, 21, "exempt")],
      true,
      ["121.00", "7.00"],
    ],
  ];
  for (const [what, lines, inclusive, nets] of rows)
    it(what, () => {
      expect(netsOf(lines, eur(inclusive))).to.deep.equal(nets);
    });

  it("know one object in two places as two lines", () => {
    const same = line(1, 10, 21);
    expect(netsOf([same, same, same], eur(true))).to.deep.equal(["8.27", "8.26", "8.26"]);
  });
});

describe("totals of any document", () => {
  const document = fc.tuple(anyLines, fc.boolean());

  it("add up, by group and by line", () => {
    fc.assert(
      fc.property(document, ([lines, inclusive]) => {
        const { subtotal, tax_total, total, tax_groups } = totalsOf(lines, eur(inclusive));
        expect(formatDecimal(sum(tax_groups.map(({ base }) => base)))).to.equal(subtotal);
        expect(formatDecimal(sum(tax_groups.map(({ tax }) => tax)))).to.equal(tax_total);
        expect(formatDecimal(sum([subtotal, tax_total]))).to.equal(total);
        const entered = formatDecimal(sum(lines.map(({ amount }) => amount)));
        expect(inclusive ? total : subtotal).to.equal(entered);
      }),
      CASES,
    );
  });

  it("are their lines' nets together", () => {
    fc.assert(
      fc.property(document, ([lines, inclusive]) => {
        expect(formatDecimal(sum(netsOf(lines, eur(inclusive))))).to.equal(totalsOf(lines, eur(inclusive)).subtotal);
      }),
      CASES,
    );
  });

  it("do not depend on the order of the lines", () => {
    const shuffled = document.chain(([lines, inclusive]) =>
      fc.tuple(fc.constant(lines), fc.shuffledSubarray(lines, { minLength: lines.length }), fc.constant(inclusive)),
    );
    const figures = (lines: Parameters<typeof totalsOf>[0], inclusive: boolean) => {
      const { tax_groups, ...totals } = totalsOf(lines, eur(inclusive));
      return { ...totals, groups: tax_groups.map(({ name: _, ...group }) => group) };
    };
    fc.assert(
      fc.property(shuffled, ([lines, others, inclusive]) => {
        expect(figures(others, inclusive)).to.deep.equal(figures(lines, inclusive));
      }),
      CASES,
    );
  });

  it("are mirrored exactly by a credit", () => {
    fc.assert(
      fc.property(document, ([lines, inclusive]) => {
        const [whole, credit] = [totalsOf(lines, eur(inclusive)), totalsOf(lines.map(mirrored), eur(inclusive))];
        expect([credit.subtotal, credit.tax_total, credit.total]).to.deep.equal(
          [whole.subtotal, whole.tax_total, whole.total].map(negated),
        );
        expect(credit.tax_groups).to.deep.equal(
          whole.tax_groups.map((group) => ({ ...group, base: negated(group.base), tax: negated(group.tax) })),
        );
        expect(netsOf(lines.map(mirrored), eur(inclusive))).to.deep.equal(netsOf(lines, eur(inclusive)).map(negated));
        expect(lines.map(mirrored).map(({ quantity, unit_price }) => lineAmount(quantity, unit_price, "EUR"))).to.deep.equal(
          lines.map(({ amount }) => negated(amount)),
        );
      }),
      CASES,
    );
  });
});

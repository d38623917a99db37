import { expect } from "chai";
import fc from "fast-check";
import {
  allocate,
  Decimal,
  decimal,
  formatAmount,
  formatDecimal,
  fromCents,
  isDecimal,
  roundHalfEven,
  roundHalfUp,
  sum,
  toCents,
} from "../../../core/values/money.ts";
import { cases } from "../../support/cases.ts";

const CASES = cases(1000);
const anyCents = fc.integer({ min: -1_000_000_000, max: 1_000_000_000 });

describe("money: decimals", () => {
  it("reads text and JSON numbers exactly", () => {
    expect(decimal("0.1").plus(decimal(0.2)).toString()).to.equal("0.3");
    expect(decimal(new Decimal(3)).toString()).to.equal("3");
    for (const text of ["1e3", "", " 1", "1,5", "NaN", "Infinity", ".5", "5."]) {
      expect(() => decimal(text), text).to.throw(RangeError);
      expect(isDecimal(text), text).to.equal(false);
    }
    for (const number of [Number.NaN, Number.POSITIVE_INFINITY]) expect(() => decimal(number)).to.throw(RangeError);
    for (const value of ["12", "-12.50", "+1.5", 0.1]) expect(isDecimal(value)).to.equal(true);
    expect(isDecimal(null)).to.equal(false);
  });

  it("sums exactly", () => {
    expect(sum(["0.1", "0.2", -0.3]).toString()).to.equal("0");
    expect(sum([]).toString()).to.equal("0");
  });

  it("keeps a third of an amount far from a false tie", () => {
    expect(decimal(1).dividedBy(3).decimalPlaces()).to.equal(40);
  });
});

describe("money: rounding", () => {
  const cases: [value: string, up: string, even: string][] = [
    ["0.105", "0.11", "0.10"],
    ["-0.105", "-0.11", "-0.10"],
    ["0.115", "0.12", "0.12"],
    ["0.125", "0.13", "0.12"],
    ["1.005", "1.01", "1.00"],
    ["10.605", "10.61", "10.60"],
    ["2.0049999", "2.00", "2.00"],
    ["2.0050001", "2.01", "2.01"],
  ];
  for (const [value, up, even] of cases) {
    it(`${value}: half up ${up}, half even ${even}`, () => {
      expect(formatDecimal(roundHalfUp(value))).to.equal(up);
      expect(formatDecimal(roundHalfEven(value))).to.equal(even);
    });
  }

  it("rounds to other places when asked", () => {
    expect(roundHalfUp("2.5", 0).toString()).to.equal("3");
    expect(roundHalfEven("2.5", 0).toString()).to.equal("2");
    expect(roundHalfUp("1.23456785", 7).toString()).to.equal("1.2345679");
  });

  it("a negated amount rounds to the mirror image", () => {
    fc.assert(
      fc.property(fc.integer({ min: -10_000_000, max: 10_000_000 }), (thousandths) => {
        const value = new Decimal(thousandths).dividedBy(1000);
        expect(roundHalfUp(value.negated()).plus(roundHalfUp(value)).toNumber()).to.equal(0);
      }),
      CASES,
    );
  });
});

describe("money: text and cents", () => {
  it("writes a fixed number of decimals, refuses to drop any, and knows no negative zero", () => {
    expect(["12.5", "0", "-0", "-3.1"].map((value) => formatDecimal(value))).to.deep.equal(["12.50", "0.00", "0.00", "-3.10"]);
    expect(formatDecimal("1.123456", 6)).to.equal("1.123456");
    expect(formatDecimal("1000000000000000000000.5")).to.equal("1000000000000000000000.50");
    expect(() => formatDecimal("1.005")).to.throw(RangeError);
    expect(formatAmount("1.005")).to.equal("1.01");
    expect(formatAmount("-0.004")).to.equal("0.00");
  });

  it("counts cents", () => {
    expect([toCents("12.50"), toCents("-0.01"), toCents(0.1), toCents("-0")]).to.deep.equal([1250, -1, 10, 0]);
    expect([fromCents(1250), fromCents(-5), fromCents(0)]).to.deep.equal(["12.50", "-0.05", "0.00"]);
    expect(() => toCents("0.005")).to.throw(RangeError);
    expect(() => toCents("1000000000000000")).to.throw(RangeError);
    expect(() => fromCents(0.5)).to.throw(RangeError);
  });

  it("cents survive the way to text and back", () => {
    fc.assert(
      fc.property(anyCents, (cents) => {
        expect(toCents(fromCents(cents))).to.equal(cents);
      }),
      CASES,
    );
  });
});

describe("money: laying out a total", () => {
  const laid = (total: string, weights: number[]): string[] => allocate(total, weights).map((share) => share.toFixed(2));

  it("gives the residue to the largest weight, the first among equals", () => {
    expect(laid("40", [480, 480, 0, 0, 480])).to.deep.equal(["13.34", "13.33", "0.00", "0.00", "13.33"]);
    expect(laid("0.05", [1, 2, 2])).to.deep.equal(["0.01", "0.02", "0.02"]);
    expect(laid("0.02", [1, 1, 1])).to.deep.equal(["0.00", "0.01", "0.01"]);
    expect(laid("10", [1, 3, 3])).to.deep.equal(["1.43", "4.28", "4.29"]);
  });

  it("gives nothing to weights that are all zero and refuses negative ones", () => {
    expect(laid("40", [0, 0])).to.deep.equal(["0.00", "0.00"]);
    expect(() => allocate("40", [1, -1])).to.throw(RangeError);
    expect(() => allocate("40", [Number.NaN])).to.throw(RangeError);
  });

  it("never changes the total", () => {
    const weights = fc
      .array(fc.integer({ min: 0, max: 1440 }), { minLength: 1, maxLength: 30 })
      .filter((all) => all.some((one) => one > 0));
    fc.assert(
      fc.property(anyCents, weights, (cents, all) => {
        const shares = allocate(new Decimal(cents).dividedBy(100), all, roundHalfEven);
        expect(toCents(sum(shares))).to.equal(cents);
        for (const [index, weight] of all.entries()) if (weight === 0) expect(shares[index]?.isZero()).to.equal(true);
      }),
      CASES,
    );
  });
});

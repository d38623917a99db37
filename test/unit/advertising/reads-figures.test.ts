import { expect } from "chai";
import { Decimal } from "../../../core/values/money.ts";
import {
  amount,
  byCost,
  exact,
  figuresOf,
  fraction,
  sumsOf,
  total,
  whole,
} from "../../../integrations/advertising/reads/figures.ts";
import { AdsFailure } from "../../../mixins/google-ads/failure.ts";

describe("money of the provider", () => {
  const cases: [micros: string | undefined, units: number | null][] = [
    [undefined, null],
    ["0", 0],
    ["1", 0],
    ["4999", 0],
    ["5000", 0.01],
    ["1005000", 1.01],
    ["1004999", 1],
    ["-5000", -0.01],
    ["12345670000", 12345.67],
    // As doubles these micros would be 9007199254740992 and end on …, an amount of another cent.
    ["9007199254745000", 9007199254.75],
    ["9007199254744999", 9007199254.74],
  ];
  for (const [micros, units] of cases) it(`of ${micros} micros is ${units}`, () => expect(amount(micros)).to.equal(units));

  it("is exact for 2,000 amounts", () => {
    for (let n = 0; n < 2000; n += 1) {
      const micros = BigInt(n) * 7_919_000_003n + 4_999n;
      const cents = (micros + 5000n) / 10_000n;
      expect(amount(micros.toString())?.toFixed(2)).to.equal(`${cents / 100n}.${String(cents % 100n).padStart(2, "0")}`);
    }
  });
});

describe("figures", () => {
  const metrics = {
    impressions: "3000",
    clicks: "70",
    costMicros: "123456789",
    conversions: 3.335,
    conversionsValue: 1000.005,
    allConversions: 4,
  };

  it("are rounded once, money and conversions to 2 decimals, fractions to 6", () => {
    expect(figuresOf(sumsOf(metrics))).to.deep.equal({
      impressions: 3000,
      clicks: 70,
      cost: 123.46,
      conversions: 3.34,
      conversions_value: 1000.01,
      all_conversions: 4,
      ctr: 0.023333,
      average_cpc: 1.76,
      conversion_rate: 0.047643,
      cost_per_conversion: 37.02,
      value_per_conversion: 299.85,
    });
  });

  it("of nothing are zeros, and ratios over nothing are null", () => {
    const none = { ctr: null, average_cpc: null, conversion_rate: null, cost_per_conversion: null, value_per_conversion: null };
    const zeros = { impressions: 0, clicks: 0, cost: 0, conversions: 0, conversions_value: 0, all_conversions: 0 };
    expect(figuresOf(sumsOf(undefined))).to.deep.equal({ ...zeros, ...none });
    expect(figuresOf(sumsOf({ costMicros: "1000000" }))).to.deep.equal({ ...zeros, cost: 1, ...none });
  });

  it("of a total are computed from sums, not from what rows show", () => {
    const rows = Array.from({ length: 3 }, () => sumsOf({ costMicros: "4000", clicks: "1", conversions: 0.004, impressions: 3 }));
    expect(rows.map(figuresOf)).to.deep.equal(Array(3).fill({ ...figuresOf(rows[0] as never), cost: 0, conversions: 0 }));
    expect(figuresOf(total(rows))).to.deep.include({ cost: 0.01, conversions: 0.01, ctr: 0.333333, average_cpc: 0 });
    expect(figuresOf(total(rows)).cost_per_conversion).to.equal(1);
  });

  it("keep whole numbers beyond the doubles while they are added", () => {
    const large = sumsOf({ costMicros: "9007199254740993", impressions: "9007199254740993" });
    expect(total([large, sumsOf({ costMicros: "1" })]).costMicros).to.equal(9_007_199_254_740_994n);
  });

  it("add up numbers as the digits they are written with", () => {
    const tenths = Array.from({ length: 10 }, () => sumsOf({ conversions: 0.1 }));
    expect(total(tenths).conversions).to.deep.equal(new Decimal(1));
  });

  it("are ordered by cost, the dearest first", () => {
    const of = (costMicros: string) => ({ sums: sumsOf({ costMicros }) });
    const sorted = [of("9"), of("9007199254740993"), of("9007199254740992")].toSorted(byCost);
    expect(sorted.map(({ sums }) => sums.costMicros)).to.deep.equal([9_007_199_254_740_993n, 9_007_199_254_740_992n, 9n]);
  });

  it("of another type are an unreadable answer", () => {
    for (const wrong of ["1.5", "x", "", 1.5, null, {}]) expect(() => whole(wrong as never)).to.throw(AdsFailure);
    for (const wrong of ["1", Number.NaN, null, []]) expect(() => exact(wrong as never)).to.throw(AdsFailure);
    expect(fraction(undefined, 4)).to.equal(null);
    expect(fraction(0.12345678, 6)).to.equal(0.123457);
  });
});

import { expect } from "chai";
import fc from "fast-check";
import { decimal, fromCents } from "../../../../core/values/money.ts";
import {
  type IncreaseMode,
  increaseBase,
  increased,
  monthlyEquivalent,
  type Price,
  priceAt,
} from "../../../../core/values/prices.ts";
import { anyDate, CASES } from "./support.ts";

// Not in order, as a table may give them.
const PRICES: readonly Price[] = [
  { amount: "99.00", valid_from: "2026-03-01" },
  { amount: "90.00", valid_from: "2026-01-15" },
  { amount: "120.00", valid_from: "2027-01-01" },
];

describe("the price on a date", () => {
  const rows: [date: string, price: string | null][] = [
    ["2026-01-14", null],
    ["2026-01-15", "90.00"],
    ["2026-02-28", "90.00"],
    ["2026-03-01", "99.00"],
    ["2026-12-31", "99.00"],
    ["2030-01-01", "120.00"],
  ];
  for (const [date, price] of rows)
    it(`${price} on ${date}`, () => {
      expect(priceAt(PRICES, date)).to.equal(price);
    });

  it("does not depend on the order of the history", () => {
    const history = fc.uniqueArray(
      fc.record({ amount: fc.nat({ max: 99_999 }).map(fromCents), valid_from: anyDate("2026-01-01", "2026-12-31") }),
      { selector: ({ valid_from }) => valid_from, maxLength: 12 },
    );
    fc.assert(
      fc.property(history, anyDate("2025-12-01", "2027-01-31"), (prices, date) => {
        const sorted = [...prices].sort((one, other) => (one.valid_from < other.valid_from ? -1 : 1));
        const expected = sorted.findLast(({ valid_from }) => valid_from <= date)?.amount ?? null;
        expect(priceAt(prices, date)).to.equal(expected);
        expect(priceAt(new Set(prices), date)).to.equal(expected);
      }),
      CASES,
    );
  });
});

describe("the price an increase starts from", () => {
  const rows: [validFrom: string, base: string | null][] = [
    ["2026-01-14", null],
    ["2026-01-15", "90.00"],
    ["2026-01-16", "90.00"],
    ["2026-03-01", "90.00"],
    ["2026-03-02", "99.00"],
    ["2027-01-01", "99.00"],
    ["2027-01-02", "120.00"],
  ];
  for (const [validFrom, base] of rows)
    it(`${base} from ${validFrom}`, () => {
      expect(increaseBase(PRICES, validFrom)).to.equal(base);
      expect(increaseBase(new Set(PRICES).values(), validFrom)).to.equal(base);
    });

  it("is the one before an increase of its own date, unless another price is before that date", () => {
    const first = { amount: "94.50", valid_from: "2026-01-15", increased_from: "90.00" };
    const later = { amount: "99.00", valid_from: "2026-03-01", increased_from: "94.50" };
    expect(increaseBase([first, later], "2026-01-15")).to.equal("90.00");
    expect(increaseBase([{ ...first, increased_from: null }], "2026-01-15")).to.equal("94.50");
    expect(increaseBase([first, later], "2026-02-01")).to.equal("94.50");
    expect(increaseBase([first, later], "2026-03-01")).to.equal("94.50");
    expect(increaseBase([later], "2026-03-02")).to.equal("99.00");
  });

  it("is absent without a history", () => {
    expect(increaseBase([], "2026-01-01")).to.equal(null);
  });
});

describe("increases", () => {
  const rows: [base: string, mode: IncreaseMode, value: string, price: string][] = [
    ["80.55", "percent", "5", "84.58"],
    ["80.55", "percent", "10", "88.61"],
    ["10.00", "percent", "-99.99", "0.00"],
    ["0.10", "percent", "5", "0.11"],
    ["100.00", "percent", "0", "100.00"],
    ["100.00", "percent", "2.375", "102.38"],
    ["100.00", "amount", "2.5", "102.50"],
    ["100.00", "amount", "-99.99", "0.01"],
    ["50.00", "amount", "-60", "0.00"],
    ["50.00", "set", "12.345", "12.35"],
    ["50.00", "set", "-3", "0.00"],
  ];
  for (const [base, mode, value, price] of rows)
    it(`${base} by ${mode} ${value} is ${price}`, () => {
      expect(increased(base, mode, value, "EUR")).to.equal(price);
    });

  it("never fall below zero and do not compound on one date", () => {
    const change = fc.record({
      mode: fc.constantFrom<IncreaseMode>("percent", "amount", "set"),
      value: fc.integer({ min: -9999, max: 50_000 }).map(fromCents),
    });
    fc.assert(
      fc.property(
        fc.nat({ max: 1_000_000 }).map(fromCents),
        fc.array(change, { minLength: 1, maxLength: 5 }),
        (opening, changes) => {
          let prices: Price[] = [{ amount: opening, valid_from: "2026-01-01" }];
          for (const { mode, value } of changes) {
            const amount = increased(increaseBase(prices, "2026-07-01") ?? "0", mode, value, "EUR");
            prices = [...prices.filter(({ valid_from }) => valid_from !== "2026-07-01"), { amount, valid_from: "2026-07-01" }];
            expect(decimal(amount).isNegative()).to.equal(false);
          }
          const last = changes.at(-1) ?? { mode: "set", value: "0" };
          expect(priceAt(prices, "2026-07-01")).to.equal(increased(opening, last.mode, last.value, "EUR"));
        },
      ),
      CASES,
    );
  });
});

describe("a price per month", () => {
  const rows: [amount: string, months: number, monthly: string][] = [
    ["90.00", 1, "90.00"],
    ["100.00", 3, "33.33"],
    ["1000.00", 12, "83.33"],
    ["0.06", 12, "0.01"],
  ];
  for (const [amount, months, monthly] of rows)
    it(`${amount} per ${months} months is ${monthly}`, () => {
      expect(monthlyEquivalent(amount, months, "EUR")).to.equal(monthly);
    });
});

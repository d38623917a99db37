import fc from "fast-check";
import { dateOfDayNumber, dayNumber, type IsoDate } from "../../../../core/calendar/calendar.ts";
import { fromCents } from "../../../../core/values/money.ts";
import type { Pricing, TaxCategory } from "../../../../services/money/calculation/groups.ts";
import type { TotalledLine } from "../../../../services/money/calculation/totals.ts";
import { lineAmount } from "../../../../services/money/calculation/totals.ts";
import { cases } from "../../../support/cases.ts";

/** Every property runs this many cases. */
export const CASES = cases(1000);

/** Prices in euros, which contain the tax or do not. */
export const eur = (prices_include_tax: boolean): Pricing => ({ prices_include_tax, currency: "EUR" });

/** A line as documents hold it, as far as calculation sees it. */
export interface Line extends TotalledLine {
  readonly amount: string;
  readonly quantity: string;
  readonly unit_price: string;
}

/** The name of a category as the examples of §18 abbreviate it: 9 is reduced, 0 is zero, any other rate standard. */
const categoryOf = (pct: number): TaxCategory => (pct === 9 ? "reduced" : pct === 0 ? "zero" : "standard");

/** A line of the worked examples: quantity × price at a percentage. */
export const line = (
  quantity: number | string,
  unit_price: number | string,
  pct: number,
  category = categoryOf(pct),
  tax_name = "",
): Line => ({
  quantity: String(quantity),
  unit_price: String(unit_price),
  amount: lineAmount(quantity, unit_price, "EUR"),
  tax_rate_pct: String(pct),
  tax_category: category,
  tax_name,
});

const anyRate = fc.constantFrom<[number, TaxCategory]>(
  [21, "standard"],
  [9, "reduced"],
  [5.5, "reduced"],
  [0, "zero"],
  [0, "exempt"],
  [21, "reverse_charge"],
  [0, "reverse_charge"],
  [20, "standard"],
  [20, "reduced"],
  [100, "standard"],
);

/** Any line below the limits of one document of 200. */
export const anyLine: fc.Arbitrary<Line> = fc
  .record({
    quantity: fc.integer({ min: -50_000, max: 50_000 }),
    price: fc.oneof(fc.integer({ min: -3_000_000, max: 3_000_000 }), fc.integer({ min: -99, max: 99 })),
    rate: anyRate,
    name: fc.constantFrom("", "VAT"),
  })
  .map(({ quantity, price, rate: [pct, category], name }) => line(fromCents(quantity), fromCents(price), pct, category, name));

export const anyLines = fc.array(anyLine, { maxLength: 40 });

export const anyDate = (from: IsoDate, to: IsoDate): fc.Arbitrary<IsoDate> =>
  fc.integer({ min: dayNumber(from), max: dayNumber(to) }).map(dateOfDayNumber);

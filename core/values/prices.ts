import type { IsoDate } from "../calendar/calendar.ts";
import { formatRounded } from "./currencies.ts";
import { Decimal, type DecimalInput, type DecimalText, decimal } from "./money.ts";

/** A price and its first day. */
export interface Price {
  readonly amount: DecimalText;
  readonly valid_from: IsoDate;
  /** The amount that an increase of `valid_from` started from; null or absent where the price was set. */
  readonly increased_from?: DecimalText | null;
}

export type IncreaseMode = "percent" | "amount" | "set";

/** The price on a date: the newest one with its first day on or before it; null without one. The date of a period is its end (money §9). */
export function priceAt(prices: Iterable<Price>, date: IsoDate): DecimalText | null {
  return newest(prices, ({ valid_from }) => valid_from <= date)?.amount ?? null;
}

/**
 * The price that an increase builds on (money §9 "Price increase", assets §3): the newest before its date, so that repeating the same date
 * does not compound; otherwise the price of that date. Null without either.
 */
export function basePrice<P extends Price>(prices: Iterable<P>, validFrom: IsoDate): P | null {
  const all = [...prices];
  return (
    newest(all, ({ valid_from }) => valid_from < validFrom) ?? all.find(({ valid_from }) => valid_from === validFrom) ?? null
  );
}

/**
 * The amount that an increase builds on. Where that is the price of its own date, an increase of the same date is undone first, so that it
 * does not compound either.
 */
export function increaseBase(prices: Iterable<Price>, validFrom: IsoDate): DecimalText | null {
  const base = basePrice(prices, validFrom);
  return (base?.valid_from === validFrom ? base.increased_from : null) ?? base?.amount ?? null;
}

/** The price after an increase, as text with 2 decimals: by a percentage, by an amount, or set to a value; never below zero (money §9). */
export function increased(base: DecimalInput, mode: IncreaseMode, value: DecimalInput, currency: string): DecimalText {
  const before = decimal(base);
  const by = decimal(value);
  const after = mode === "percent" ? before.times(by.plus(100)).dividedBy(100) : mode === "amount" ? before.plus(by) : by;
  return formatRounded(Decimal.max(0, after), currency);
}

/** The monthly equivalent of a price per `months`, as text with 2 decimals (money §9). */
export function monthlyEquivalent(amount: DecimalInput, months: number, currency: string): DecimalText {
  return formatRounded(decimal(amount).dividedBy(months), currency);
}

function newest<P extends Price>(prices: Iterable<P>, counts: (price: P) => boolean): P | null {
  let found: P | null = null;
  for (const price of prices) if (counts(price) && (found === null || price.valid_from > found.valid_from)) found = price;
  return found;
}

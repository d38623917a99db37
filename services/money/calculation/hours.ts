import { formatRounded } from "../../../core/values/currencies.ts";
import { type DecimalInput, type DecimalText, decimal, roundHalfUp, sum } from "../../../core/values/money.ts";
import { formatPrice, PRICE_PLACES } from "./totals.ts";

/**
 * The quantity of a line that bills minutes: hours, rounded once after summing to 4 decimals, as text with 2 to 4 (money §8 "from-time").
 * Two decimals would bill 0.08 hours for a five-minute call.
 */
export function billedHours(minutes: Iterable<number>): DecimalText {
  return formatPrice(roundHalfUp(sum(minutes).dividedBy(60), PRICE_PLACES));
}

/**
 * The value of entries in the organisation's currency: minutes × hourly rate ÷ 60, rounded once after summing, as text with 2 decimals
 * (money §8 "Rate of an entry").
 */
export function worthOf(
  entries: Iterable<{ readonly minutes: number; readonly rate: DecimalInput }>,
  currency: string,
): DecimalText {
  const exact = sum(Array.from(entries, ({ minutes, rate }) => decimal(rate).times(minutes))).dividedBy(60);
  return formatRounded(exact, currency);
}

import { type DecimalInput, type DecimalText, decimal, formatAmount, sum } from "../../../core/values/money.ts";

/** The quantity of a line that bills minutes: hours, rounded once after summing, as text with 2 decimals (money §8 "from-time"). */
export function billedHours(minutes: Iterable<number>): DecimalText {
  return formatAmount(sum(minutes).dividedBy(60));
}

/** What entries are worth: minutes × hourly rate ÷ 60, rounded once after summing, as text with 2 decimals (money §8 "Rate of an entry"). */
export function worthOf(entries: Iterable<{ readonly minutes: number; readonly rate: DecimalInput }>): DecimalText {
  return formatAmount(sum(Array.from(entries, ({ minutes, rate }) => decimal(rate).times(minutes))).dividedBy(60));
}

import { type DecimalInput, decimal, formatDecimal, roundHalfEven, roundHalfUp } from "../../core/money.ts";

/** Hours as decimal text with 2 decimals: `"7.33"`. */
export type Hours = string;

/**
 * Hours of a total of whole minutes: minutes ÷ 60, 2 decimals, half up. To be applied once, to the total; hours of parts
 * are for display and are never summed back (people chapter §1, "Hours"). Throws RangeError on parts of a minute.
 */
export function hoursOfMinutes(minutes: number): Hours {
  if (!Number.isInteger(minutes)) throw new RangeError(`not whole minutes: ${minutes}`);
  return formatDecimal(roundHalfUp(decimal(minutes).dividedBy(60)));
}

/** Any other figure in hours as text: 2 decimals, half to even (people chapter §1, "Hours"). */
export function hoursText(hours: DecimalInput): Hours {
  return formatDecimal(roundHalfEven(hours));
}

/** Whether two figures in hours are the same number: `"0"` = `"0.00"` (people chapter §1, "Hours"). */
export function sameHours(one: DecimalInput | null, other: DecimalInput | null): boolean {
  if (one === null || other === null) return one === other;
  return decimal(one).equals(decimal(other));
}

/**
 * Day equivalents of a figure in hours: hours ÷ the average day of the person's week, 2 decimals, half to even (people
 * chapter §2 "Average day", §6 "Preview"). A week without working days has no average day: `"0.00"`.
 */
export function dayEquivalents(hours: DecimalInput, averageDay: DecimalInput): Hours {
  const divisor = decimal(averageDay);
  return divisor.isZero() ? "0.00" : hoursText(decimal(hours).dividedBy(divisor));
}

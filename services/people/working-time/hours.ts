import { type DecimalInput, decimal, formatDecimal, roundHalfEven } from "../../../core/values/money.ts";

/** Hours as decimal text with 2 decimals: `"7.33"`. */
export type Hours = string;

/**
 * Hours of a total of whole minutes: minutes ÷ 60, 2 decimals, half up. To be applied once, to the total; hours of parts
 * are for display and are never summed back (people chapter §1, "Hours"). Throws RangeError on parts of a minute and on
 * less than none.
 */
export function hoursOfMinutes(minutes: number): Hours {
  if (!Number.isSafeInteger(minutes) || minutes < 0) throw new RangeError(`not whole minutes: ${minutes}`);
  const hundredths = Math.floor((minutes * 10 + 3) / 6); // minutes × 100 ÷ 60, half up, in whole numbers
  return `${Math.floor(hundredths / 100)}.${String(hundredths % 100).padStart(2, "0")}`;
}

const ROUNDED = /^(?:0|[1-9]\d*)\.\d\d$/;

/** Any other figure in hours as text: 2 decimals, half to even (people chapter §1, "Hours"). */
export function hoursText(hours: DecimalInput): Hours {
  // Stored figures are rounded already, and a year of a team has thousands.
  return typeof hours === "string" && ROUNDED.test(hours) ? hours : formatDecimal(roundHalfEven(hours));
}

/** Whether two figures in hours are the same number: `"0"` = `"0.00"` (people chapter §1, "Hours"). */
export function sameHours(one: DecimalInput | null, other: DecimalInput | null): boolean {
  if (one === null || other === null) return one === other;
  return decimal(one).equals(decimal(other));
}

/**
 * Day equivalents of a figure in minutes: minutes ÷ the average day of the person's week, which divides as minutes, so that 20 days
 * of 7 h 20 are 20.00 days; 2 decimals, half to even (people chapter §2 "Average day", §6 "Preview"). A week without working days has
 * no average day: `"0.00"`.
 */
export function dayEquivalents(minutes: number, averageDayMinutes: number): Hours {
  return averageDayMinutes === 0 ? "0.00" : hoursText(decimal(minutes).dividedBy(averageDayMinutes));
}

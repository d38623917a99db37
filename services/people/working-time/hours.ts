import { type DecimalInput, decimal, formatDecimal, roundHalfEven } from "../../../core/values/money.ts";

/** Hours as decimal text with 2 decimals: `"7.33"`. */
export type Hours = string;

/**
 * Converts a total of whole minutes to hours: minutes ÷ 60, 2 decimals, half up (people chapter §1, "Hours"). Apply it once, to the total;
 * hours of parts are for display and are never summed. Throws RangeError on fractional or negative minutes.
 */
export function hoursOfMinutes(minutes: number): Hours {
  if (!Number.isSafeInteger(minutes) || minutes < 0) throw new RangeError(`not whole minutes: ${minutes}`);
  const hundredths = Math.floor((minutes * 10 + 3) / 6); // minutes × 100 ÷ 60, half up, in whole numbers
  return `${Math.floor(hundredths / 100)}.${String(hundredths % 100).padStart(2, "0")}`;
}

const ROUNDED = /^(?:0|[1-9]\d*)\.\d\d$/;

/** Any other figure in hours as text: 2 decimals, half to even (people chapter §1, "Hours"). */
export function hoursText(hours: DecimalInput): Hours {
  // Stored figures are already rounded, and a team's year has thousands of them.
  return typeof hours === "string" && ROUNDED.test(hours) ? hours : formatDecimal(roundHalfEven(hours));
}

/** Whether two figures in hours are equal numbers: `"0"` = `"0.00"` (people chapter §1, "Hours"). */
export function sameHours(one: DecimalInput | null, other: DecimalInput | null): boolean {
  if (one === null || other === null) return one === other;
  return decimal(one).equals(decimal(other));
}

/**
 * Converts minutes to day equivalents: minutes ÷ the average day of the person's week, 2 decimals, half to even (people chapter §2
 * "Average day", §6 "Preview"). It divides minutes, so 20 days of 7 h 20 are 20.00 days. A week without working days gives `"0.00"`.
 */
export function dayEquivalents(minutes: number, averageDayMinutes: number): Hours {
  return averageDayMinutes === 0 ? "0.00" : hoursText(decimal(minutes).dividedBy(averageDayMinutes));
}

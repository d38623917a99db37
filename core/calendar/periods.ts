import { addMonths, endOf, type IsoDate } from "./dates.ts";

/** The most open periods that are offered of one agreement or domain. */
export const MOST_PERIODS = 24;
const MONTHS = { monthly: 1, quarterly: 3, yearly: 12 };

/** The length of a period, in months (money §9). */
export function periodMonths(interval: keyof typeof MONTHS, intervalCount: number): number {
  return MONTHS[interval] * intervalCount;
}

/** Where in a month all boundaries are: at its end; null is the day of the boundary before. */
export type Anchor = "month_end" | null;

/**
 * The boundary `count` periods of `months` later, earlier when negative. Each step starts from the one before, clamped to the end of
 * the month, so a clamp sticks: 31 January, 28 February, 28 March. With the anchor `month_end` each is the last day of its month:
 * 31 January, 28 February, 31 March (money §9 "Month arithmetic", "Anchor"). Throws RangeError outside 0001–9999.
 */
export function addPeriod(date: IsoDate, months: number, count: number, anchor: Anchor = null): IsoDate {
  let boundary = date;
  for (let step = 0; step < Math.abs(count); step++) {
    boundary = addMonths(boundary, Math.sign(count) * months);
    if (anchor === "month_end") boundary = endOf("month", boundary);
  }
  return boundary;
}

/** The boundary after a boundary, or after the start; null when it would be past the end, or past the calendar (money §9). */
export function nextBoundary(date: IsoDate, months: number, endDate: IsoDate | null, anchor: Anchor = null): IsoDate | null {
  if (date > addPeriod("9999-12-31", months, -1)) return null;
  const next = addPeriod(date, months, 1, anchor);
  return endDate !== null && next > endDate ? null : next;
}

/** What the periods of an agreement follow from. */
export interface Cycle {
  readonly next_invoice_date: IsoDate | null;
  readonly start_date: IsoDate;
  readonly end_date: IsoDate | null;
  /** The organisation day its record was made. */
  readonly created_on: IsoDate;
  readonly months: number;
  /** Null unless given. */
  readonly anchor?: Anchor;
  readonly today: IsoDate;
}

/** A period to bill as a whole; its end is the boundary it is billed at. */
export interface Period {
  readonly period_start: IsoDate;
  readonly period_end: IsoDate;
  /** Its end is after today. */
  readonly future: boolean;
}

/**
 * The periods that may be billed, oldest first (money §9 "Open periods"): whole ones back from the next boundary, none that ends
 * after the end of the agreement, until one ends before its record was made or starts before the agreement does. The newest 24.
 */
export function openPeriods(cycle: Cycle): { periods: Period[]; truncated: boolean } {
  const { next_invoice_date, start_date, end_date, created_on, months, anchor = null, today } = cycle;
  const earliest = addPeriod("0001-01-01", months, 1);
  const periods: Period[] = [];
  let boundary = next_invoice_date;
  while (boundary !== null && boundary >= created_on && boundary >= earliest && periods.length <= MOST_PERIODS) {
    const period_start = addPeriod(boundary, months, -1, anchor);
    if (period_start < start_date) break;
    if (end_date === null || boundary <= end_date) periods.push({ period_start, period_end: boundary, future: boundary > today });
    boundary = period_start;
  }
  return { periods: periods.slice(0, MOST_PERIODS).reverse(), truncated: periods.length > MOST_PERIODS };
}

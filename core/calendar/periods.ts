import { addMonths, endOf, type IsoDate } from "./dates.ts";

/** Maximum open periods listed per agreement or domain. */
export const MOST_PERIODS = 24;
const MONTHS = { monthly: 1, quarterly: 3, yearly: 12 };

/** The length of a period, in months (money §9). */
export function periodMonths(interval: keyof typeof MONTHS, intervalCount: number): number {
  return MONTHS[interval] * intervalCount;
}

/** The position of all boundaries in their month: at its end, or null for the day of the previous boundary. */
export type Anchor = "month_end" | null;

/**
 * The boundary `count` periods of `months` later, earlier if negative. Each step starts from the previous one, clamped to the end of the
 * month, so a clamp sticks: 31 January, 28 February, 28 March. With the anchor `month_end` each is the last day of its month: 31 January,
 * 28 February, 31 March (money §9 "Month arithmetic", "Anchor"). Throws RangeError outside 0001–9999.
 */
export function addPeriod(date: IsoDate, months: number, count: number, anchor: Anchor = null): IsoDate {
  let boundary = date;
  for (let step = 0; step < Math.abs(count); step++) {
    boundary = addMonths(boundary, Math.sign(count) * months);
    if (anchor === "month_end") boundary = endOf("month", boundary);
  }
  return boundary;
}

/** The first boundary whose period begins within the calendar. */
export const firstBoundary = (months: number): IsoDate => addPeriod("0001-01-01", months, 1);

/** The boundary after a boundary or the start; null if it would be after the end date or outside the calendar (money §9). */
export function nextBoundary(date: IsoDate, months: number, endDate: IsoDate | null, anchor: Anchor = null): IsoDate | null {
  if (date > addPeriod("9999-12-31", months, -1)) return null;
  const next = addPeriod(date, months, 1, anchor);
  return endDate !== null && next > endDate ? null : next;
}

/** The basis of an agreement's periods. */
export interface Cycle {
  readonly next_invoice_date: IsoDate | null;
  readonly start_date: IsoDate;
  readonly end_date: IsoDate | null;
  /** The day of the record's creation, in the organisation's zone. */
  readonly created_on: IsoDate;
  readonly months: number;
  /** Defaults to null. */
  readonly anchor?: Anchor;
  readonly today: IsoDate;
}

/** A period to bill as a whole; its end is the boundary of its billing. */
export interface Period {
  readonly period_start: IsoDate;
  readonly period_end: IsoDate;
  /** Whether it ends after today. */
  readonly future: boolean;
}

/**
 * The periods that can be billed, oldest first and at most the newest 24 (money §9 "Open periods"). They go back from the next boundary,
 * skip those that end after the agreement, and stop before one that ends before the record's creation or starts before the agreement.
 */
export function openPeriods(cycle: Cycle): { periods: Period[]; truncated: boolean } {
  const { next_invoice_date, start_date, end_date, created_on, months, anchor = null, today } = cycle;
  const earliest = firstBoundary(months);
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

import { daysInclusive, firstOfYear, type IsoDate, lastOfYear, yearOf } from "../../core/calendar/calendar.ts";
import type { FieldErrors } from "./refusal.ts";

/** Days a request or a preview may span, both ends included (people chapter §1, "Windows"). */
export const MAX_SPAN_DAYS = 366;
/** Days a read window may span, both ends included: team, availability, availability days, holidays (people chapter §1). */
export const MAX_WINDOW_DAYS = 400;
/** The accepted years in queries and bodies (people chapter §1, "Years"). */
export const YEARS = { first: 2000, last: 2100 } as const;
/** The maximum hourly rate, own or default (people chapter §4). */
export const MAX_HOURLY_RATE = 100_000;

/**
 * Validates a read window: message key per field. Ends in order, at most 400 days including both (people chapter §1 "Windows", §10 "Who").
 */
export function windowErrors(from: IsoDate, to: IsoDate): FieldErrors {
  if (to < from) return { date_to: "errors.leave_end_before_start" };
  return daysInclusive(from, to) > MAX_WINDOW_DAYS ? { date_to: "errors.validation" } : {};
}

/** The window parameters of a holiday read. */
export interface HolidayQuery {
  readonly year?: number | null;
  readonly date_from?: IsoDate | null;
  readonly date_to?: IsoDate | null;
}

/**
 * The dates a holiday read covers, both inclusive (people chapter §5, "Reads"). `date_from` with `date_to` overrides `year`, which
 * defaults to today's. A single bound is ignored.
 */
export function holidayWindow(query: HolidayQuery, today: IsoDate): { from: IsoDate; to: IsoDate } {
  const { date_from, date_to } = query;
  const year = query.year ?? yearOf(today);
  return date_from && date_to ? { from: date_from, to: date_to } : { from: firstOfYear(year), to: lastOfYear(year) };
}

import { DAY_MINUTES, daysInclusive, eachDay, type IsoDate, minutesOfTime } from "../../../core/calendar/calendar.ts";
import { MAX_SPAN_DAYS } from "../limits.ts";
import type { FieldErrors } from "../refusal.ts";
import { type Hours, hoursOfMinutes } from "./hours.ts";
import { scheduledDay, type WeekSources } from "./schedule.ts";
import { dayMinutes } from "./week.ts";

/** A leave span: dates, both inclusive, and the bounds of a window; a null bound is the edge of the day. */
export interface Span {
  readonly start_date: IsoDate;
  readonly end_date: IsoDate;
  readonly start_time: string | null;
  readonly end_time: string | null;
}

/** Why a day of a span costs nothing. */
export type FreeReason = "not_scheduled" | "holiday" | "outside_hours";

/** One day of a span: whole minutes, the same in hours for display, and the reason if it costs nothing. */
export interface DayCost {
  readonly date: IsoDate;
  readonly minutes: number;
  readonly hours: Hours;
  readonly reason: FreeReason | null;
}

/** The price of a span. `hours` is rounded once, on the total; the hours of `breakdown` may not add up to it. */
export interface SpanCost {
  readonly minutes: number;
  readonly hours: Hours;
  readonly breakdown: readonly DayCost[];
}

/**
 * Validates a span: message key per field (people chapter §1 "Windows", §2). End not before start; at most 366 days; on a single day the
 * end time after the start time; over several days any times.
 */
export function spanErrors(span: Span): FieldErrors {
  if (span.end_date < span.start_date) return { end_date: "errors.leave_end_before_start" };
  if (daysInclusive(span.start_date, span.end_date) > MAX_SPAN_DAYS) return { end_date: "errors.validation" };
  return windowErrorsOn(span);
}

/** The same-day rule of a window (people chapter §2; patterns too, §9): the end time is after the start time. */
function windowErrorsOn({ start_date, end_date, start_time, end_time }: Span): FieldErrors {
  if (start_date !== end_date || start_time === null || end_time === null) return {};
  const inOrder = minutesOfTime(end_time) > minutesOfTime(start_time);
  return inOrder ? {} : { end_time: "errors.leave_end_time_before_start" };
}

function dayCost(person: WeekSources, holidays: ReadonlySet<IsoDate>, span: Span, date: IsoDate): DayCost {
  const day = scheduledDay(person, date);
  const free = (reason: FreeReason): DayCost => ({ date, minutes: 0, hours: "0.00", reason });
  if (dayMinutes(day) === 0) return free("not_scheduled");
  if (holidays.has(date)) return free("holiday");
  const from = date === span.start_date && span.start_time !== null ? minutesOfTime(span.start_time) : 0;
  const to = date === span.end_date && span.end_time !== null ? minutesOfTime(span.end_time) : DAY_MINUTES;
  const minutes = dayMinutes(day, from, to);
  return minutes === 0 ? free("outside_hours") : { date, minutes, hours: hoursOfMinutes(minutes), reason: null };
}

/**
 * The price of a span for one person, day by day with that day's week (people chapter §2, "Price of a span"). An unscheduled day and an
 * active holiday cost nothing; other days cost the paid minutes within the window, clamped to the block. Preview, create, edit, pattern and
 * import all use this function, so the previewed figure is the stored one. `holidays` are the dates of active holidays, seeded before
 * pricing. Throws RangeError on a malformed date or time; check the span with {@link spanErrors} first.
 */
export function spanCost(span: Span, person: WeekSources, holidays: ReadonlySet<IsoDate>): SpanCost {
  const breakdown = eachDay(span.start_date, span.end_date).map((date) => dayCost(person, holidays, span, date));
  const minutes = breakdown.reduce((total, day) => total + day.minutes, 0);
  return { minutes, hours: hoursOfMinutes(minutes), breakdown };
}

/** The window of a span with its omitted bound filled in; both null for whole days. */
export interface ResolvedWindow {
  readonly resolved_start_time: string | null;
  readonly resolved_end_time: string | null;
}

/**
 * The display window of a span, frozen when the span is written: an omitted bound is that day's start or end of work (people chapter §6).
 * Both null for whole days; a bound on a day without work is null.
 */
export function displayWindow(span: Span, person: WeekSources): ResolvedWindow {
  if (span.start_time === null && span.end_time === null) {
    return { resolved_start_time: null, resolved_end_time: null };
  }
  return {
    resolved_start_time: span.start_time ?? scheduledDay(person, span.start_date)?.start ?? null,
    resolved_end_time: span.end_time ?? scheduledDay(person, span.end_date)?.end ?? null,
  };
}

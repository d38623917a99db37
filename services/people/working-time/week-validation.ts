import { isTime, minutesOfTime, timeOfMinutes } from "../../../core/calendar/calendar.ts";
import { type Decision, type FieldErrors, invalid, refuse } from "../refusal.ts";
import { type Stretch, sharedMinutes } from "./stretches.ts";
import { blockOf, breaksOf, dayMinutes, type TimeWindow, WEEKDAYS, type WorkDay, type WorkWeek } from "./week.ts";

/** A day in requests: times with or without seconds, breaks optional and in any order. */
export interface WorkDayWrite extends TimeWindow {
  readonly breaks?: readonly TimeWindow[];
}

/** A week in requests; an absent day is not worked. */
export type WorkWeekWrite = Readonly<Partial<Record<(typeof WEEKDAYS)[number], WorkDayWrite | null>>>;

function withoutSeconds({ start, end }: TimeWindow): TimeWindow {
  return { start: timeOfMinutes(minutesOfTime(start)), end: timeOfMinutes(minutesOfTime(end)) };
}

function isWindow(window: TimeWindow): boolean {
  return isTime(window.start) && isTime(window.end);
}

function overlaps(sorted: readonly Stretch[]): boolean {
  return sorted.some((one, index) => sorted.slice(index + 1).some((other) => sharedMinutes(one, other) > 0));
}

function dayError(day: WorkDay): string | null {
  const block = blockOf(day);
  const breaks = breaksOf(day);
  if (block.end <= block.start) return "errors.leave_schedule_day_invalid";
  if (breaks.some(({ start, end }) => end <= start)) return "errors.leave_schedule_break_invalid";
  if (breaks.some(({ start, end }) => start < block.start || end > block.end)) {
    return "errors.leave_schedule_break_outside";
  }
  if (overlaps(breaks)) return "errors.leave_schedule_breaks_overlap";
  return dayMinutes(day) === 0 ? "errors.leave_schedule_day_empty" : null;
}

function readDay(sent: WorkDayWrite | null | undefined): { day: WorkDay | null; error: string | null } {
  if (sent === null || sent === undefined) return { day: null, error: null };
  const breaks = sent.breaks ?? [];
  if (!isWindow(sent)) return { day: null, error: "errors.leave_schedule_day_invalid" };
  if (!breaks.every(isWindow)) return { day: null, error: "errors.leave_schedule_break_invalid" };
  const sorted = breaks.map(withoutSeconds).sort((a, b) => minutesOfTime(a.start) - minutesOfTime(b.start));
  const day = { ...withoutSeconds(sent), breaks: sorted };
  return { day, error: dayError(day) };
}

/**
 * Normalises a sent week: all seven days, seconds dropped, breaks sorted by start (people chapter §2, "Week"). Refuses with one message key
 * per invalid weekday, or under `field` when no day is worked. Checks per day: day, break, outside, overlap (not touching), nothing left.
 */
export function readWeek(sent: WorkWeekWrite, field: string): Decision<{ readonly week: WorkWeek }> {
  const read = WEEKDAYS.map((weekday) => ({ weekday, ...readDay(sent[weekday]) }));
  const fields: Record<string, string> = {};
  for (const { weekday, error } of read) if (error !== null) fields[weekday] = error;
  if (Object.keys(fields).length > 0) return refuse(invalid(fields));
  if (read.every(({ day }) => day === null)) {
    const empty: FieldErrors = { [field]: "errors.leave_schedule_empty" };
    return refuse(invalid(empty));
  }
  const week = Object.fromEntries(read.map(({ weekday, day }) => [weekday, day])) as Record<
    (typeof WEEKDAYS)[number],
    WorkDay | null
  >;
  return { allowed: true, week };
}

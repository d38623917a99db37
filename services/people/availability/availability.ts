import { dateOfDayNumber, dayNumber, earlier, type IsoDate, later, minutesOfTime } from "../../../core/calendar/calendar.ts";
import type { FieldErrors } from "../refusal.ts";

/** A bend of the working week: time added or time taken out. */
export type AvailabilityKind = "extra" | "unavailable";

/** What an availability row says (people chapter §10). A bound left out is the edge of the day. */
export interface AvailabilityRule {
  readonly kind: AvailabilityKind;
  readonly date: IsoDate;
  readonly start_time: string | null;
  readonly end_time: string | null;
  /** Every n-th week, 1–8; null: on `date` only. */
  readonly repeat_weeks: number | null;
  /** The last date the repeat may fall on; null: without end. */
  readonly repeat_until: IsoDate | null;
}

/** A stored availability row; the two halves of a move share a `pair_id`. */
export interface AvailabilityEntry extends AvailabilityRule {
  readonly id: string;
  readonly pair_id: string | null;
}

/**
 * What is wrong with a row as it will be stored: message key per field. The window in order, a bound on the repeat only
 * with a repeat, and not before the date (people chapter §10); so a PATCH that clears the cadence but not its bound fails.
 */
export function availabilityErrors(rule: AvailabilityRule): FieldErrors {
  const fields: Record<string, string> = {};
  const { start_time, end_time, repeat_weeks, repeat_until } = rule;
  if (start_time !== null && end_time !== null && minutesOfTime(start_time) >= minutesOfTime(end_time)) {
    fields.end_time = "errors.leave_availability_window_invalid";
  }
  if (repeat_until !== null && repeat_weeks === null) {
    fields.repeat_until = "errors.leave_availability_repeat_required";
  } else if (repeat_until !== null && repeat_until < rule.date) {
    fields.repeat_until = "errors.leave_availability_until_invalid";
  }
  return fields;
}

/**
 * The dates of a window, ends counted, on which a row applies, in order: its own, and with a repeat every n-th week after
 * it through the bound (people chapter §10).
 */
export function occurrences(rule: AvailabilityRule, from: IsoDate, to: IsoDate): IsoDate[] {
  if (rule.repeat_weeks === null) return rule.date >= from && rule.date <= to ? [rule.date] : [];
  const first = dayNumber(rule.date);
  const last = dayNumber(rule.repeat_until === null ? to : earlier(to, rule.repeat_until));
  const cadence = 7 * rule.repeat_weeks;
  const missed = Math.max(0, Math.ceil((dayNumber(from) - first) / cadence));
  const dates: IsoDate[] = [];
  for (let day = first + missed * cadence; day <= last; day += cadence) dates.push(dateOfDayNumber(day));
  return dates;
}

/** Whether a row applies on any date of a window, ends counted: what a list of rows for the window holds (§10). */
export function appliesWithin(rule: AvailabilityRule, from: IsoDate, to: IsoDate): boolean {
  return occurrences(rule, from, to).length > 0;
}

/** A move as it is asked for: a day given up for another. */
export interface AvailabilityMove {
  readonly from_date: IsoDate;
  readonly to_date: IsoDate;
  readonly start_time: string | null;
  readonly end_time: string | null;
  readonly repeat_weeks: number | null;
  readonly repeat_until: IsoDate | null;
}

/** What is wrong with a move: two different days, and a repeat that reaches the later one (people chapter §10, "Move"). */
export function moveErrors(move: AvailabilityMove): FieldErrors {
  if (move.from_date === move.to_date) return { to_date: "errors.leave_availability_move_same_day" };
  return availabilityErrors({ ...move, kind: "extra", date: later(move.from_date, move.to_date) });
}

/**
 * What is wrong with an edited half of a move, beside what is wrong with it as a row: what a new move is refused for (people chapter §10,
 * "Move"; a PATCH checks the row as it will be).
 * @param half the half as it will be
 */
export function halfErrors(half: AvailabilityRule, other: Pick<AvailabilityRule, "date">): FieldErrors {
  if (half.date === other.date) return { date: "errors.leave_availability_move_same_day" };
  return availabilityErrors({ ...half, date: later(half.date, other.date) });
}

/**
 * The two rows of a move, to be stored in one act under one `pair_id`: unavailable all day on the one date, extra with
 * the times on the other, both with the repeat (people chapter §10, "Move").
 */
export function moveRules(move: AvailabilityMove): [unavailable: AvailabilityRule, extra: AvailabilityRule] {
  const { from_date, to_date, start_time, end_time, repeat_weeks, repeat_until } = move;
  return [
    { kind: "unavailable", date: from_date, start_time: null, end_time: null, repeat_weeks, repeat_until },
    { kind: "extra", date: to_date, start_time, end_time, repeat_weeks, repeat_until },
  ];
}

/** The rows that go with a deleted one: itself and, of a move, the other half (people chapter §10, "Move"). */
export function deletedWith<E extends AvailabilityEntry>(entry: E, entries: readonly E[]): E[] {
  return entries.filter((other) => other.id === entry.id || (entry.pair_id !== null && other.pair_id === entry.pair_id));
}

import { dateOfDayNumber, dayNumber, earlier, type IsoDate, later, minutesOfTime } from "../../../core/calendar/calendar.ts";
import type { FieldErrors } from "../refusal.ts";

/** The kind of an exception to the working week: time added or removed. */
export type AvailabilityKind = "extra" | "unavailable";

/** The rule of an availability row (people chapter §10). A null bound is the edge of the day. */
export interface AvailabilityRule {
  readonly kind: AvailabilityKind;
  readonly date: IsoDate;
  readonly start_time: string | null;
  readonly end_time: string | null;
  /** Every n-th week, 1–8; null: on `date` only. */
  readonly repeat_weeks: number | null;
  /** The last date the repeat may fall on; null: no end. */
  readonly repeat_until: IsoDate | null;
}

/** A stored availability row; the two halves of a move share a `pair_id`. */
export interface AvailabilityEntry extends AvailabilityRule {
  readonly id: string;
  readonly pair_id: string | null;
}

/**
 * Validates a row before it is stored: message key per field (people chapter §10).
 * The window must be in order. `repeat_until` requires a repeat and must not precede the date, so a PATCH that clears the cadence but
 * not the bound fails.
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
 * The dates from `from` through `to` on which a row applies, in order: its own date and, with a repeat, every n-th week up to its bound
 * (people chapter §10).
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

/** Whether a row applies on any date from `from` through `to`; the list for a window contains these rows (§10). */
export function appliesWithin(rule: AvailabilityRule, from: IsoDate, to: IsoDate): boolean {
  return occurrences(rule, from, to).length > 0;
}

/** A requested move: one day swapped for another. */
export interface AvailabilityMove {
  readonly from_date: IsoDate;
  readonly to_date: IsoDate;
  readonly start_time: string | null;
  readonly end_time: string | null;
  readonly repeat_weeks: number | null;
  readonly repeat_until: IsoDate | null;
}

/** Validates a move: two different days, and a repeat that reaches the later one (people chapter §10, "Move"). */
export function moveErrors(move: AvailabilityMove): FieldErrors {
  if (move.from_date === move.to_date) return { to_date: "errors.leave_availability_move_same_day" };
  return availabilityErrors({ ...move, kind: "extra", date: later(move.from_date, move.to_date) });
}

/**
 * Validates an edited half of a move by the rules of a new move, in addition to the rules of a row (people chapter §10, "Move").
 * @param half the half after the edit
 */
export function halfErrors(half: AvailabilityRule, other: Pick<AvailabilityRule, "date">): FieldErrors {
  if (half.date === other.date) return { date: "errors.leave_availability_move_same_day" };
  return availabilityErrors({ ...half, date: later(half.date, other.date) });
}

/**
 * The two rows of a move, stored in one transaction under one `pair_id` (people chapter §10, "Move"): unavailable all day on the first
 * date, extra with the times on the second, both with the repeat.
 */
export function moveRules(move: AvailabilityMove): [unavailable: AvailabilityRule, extra: AvailabilityRule] {
  const { from_date, to_date, start_time, end_time, repeat_weeks, repeat_until } = move;
  return [
    { kind: "unavailable", date: from_date, start_time: null, end_time: null, repeat_weeks, repeat_until },
    { kind: "extra", date: to_date, start_time, end_time, repeat_weeks, repeat_until },
  ];
}

/** The rows deleted together: the row itself and the other half of its move (people chapter §10, "Move"). */
export function deletedWith<E extends AvailabilityEntry>(entry: E, entries: readonly E[]): E[] {
  return entries.filter((other) => other.id === entry.id || (entry.pair_id !== null && other.pair_id === entry.pair_id));
}

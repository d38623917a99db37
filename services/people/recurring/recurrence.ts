import {
  addDays,
  addMonths,
  countWeekday,
  dayNumber,
  earlier,
  firstOfYear,
  type IsoDate,
  isoWeekday,
  lastOfYear,
  later,
  yearOf,
} from "../../../core/calendar/calendar.ts";
import type { LeaveType } from "../leave-types.ts";
import { YEARS } from "../limits.ts";
import { type Decision, type FieldErrors, invalid, NEEDS_MANAGER, refuse } from "../refusal.ts";
import type { Period } from "../working-time/period.ts";
import { spanErrors } from "../working-time/span-cost.ts";

/** A pattern of recurring free days of one person (people chapter §9, "Pattern"). */
export interface Pattern {
  readonly leave_type_id: string;
  /** The first day; sets the weekday. */
  readonly anchor_date: IsoDate;
  /** Weeks from one day to the next, 1–8; with `days_per_year` always the result of {@link spreadInterval}. */
  readonly interval_weeks: number;
  /** Days to spread over a full year, 1–366; null: place by interval. */
  readonly days_per_year: number | null;
  readonly start_time: string | null;
  readonly end_time: string | null;
  readonly active: boolean;
}

/** The allowed cadences of a pattern and of a repeating availability row, in weeks (people chapter §9, §10). */
export const CADENCE_WEEKS = { shortest: 1, longest: 8 } as const;

/** a ÷ b to the nearest integer, half up; for non-negative integers. */
function nearest(a: number, b: number): number {
  return Math.floor((2 * a + b) / (2 * b));
}

/** The stored interval of a spread pattern: 52 ÷ days per year, half up, 1–8 (people chapter §9, "Pattern"). */
export function spreadInterval(daysPerYear: number): number {
  return Math.min(CADENCE_WEEKS.longest, Math.max(CADENCE_WEEKS.shortest, nearest(52, daysPerYear)));
}

/**
 * The last day a pattern may reach (people chapter §9, "Placement"): the latest end of the person's contracts if none is open-ended (if
 * that is past, nothing is placed), else today + the organisation's horizon, clamped to the month's end. A contract end never counts past
 * the last supported year: some users write 9999-12-31 for "open-ended".
 */
export function horizonOf(contracts: readonly Period[], today: IsoDate, horizonMonths: number): IsoDate {
  const ends = contracts.flatMap((contract) => (contract.end_date === null ? [] : [contract.end_date]));
  if (ends.length === 0 || ends.length < contracts.length) return addMonths(today, horizonMonths);
  return earlier(ends.reduce(later), lastOfYear(YEARS.last));
}

/** A date on which a pattern may place a day. */
export interface Candidate {
  readonly date: IsoDate;
  /** The maximum of placed or spent days in its calendar year once this date is used; null without a quota. */
  readonly quota: number | null;
}

function intervalCandidates(pattern: Pattern, horizon: IsoDate): Candidate[] {
  const candidates: Candidate[] = [];
  for (let date = pattern.anchor_date; date <= horizon; date = addDays(date, 7 * pattern.interval_weeks)) {
    candidates.push({ date, quota: null });
  }
  return candidates;
}

function spreadCandidatesIn(year: number, anchor: IsoDate, daysPerYear: number, horizon: IsoDate): Candidate[] {
  const weekday = isoWeekday(anchor);
  const from = later(anchor, firstOfYear(year));
  const to = earlier(horizon, lastOfYear(year));
  const count = countWeekday(weekday, from, to);
  const target = nearest(daysPerYear * count, countWeekday(weekday, firstOfYear(year), lastOfYear(year)));
  const first = addDays(from, (weekday - isoWeekday(from) + 7) % 7);
  return Array.from({ length: count }, (_, index) => ({
    date: addDays(first, 7 * index),
    quota: Math.floor(((index + 1) * target + count - 1) / count), // ceil(k × T ÷ m)
  }));
}

/**
 * The dates on which a pattern may place, from its anchor through the horizon (people chapter §9, "Placement"). Past dates are included,
 * because quotas start at the anchor. Interval: anchor, anchor + n weeks, …; a lost date is lost. Spread, per calendar year: the m dates
 * with the anchor's weekday; target T = days per year × m ÷ that weekday's count in the full year, half up. Candidate k is used only
 * while fewer than ceil(k × T ÷ m) days of that year are placed or spent.
 */
export function candidates(pattern: Pattern, horizon: IsoDate): Candidate[] {
  const { anchor_date, days_per_year } = pattern;
  if (dayNumber(horizon) < dayNumber(anchor_date)) return [];
  if (days_per_year === null) return intervalCandidates(pattern, horizon);
  const first = yearOf(anchor_date);
  const years = Array.from({ length: yearOf(horizon) - first + 1 }, (_, index) => first + index);
  return years.flatMap((year) => spreadCandidatesIn(year, anchor_date, days_per_year, horizon));
}

/** The member who plans a pattern. */
export interface Planner {
  readonly user_id: string;
  /** Holds `leave.profile.manage`. */
  readonly manages_profiles: boolean;
}

/**
 * Decides whether a pattern may be planned (people chapter §3, §9, "Pattern"). A manager may plan any active type for anyone; other
 * members only their own, on an active self-service type. An inactive type is refused on its field.
 */
export function planDecision(
  planner: Planner,
  userId: string,
  type: Pick<LeaveType, "active" | "requires_approval">,
): Decision<object> {
  if (!planner.manages_profiles && (planner.user_id !== userId || type.requires_approval)) return refuse(NEEDS_MANAGER);
  if (!type.active) return refuse(invalid({ leave_type_id: "errors.validation" }));
  return { allowed: true };
}

/** A pattern's stored cadence: the given interval, or the one derived from its days per year (people chapter §9). */
export function storedCadence(intervalWeeks: number, daysPerYear: number | null): number {
  return daysPerYear === null ? intervalWeeks : spreadInterval(daysPerYear);
}

/** Validates a pattern: message key per field. Its window follows the same-day rule of a span (§2, §9). */
export function patternErrors(pattern: Pattern): FieldErrors {
  const { anchor_date, start_time, end_time } = pattern;
  return spanErrors({ start_date: anchor_date, end_date: anchor_date, start_time, end_time });
}

/**
 * A pattern after a PATCH (people chapter §9, "Pattern"): an absent key keeps its value; `days_per_year: null` returns to interval mode,
 * with the sent interval or the stored one; a spread overrides any interval.
 */
export function editedPattern<P extends Pattern>(stored: P, patch: Partial<Pattern>): P {
  const named = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)) as Partial<Pattern>;
  const days_per_year = patch.days_per_year === undefined ? stored.days_per_year : patch.days_per_year;
  const interval_weeks = storedCadence(patch.interval_weeks ?? stored.interval_weeks, days_per_year);
  return { ...stored, ...named, days_per_year, interval_weeks };
}

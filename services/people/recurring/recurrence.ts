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
import { YEARS } from "../limits.ts";
import { type Decision, type FieldErrors, invalid, NEEDS_MANAGER, refuse } from "../refusal.ts";
import type { LeaveType } from "../types/leave-types.ts";
import type { Period } from "../working-time/period.ts";
import { spanErrors } from "../working-time/span-cost.ts";

/** A pattern of recurring free days of one person (people chapter §9, "Pattern"). */
export interface Pattern {
  readonly leave_type_id: string;
  /** The first day; fixes the weekday. */
  readonly anchor_date: IsoDate;
  /** Weeks from one day to the next, 1–8; with `days_per_year` only what {@link spreadInterval} gives. */
  readonly interval_weeks: number;
  /** Days to spread over a full year, 1–366; null places by interval. */
  readonly days_per_year: number | null;
  readonly start_time: string | null;
  readonly end_time: string | null;
  readonly active: boolean;
}

/** The cadences a pattern and a repeating availability row may have, in weeks (people chapter §9, §10). */
export const CADENCE_WEEKS = { shortest: 1, longest: 8 } as const;

/** a ÷ b to the nearest integer, half up; for non-negative integers. */
function nearest(a: number, b: number): number {
  return Math.floor((2 * a + b) / (2 * b));
}

/** The interval a spread pattern is stored with: 52 ÷ days per year, half up, 1–8 (people chapter §9, "Pattern"). */
export function spreadInterval(daysPerYear: number): number {
  return Math.min(CADENCE_WEEKS.longest, Math.max(CADENCE_WEEKS.shortest, nearest(52, daysPerYear)));
}

/**
 * The last day a pattern may reach: the latest end of the person's contracts when none is open-ended (which may be past:
 * then nothing is placed), else today + the organisation's horizon, the day clamped to the month's end (people chapter
 * §9, "Placement"). Never past the last year the service knows: 9999-12-31 is how some write "open-ended".
 */
export function horizonOf(contracts: readonly Period[], today: IsoDate, horizonMonths: number): IsoDate {
  const ends = contracts.flatMap((contract) => (contract.end_date === null ? [] : [contract.end_date]));
  if (ends.length === 0 || ends.length < contracts.length) return addMonths(today, horizonMonths);
  return earlier(ends.reduce(later), lastOfYear(YEARS.last));
}

/** A date a pattern may be placed on, in order. */
export interface Candidate {
  readonly date: IsoDate;
  /** How many days of its calendar year may be placed or spent once this date has been used; null without a quota. */
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
 * The dates a pattern may be placed on from its anchor through the horizon, past ones included, for quotas start at the
 * anchor. Interval: anchor, anchor + n weeks, …; a lost date is lost. Spread, per calendar year: the m dates with the
 * anchor's weekday; target T = days per year × m ÷ that weekday's count in the full year, half up; candidate k may be
 * used only while fewer than ceil(k × T ÷ m) days of that year are placed or spent (people chapter §9, "Placement").
 */
export function candidates(pattern: Pattern, horizon: IsoDate): Candidate[] {
  const { anchor_date, days_per_year } = pattern;
  if (dayNumber(horizon) < dayNumber(anchor_date)) return [];
  if (days_per_year === null) return intervalCandidates(pattern, horizon);
  const first = yearOf(anchor_date);
  const years = Array.from({ length: yearOf(horizon) - first + 1 }, (_, index) => first + index);
  return years.flatMap((year) => spreadCandidatesIn(year, anchor_date, days_per_year, horizon));
}

/** Who plans a pattern. */
export interface Planner {
  readonly user_id: string;
  /** Holds `leave.profile.manage`. */
  readonly manages_profiles: boolean;
}

/**
 * Whether a pattern may be planned: a manager any active type for anyone; anybody else only an own one on an active
 * self-service type. An inactive type is refused on its field (people chapter §3, §9, "Pattern").
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

/** The cadence a pattern is stored with: the interval given, or the one its days per year amount to (people chapter §9). */
export function storedCadence(intervalWeeks: number, daysPerYear: number | null): number {
  return daysPerYear === null ? intervalWeeks : spreadInterval(daysPerYear);
}

/** What is wrong with a pattern: message key per field; its window follows the same-day rule of a span (§2, §9). */
export function patternErrors(pattern: Pattern): FieldErrors {
  const { anchor_date, start_time, end_time } = pattern;
  return spanErrors({ start_date: anchor_date, end_date: anchor_date, start_time, end_time });
}

/**
 * A pattern after a PATCH: a key left out stays; null on `days_per_year` returns to interval mode, with the interval named
 * or the stored one; a spread overrules any interval (people chapter §9, "Pattern").
 */
export function editedPattern<P extends Pattern>(stored: P, patch: Partial<Pattern>): P {
  const named = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)) as Partial<Pattern>;
  const days_per_year = patch.days_per_year === undefined ? stored.days_per_year : patch.days_per_year;
  const interval_weeks = storedCadence(patch.interval_weeks ?? stored.interval_weeks, days_per_year);
  return { ...stored, ...named, days_per_year, interval_weeks };
}

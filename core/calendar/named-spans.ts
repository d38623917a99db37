import {
  addDays,
  addDaysWithin,
  addMonths,
  CALENDAR,
  type CalendarUnit,
  dateOf,
  daysInclusive,
  endOf,
  type IsoDate,
  later,
  startOf,
} from "./dates.ts";

/** Days from `from` to `to`, both inclusive. */
export interface DaySpan {
  readonly from: IsoDate;
  readonly to: IsoDate;
}

/** A span named by a token. */
export interface NamedSpan extends DaySpan {
  /** The resolved token, normalised: `400d` for `9999d`, `365d` for `yoy`, `2026-Q3` for `2026-q3`, `30d` for an unknown token. */
  readonly token: string;
}

/** The comparison of a span: the same days a year earlier, or the days before it. */
export type Comparison = "year" | "previous";

/** Longest span, in days. */
export const LONGEST_SPAN = 400;
const DEFAULT_DAYS = 30;
const WHOLE_YEARS = new Set(["yoy", "year"]);
const RUNNING: ReadonlyMap<string, CalendarUnit> = new Map([
  ["week", "week"],
  ["month", "month"],
  ["quarter", "quarter"],
  ["ytd", "year"],
]);
const PREVIOUS: ReadonlyMap<string, CalendarUnit> = new Map([
  ["last_week", "week"],
  ["last_month", "month"],
  ["last_quarter", "quarter"],
  ["last_year", "year"],
]);
const TRAILING = /^([0-9]{1,6})d$/;
const MONTH = /^([0-9]{4})-(0[1-9]|1[0-2])$/;
const QUARTER = /^([0-9]{4})-q([1-4])$/;
/** Earlier years have no year before to compare with (marketing-ads §1). */
const FIRST_YEAR = 2;

/** The last `days` days, ending yesterday, clamped to 1..400. */
export function trailingSpan(days: number, today: IsoDate): NamedSpan {
  const kept = Math.min(LONGEST_SPAN, Math.max(1, days));
  return { from: addDays(today, -kept), to: addDays(today, -1), token: `${kept}d` };
}

/**
 * The days of a period token (marketing-ads §1). Trailing and to-date spans exclude today; a calendar period that has not begun is returned
 * whole. Case and surrounding blanks are ignored. An unknown or missing token and a year below 0002 mean `30d`, never an error.
 */
export function namedSpan(token: string | null | undefined, today: IsoDate): NamedSpan {
  const word = (token ?? "").trim().toLowerCase();
  const trailing = TRAILING.exec(word);
  if (trailing) return trailingSpan(Number(trailing[1]), today);
  if (WHOLE_YEARS.has(word)) return trailingSpan(365, today);
  return toDate(word, today) ?? whole(word, today) ?? calendarPeriod(word, today) ?? trailingSpan(DEFAULT_DAYS, today);
}

/** The current week, month, quarter or year until yesterday; on its first day the previous one. */
function toDate(word: string, today: IsoDate): NamedSpan | null {
  const unit = RUNNING.get(word);
  if (unit === undefined) return null;
  const yesterday = addDays(today, -1);
  return { from: startOf(unit, yesterday), to: yesterday, token: word };
}

function whole(word: string, today: IsoDate): NamedSpan | null {
  const unit = PREVIOUS.get(word);
  if (unit === undefined) return null;
  const to = addDays(startOf(unit, today), -1);
  return { from: startOf(unit, to), to, token: word };
}

function calendarPeriod(word: string, today: IsoDate): NamedSpan | null {
  const month = MONTH.exec(word);
  const quarter = month ? null : QUARTER.exec(word);
  const found = month ?? quarter;
  const year = Number(found?.[1]);
  if (found === null || year < FIRST_YEAR) return null;
  const number = Number(found[2]);
  const from = month ? dateOf(year, number, 1) : dateOf(year, number * 3 - 2, 1);
  const end = endOf(month ? "month" : "quarter", from);
  const yesterday = addDays(today, -1);
  return { from, to: from <= yesterday && yesterday < end ? yesterday : end, token: word.toUpperCase() };
}

/**
 * The span to compare with (marketing-ads §1). `year`: each end a calendar year earlier, with 29 February as 28 February. `previous`: for a
 * whole calendar month the month before, otherwise the same number of days before the span.
 */
export function comparedSpan({ from, to }: DaySpan, mode: Comparison): DaySpan {
  if (mode === "year") return { from: yearBefore(from), to: yearBefore(to) };
  const end = addDaysWithin(from, -1);
  if (startOf("month", from) === from && endOf("month", from) === to) return { from: startOf("month", end), to: end };
  return { from: addDaysWithin(from, -daysInclusive(from, to)), to: end };
}

const yearBefore = (date: IsoDate): IsoDate => (date < "0002-01-01" ? CALENDAR.first : addMonths(date, -12));

/** The first valid one of several stored comparisons; `year` without any. */
export function rememberedComparison(...stored: unknown[]): Comparison {
  return stored.find((mode): mode is Comparison => mode === "year" || mode === "previous") ?? "year";
}

/** A span for a report, and the corrections applied to it. */
export interface RequestedSpan extends DaySpan {
  /** Number of days, including both ends. */
  readonly days: number;
  /** The period's token; null for two dates. */
  readonly token: string | null;
  /** The dates were in reverse order. */
  readonly swapped: boolean;
  /** The span was cut to its last 400 days. */
  readonly capped: boolean;
  /** It reaches today or later, so its figures still change. */
  readonly unfinished: boolean;
}

/** The window of an advertising read: two dates override the period, a single date is ignored (marketing-ads §1 "Advertising windows"). */
export function requestedSpan(
  { date_from, date_to, period }: { date_from?: IsoDate | null; date_to?: IsoDate | null; period?: string | null },
  today: IsoDate,
): RequestedSpan {
  const dated = date_from && date_to ? { from: date_from, to: date_to } : null;
  const { from, to, token } = dated === null ? namedSpan(period, today) : { ...inOrder(dated), token: null };
  const earliest = addDaysWithin(to, 1 - LONGEST_SPAN);
  const start = later(from, earliest);
  return {
    from: start,
    to,
    days: daysInclusive(start, to),
    token,
    swapped: dated !== null && dated.from > dated.to,
    capped: start !== from,
    unfinished: to >= today,
  };
}

const inOrder = ({ from, to }: DaySpan): DaySpan => (from > to ? { from: to, to: from } : { from, to });

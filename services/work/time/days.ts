import { addDays, dateIn, dayBounds, daysBetween, eachDay, type IsoDate, startOf } from "../../../core/calendar/calendar.ts";
import { invalid } from "../../../core/declare/errors.ts";

/**
 * Days of entries are UTC days: clients send the wall clock they display as UTC (work chapter §4.1). Budget periods alone cut on the
 * organisation's midnight.
 */
export const utcDay = (instant: string): IsoDate => dateIn("UTC", instant);

/** The last date there is, and what PostgreSQL calls later than every instant of it. */
const LAST_DATE = "9999-12-31";
const AFTER_ALL = "infinity";

/** The instants that bound a UTC day: `start` included, `end` not. */
const utcBounds = (date: IsoDate): { start: string; end: string } => ({
  start: dayBounds(date, "UTC").start,
  end: date === LAST_DATE ? AFTER_ALL : dayBounds(date, "UTC").end,
});

/** The instants of an inclusive window of UTC days, the end not included; an open bound is null. */
export function utcWindow(from: IsoDate, to: IsoDate): { start: string; end: string };
export function utcWindow(from: IsoDate | null, to: IsoDate | null): { start: string | null; end: string | null };
export function utcWindow(from: IsoDate | null, to: IsoDate | null): { start: string | null; end: string | null } {
  return { start: from && utcBounds(from).start, end: to && utcBounds(to).end };
}

/** The last Monday whose week has seven days. */
const LAST_MONDAY = "9999-12-20";

/**
 * The Monday of a date's week and its seven days, Monday to Sunday; any date of the week gives the same.
 * @throws 422 `week_start: errors.validation` for the days behind the last whole week there is
 */
export function weekOf(date: IsoDate): { week_start: IsoDate; days: IsoDate[] } {
  const week_start = startOf("week", date);
  if (week_start > LAST_MONDAY) throw invalid({ week_start: "errors.validation" });
  return { week_start, days: eachDay(week_start, addDays(week_start, 6)) };
}

/** @throws 422 `date: errors.validation` for a day outside the week of `weekDate` (work chapter §4.3, `/time/workspace`) */
export function checkDayInWeek(day: IsoDate, weekDate: IsoDate): void {
  if (!weekOf(weekDate).days.includes(day)) throw invalid({ date: "errors.validation" });
}

/** An entry as the views of a day and a week look at it; `ended_at` null is a running timer, which counts nowhere. */
export interface LoggedEntry {
  readonly company_id: string | null;
  readonly project_id: string | null;
  readonly task_id: string | null;
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly minutes: number;
  readonly billable: boolean;
}

/** The minutes of one distinct client, project and task on each day of a week, Monday first. */
export interface TimesheetRow {
  readonly company_id: string | null;
  readonly project_id: string | null;
  readonly task_id: string | null;
  readonly minutes: number[];
  readonly total: number;
}

/** A person's week (work chapter §4.3). */
export interface TimesheetWeek {
  readonly week_start: IsoDate;
  readonly days: IsoDate[];
  readonly rows: TimesheetRow[];
  readonly day_totals: number[];
  readonly total: number;
}

const total = (minutes: readonly number[]): number => minutes.reduce((sum, some) => sum + some, 0);

/**
 * The week that holds `date` as rows of minutes: one per distinct client, project and task, in the order of their first entries. An entry
 * counts whole on the UTC day it starts; entries outside the week and running timers are left out (work chapter §4.3).
 */
export function timesheetWeek(date: IsoDate, entries: readonly LoggedEntry[]): TimesheetWeek {
  const { week_start, days } = weekOf(date);
  const rows = new Map<string, Omit<TimesheetRow, "total">>();
  const day_totals = days.map(() => 0);
  for (const entry of entries.toSorted((one, other) => Date.parse(one.started_at) - Date.parse(other.started_at))) {
    const day = daysBetween(week_start, utcDay(entry.started_at));
    if (entry.ended_at === null || day < 0 || day >= days.length) continue;
    const { company_id, project_id, task_id } = entry;
    const key = JSON.stringify([company_id, project_id, task_id]);
    const row = rows.get(key) ?? { company_id, project_id, task_id, minutes: days.map(() => 0) };
    rows.set(key, row);
    for (const minutes of [row.minutes, day_totals]) minutes[day] = (minutes[day] ?? 0) + entry.minutes;
  }
  return {
    week_start,
    days,
    rows: [...rows.values()].map((row) => ({ ...row, total: total(row.minutes) })),
    day_totals,
    total: total(day_totals),
  };
}

/** The sums of a day or any other set of entries; running timers count 0 (work chapter §4.3). */
export function minuteTotals(entries: readonly Pick<LoggedEntry, "ended_at" | "minutes" | "billable">[]): {
  minutes: number;
  billable_minutes: number;
} {
  const finished = entries.filter(({ ended_at }) => ended_at !== null);
  return {
    minutes: total(finished.map(({ minutes }) => minutes)),
    billable_minutes: total(finished.map(({ billable, minutes }) => (billable ? minutes : 0))),
  };
}

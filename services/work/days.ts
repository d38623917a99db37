import { addDays, dateIn, daysBetween, eachDay, type IsoDate, startOf } from "../../core/calendar/calendar.ts";
import { invalid } from "../../core/errors/errors.ts";

/** The years in which an entry may start (work chapter §4.1). */
const YEARS = { first: "2000", last: "2100" } as const;

/**
 * The day of an entry in every view, budget and invoice: the date of its start in the organisation's zone. It is stored with the start, so
 * that a later change of zone moves no hour to another month (work chapter §4.1, "One clock").
 * @throws 422 `started_at: errors.validation` outside the years 2000–2100
 */
export function workDate(startedAt: string, zone: string): IsoDate {
  const date = dateIn(zone, startedAt);
  const year = date.slice(0, -6);
  if (year.length !== 4 || year < YEARS.first || year > YEARS.last) throw invalid({ started_at: "errors.validation" });
  return date;
}

/**
 * SQL that limits entries on an alias to a day or later; `day` is SQL of type date. No time zone is a whole day away from UTC, so the bound
 * on the start lets the indexes by start find the entries.
 */
export const onOrAfter = (alias: string, day: string): string =>
  `(${alias}.work_date >= ${day} and ${alias}.started_at >= (${day} - interval '1 day') at time zone 'UTC')`;

/** The same for a day or earlier. */
export const onOrBefore = (alias: string, day: string): string =>
  `(${alias}.work_date <= ${day} and ${alias}.started_at < (${day} + interval '2 days') at time zone 'UTC')`;

/** The last Monday whose week has seven days. */
const LAST_MONDAY = "9999-12-20";

/**
 * The Monday of a date's week and its seven days, Monday to Sunday; any date of the week gives the same.
 * @throws 422 `week_start: errors.validation` for days after the last whole week
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

/** An entry as the day and week views read it; `ended_at` null is a running timer, which counts nowhere. */
export interface LoggedEntry {
  readonly company_id: string | null;
  readonly project_id: string | null;
  readonly task_id: string | null;
  /** The day of the entry. */
  readonly work_date: IsoDate;
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly minutes: number;
  readonly billable: boolean;
}

/** The minutes of one combination of client, project and task on each day of a week, Monday first. */
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
 * The week of `date` as rows of minutes: one per combination of client, project and task, in the order of their first entries. An entry
 * counts fully on its day; entries outside the week and running timers are left out (work chapter §4.3).
 */
export function timesheetWeek(date: IsoDate, entries: readonly LoggedEntry[]): TimesheetWeek {
  const { week_start, days } = weekOf(date);
  const rows = new Map<string, Omit<TimesheetRow, "total">>();
  const day_totals = days.map(() => 0);
  for (const entry of entries.toSorted((one, other) => Date.parse(one.started_at) - Date.parse(other.started_at))) {
    const day = daysBetween(week_start, entry.work_date);
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

/** The total minutes of a set of entries; running timers count 0 (work chapter §4.3). */
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

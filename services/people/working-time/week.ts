import { DAY_MINUTES, type IsoDate, isoWeekday, minutesOfTime } from "../../../core/calendar/calendar.ts";
import { type Hours, hoursOfMinutes } from "./hours.ts";
import { type Stretch, sharedMinutes, subtract, totalMinutes } from "./stretches.ts";

/** The keys of a working week, Monday first. */
export const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
/** One key of a working week. */
export type Weekday = (typeof WEEKDAYS)[number];

/** A window of wall-clock time within a day, `HH:MM`. */
export interface TimeWindow {
  readonly start: string;
  readonly end: string;
}

/** One working day: a block and its unpaid breaks, sorted by start. */
export interface WorkDay extends TimeWindow {
  readonly breaks: readonly TimeWindow[];
}

/** A working week; `null` is a day without work (people chapter §2, "Week"). */
export type WorkWeek = Readonly<Record<Weekday, WorkDay | null>>;

const DEFAULT_DAY: WorkDay = { start: "08:30", end: "17:00", breaks: [{ start: "12:30", end: "13:00" }] };

/** The week of an organisation without a saved one: Mon–Fri 08:30–17:00, break 12:30–13:00 (people chapter §2). */
export const DEFAULT_WEEK: WorkWeek = {
  mon: DEFAULT_DAY,
  tue: DEFAULT_DAY,
  wed: DEFAULT_DAY,
  thu: DEFAULT_DAY,
  fri: DEFAULT_DAY,
  sat: null,
  sun: null,
};

const NONE: readonly Stretch[] = [];
const worked = new WeakMap<WorkDay, readonly Stretch[]>(); // a team's year asks for the same few days ten thousand times

/** The day of a week on a date; `null` if it is not worked. */
export function dayOn(week: WorkWeek, date: IsoDate): WorkDay | null {
  return week[WEEKDAYS[isoWeekday(date) - 1] ?? "mon"];
}

/** The block of a day as minutes, breaks included. */
export function blockOf(day: WorkDay): Stretch {
  return { start: minutesOfTime(day.start), end: minutesOfTime(day.end) };
}

/** The breaks of a day as minutes. */
export function breaksOf(day: WorkDay | null): Stretch[] {
  return (day?.breaks ?? []).map(({ start, end }) => ({ start: minutesOfTime(start), end: minutesOfTime(end) }));
}

/** The paid stretches of a day: the block minus its breaks; empty for a day without work. */
export function stretchesOf(day: WorkDay | null): readonly Stretch[] {
  if (day === null) return NONE;
  let stretches = worked.get(day);
  if (stretches === undefined) {
    stretches = subtract([blockOf(day)], breaksOf(day));
    worked.set(day, stretches);
  }
  return stretches;
}

/** Paid minutes of a day between two minutes of the day, by default all of it; never negative (people chapter §2, "Week"). */
export function dayMinutes(day: WorkDay | null, from = 0, to = DAY_MINUTES): number {
  return stretchesOf(day).reduce((total, stretch) => total + sharedMinutes(stretch, { start: from, end: to }), 0);
}

/** Paid minutes of a week: the sum of its seven days. */
export function weekMinutes(week: WorkWeek): number {
  return WEEKDAYS.reduce((total, weekday) => total + totalMinutes(stretchesOf(week[weekday])), 0);
}

/** Days of a week with any paid minute. */
export function workingDays(week: WorkWeek): number {
  return WEEKDAYS.filter((weekday) => dayMinutes(week[weekday]) > 0).length;
}

/** Hours of a week, 2 decimals. */
export function weekHours(week: WorkWeek): Hours {
  return hoursOfMinutes(weekMinutes(week));
}

/** The average day in whole minutes: floor(week minutes ÷ working days); 0 for a week without work (people chapter §2). */
export function averageDayMinutes(week: WorkWeek): number {
  const days = workingDays(week);
  return days === 0 ? 0 : Math.floor(weekMinutes(week) / days);
}

/**
 * The average day for display, in hours with 2 decimals (people chapter §2, "Average day"). It is rounded like the price of a day. Half-day
 * pots are multiples of it, so placed days fit their pot. Never divide by it to get days.
 */
export function averageDayHours(week: WorkWeek): Hours {
  return hoursOfMinutes(averageDayMinutes(week));
}

/** The first working day of a week, Monday first; `null` if there is none. */
export function firstWorkingDay(week: WorkWeek): WorkDay | null {
  const weekday = WEEKDAYS.find((key) => dayMinutes(week[key]) > 0);
  return weekday === undefined ? null : week[weekday];
}

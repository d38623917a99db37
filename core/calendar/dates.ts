/** A calendar date `YYYY-MM-DD`, years 0001–9999. Dates of this form compare as strings. */
export type IsoDate = string;

/** ISO 8601 weekday: 1 = Monday … 7 = Sunday. */
export type IsoWeekday = 1 | 2 | 3 | 4 | 5 | 6 | 7;

/** The calendar periods with a first and a last day. Weeks run Monday–Sunday (ISO 8601). */
export type CalendarUnit = "day" | "week" | "month" | "quarter" | "year";

/** The first and the last supported date. */
export const CALENDAR = { first: "0001-01-01", last: "9999-12-31" } as const;

const HYPHEN = 45;
const ZERO = 48;
const DAYS_BEFORE_MONTH = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
const LAST_DAY_NUMBER = 2_932_896; // 9999-12-31
const FIRST_DAY_NUMBER = -719_162; // 0001-01-01

interface YearMonthDay {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** Whether the Gregorian `year` has a 29 February. */
export function isLeapYear(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}

/** Days in a Gregorian year: 365 or 366. */
export function daysInYear(year: number): number {
  return isLeapYear(year) ? 366 : 365;
}

/** Days in a month (1–12) of a Gregorian year: 28–31. Throws RangeError for another month. */
export function daysInMonth(year: number, month: number): number {
  if (!Number.isInteger(month) || month < 1 || month > 12) throw new RangeError(`no such month: ${month}`);
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** The number of a digit sequence, or -1. Parsed by hand, because a year of a team parses a million of them. */
function digits(text: string, from: number, to: number): number {
  let number = 0;
  for (let index = from; index < to; index += 1) {
    const digit = text.charCodeAt(index) - ZERO;
    if (!(digit >= 0 && digit <= 9)) return -1;
    number = number * 10 + digit;
  }
  return number;
}

function partsOrNull(text: string): YearMonthDay | null {
  if (text.length !== 10 || text.charCodeAt(4) !== HYPHEN || text.charCodeAt(7) !== HYPHEN) return null;
  const year = digits(text, 0, 4);
  const month = digits(text, 5, 7);
  const day = digits(text, 8, 10);
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return null;
  return { year, month, day };
}

function partsOf(date: IsoDate): YearMonthDay {
  const parts = partsOrNull(date);
  if (parts === null) throw new RangeError(`not a calendar date: ${date}`);
  return parts;
}

function compose(year: number, month: number, day: number): IsoDate {
  return `${String(year).padStart(4, "0")}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
}

/** Whether `value` is an existing calendar date `YYYY-MM-DD` (so not 2029-02-29, not 2029-2-1). */
export function isDate(value: unknown): value is IsoDate {
  return typeof value === "string" && partsOrNull(value) !== null;
}

/** Days since 1970-01-01 (negative before). Throws RangeError if `date` is not a calendar date. */
export function dayNumber(date: IsoDate): number {
  const { year, month, day } = partsOf(date);
  const past = year - 1;
  const leapDays = Math.floor(past / 4) - Math.floor(past / 100) + Math.floor(past / 400);
  const thisYear = (DAYS_BEFORE_MONTH[month - 1] ?? 0) + (month > 2 && isLeapYear(year) ? 1 : 0) + day - 1;
  return past * 365 + leapDays + thisYear + FIRST_DAY_NUMBER;
}

/** The date of a day number. The inverse of {@link dayNumber}. Throws RangeError outside 0001–9999. */
export function dateOfDayNumber(number: number): IsoDate {
  if (!Number.isInteger(number) || number < FIRST_DAY_NUMBER || number > LAST_DAY_NUMBER) {
    throw new RangeError(`no such day: ${number}`);
  }
  // Years counted from 1 March put the leap day last (H. Hinnant, "chrono-compatible low-level date algorithms").
  const shifted = number + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1;
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  return compose(yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day);
}

/** The date `days` later (earlier if negative). Throws RangeError for a malformed date or a result outside 0001–9999. */
export function addDays(date: IsoDate, days: number): IsoDate {
  return dateOfDayNumber(dayNumber(date) + days);
}

/** As {@link addDays}, but clamped to the first and last date of the calendar. */
export function addDaysWithin(date: IsoDate, days: number): IsoDate {
  return dateOfDayNumber(Math.max(FIRST_DAY_NUMBER, Math.min(dayNumber(date) + days, LAST_DAY_NUMBER)));
}

/** The same day number `months` later, clamped to that month's last day: 31 January + 1 → 28 or 29 February. */
export function addMonths(date: IsoDate, months: number): IsoDate {
  if (!Number.isInteger(months)) throw new RangeError(`not a number of months: ${months}`);
  const { year, month, day } = partsOf(date);
  const index = year * 12 + month - 1 + months;
  const newYear = Math.floor(index / 12);
  const newMonth = index - newYear * 12 + 1;
  if (newYear < 1 || newYear > 9999) throw new RangeError(`no such year: ${newYear}`);
  return compose(newYear, newMonth, Math.min(day, daysInMonth(newYear, newMonth)));
}

/** Days from `from` to `to`: 1 for tomorrow, 0 for the same day, negative if `to` is earlier. */
export function daysBetween(from: IsoDate, to: IsoDate): number {
  return dayNumber(to) - dayNumber(from);
}

/** Days of a period, including both ends; 0 if `to` is before `from`. */
export function daysInclusive(from: IsoDate, to: IsoDate): number {
  return Math.max(0, daysBetween(from, to) + 1);
}

/** Every date from `from` through `to`, in order; empty if `to` is before `from`. */
export function eachDay(from: IsoDate, to: IsoDate): IsoDate[] {
  const first = dayNumber(from);
  const days: IsoDate[] = [];
  for (let number = first; number <= dayNumber(to); number += 1) days.push(dateOfDayNumber(number));
  return days;
}

/** The calendar year of a date. */
export function yearOf(date: IsoDate): number {
  return partsOf(date).year;
}

/** `YYYY-01-01` of a year. */
export function firstOfYear(year: number): IsoDate {
  return compose(year, 1, 1);
}

/** `YYYY-12-31` of a year. */
export function lastOfYear(year: number): IsoDate {
  return compose(year, 12, 31);
}

/** The date of a year, a month (1–12) and a day. Throws RangeError if there is no such date. */
export function dateOf(year: number, month: number, day: number): IsoDate {
  const date = compose(year, month, day);
  partsOf(date);
  return date;
}

/** The ISO weekday of a date: 1 = Monday … 7 = Sunday. */
export function isoWeekday(date: IsoDate): IsoWeekday {
  return weekdayOfDayNumber(dayNumber(date));
}

function weekdayOfDayNumber(number: number): IsoWeekday {
  return (((((number + 3) % 7) + 7) % 7) + 1) as IsoWeekday; // 1970-01-01 was a Thursday
}

/** The first day of the unit around `date`: Monday of the week, the first of the month, … */
export function startOf(unit: CalendarUnit, date: IsoDate): IsoDate {
  const { year, month } = partsOf(date);
  switch (unit) {
    case "day":
      return date;
    case "week":
      return addDays(date, 1 - isoWeekday(date));
    case "month":
      return compose(year, month, 1);
    case "quarter":
      return compose(year, month - ((month - 1) % 3), 1);
    case "year":
      return compose(year, 1, 1);
  }
}

/** The last day of the unit around `date`: Sunday of the week, the last of the month, … */
export function endOf(unit: CalendarUnit, date: IsoDate): IsoDate {
  if (unit === "day") return startOf("day", date);
  if (unit === "week") return addDays(startOf("week", date), 6);
  const months = { month: 1, quarter: 3, year: 12 }[unit];
  const { year, month } = partsOf(startOf(unit, date));
  const last = month + months - 1;
  return compose(year, last, daysInMonth(year, last));
}

/** The ISO 8601 week of a date, and the year of that week (2027-01-01 is week 53 of 2026). */
export function isoWeek(date: IsoDate): { year: number; week: number } {
  const number = dayNumber(date);
  const thursday = dateOfDayNumber(number - weekdayOfDayNumber(number) + 4); // the week belongs to its Thursday's year
  const { year } = partsOf(thursday);
  return { year, week: Math.floor(daysBetween(firstOfYear(year), thursday) / 7) + 1 };
}

/** The ISO 8601 week of a date as `YYYY-Www`. */
export function isoWeekKey(date: IsoDate): string {
  const { year, week } = isoWeek(date);
  return `${String(year).padStart(4, "0")}-W${String(week).padStart(2, "0")}`;
}

/** The earlier of two dates. */
export function earlier(one: IsoDate, other: IsoDate): IsoDate {
  return one < other ? one : other;
}

/** The later of two dates. */
export function later(one: IsoDate, other: IsoDate): IsoDate {
  return one > other ? one : other;
}

/** Days that two periods share, including both ends; a `null` end means open-ended. 0 if they do not overlap. */
export function sharedDays(from: IsoDate, to: IsoDate | null, otherFrom: IsoDate, otherTo: IsoDate | null): number {
  const start = later(from, otherFrom);
  const end = to === null ? otherTo : otherTo === null ? to : earlier(to, otherTo);
  return end === null ? Number.POSITIVE_INFINITY : daysInclusive(start, end);
}

/** Number of occurrences of an ISO weekday from `from` through `to`, both inclusive. */
export function countWeekday(weekday: IsoWeekday, from: IsoDate, to: IsoDate): number {
  const first = dayNumber(from) + ((weekday - isoWeekday(from) + 7) % 7);
  const last = dayNumber(to);
  return first > last ? 0 : Math.floor((last - first) / 7) + 1;
}

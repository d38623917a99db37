import { firstOfYear, type IsoDate, lastOfYear, sharedDays } from "../../../core/calendar/calendar.ts";

/** A period with both ends inclusive; a null end is open. */
export interface Period {
  readonly start_date: IsoDate;
  readonly end_date: IsoDate | null;
}

/** Whether two periods share a day; adjacent ones do not. The overlap of contracts and of requests (people chapter §4, §6). */
export function sharesDay(one: Period, other: Period): boolean {
  return sharedDays(one.start_date, one.end_date, other.start_date, other.end_date) > 0;
}

/** Whether a period covers a date. */
export function covers(period: Period, date: IsoDate): boolean {
  return period.start_date <= date && (period.end_date === null || period.end_date >= date);
}

/** The period in force on a date, or null. Contracts of one person never share a day, so there is at most one. */
export function inForce<P extends Period>(periods: readonly P[], date: IsoDate): P | null {
  return periods.find((period) => covers(period, date)) ?? null;
}

/** The periods that have not ended on `today`: in force or future (people chapter §4, "Profile"). */
export function unended<P extends Period>(periods: readonly P[], today: IsoDate): P[] {
  return periods.filter((period) => period.end_date === null || period.end_date >= today);
}

/** Days of a year that a period covers, both ends included: d(c) of people chapter §7. */
export function daysCovered(period: Period, year: number): number {
  return sharedDays(period.start_date, period.end_date, firstOfYear(year), lastOfYear(year));
}

import { addMonths, firstOfYear, type IsoDate, later } from "../../../core/calendar/calendar.ts";

/** Months within which expiring hours count as "soon" (people chapter §8). */
export const SOON_MONTHS = 6;

/**
 * The first day a pot is dead: 1 January after its accrual year plus `carry_over_months` (6 → 1 July, 60 → 1 January five
 * years on, 0 → that 1 January); null lives for ever (people chapter §8).
 */
export function expiryOf(accrualYear: number, carryOverMonths: number | null): IsoDate | null {
  return carryOverMonths === null ? null : addMonths(firstOfYear(accrualYear + 1), carryOverMonths);
}

/** Whether a pot with this expiry can still pay for leave that starts on `date`: its expiry is after that date. */
export function aliveOn(expiresOn: IsoDate | null, date: IsoDate): boolean {
  return expiresOn === null || expiresOn > date;
}

/**
 * Whether a pot is dead in the figures of year Y: expired by today, or by 1 January of Y when that is later, so that a
 * next-year read in December does not count pots that die on 1 January (people chapter §8, §14).
 */
export function isDead(expiresOn: IsoDate | null, today: IsoDate, year: number): boolean {
  return !aliveOn(expiresOn, later(today, firstOfYear(year)));
}

/** Whether a pot expired after 1 January of Y: dead hours of such a pot are the year's lapsed hours (people chapter §8). */
export function lapsesIn(expiresOn: IsoDate | null, year: number): boolean {
  return expiresOn !== null && expiresOn > firstOfYear(year);
}

/** Whether an expiry is on or before today + 6 months (people chapter §8). */
export function expiresSoon(expiresOn: IsoDate | null, today: IsoDate): boolean {
  return expiresOn !== null && expiresOn <= addMonths(today, SOON_MONTHS);
}

/** The order in which pots are drawn: soonest expiry first, never-expiring last, then older accrual (people chapter §8). */
export function byExpiry(
  one: { readonly expires_on: IsoDate | null; readonly accrual_year: number },
  other: { readonly expires_on: IsoDate | null; readonly accrual_year: number },
): number {
  if (one.expires_on !== other.expires_on) {
    if (one.expires_on === null) return 1;
    if (other.expires_on === null) return -1;
    return one.expires_on < other.expires_on ? -1 : 1;
  }
  return one.accrual_year - other.accrual_year;
}

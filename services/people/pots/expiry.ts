import { addMonths, firstOfYear, type IsoDate, later } from "../../../core/calendar/calendar.ts";

/** Months within which expiring hours count as "soon" (people chapter §8). */
export const SOON_MONTHS = 6;

/**
 * The first day a pot is expired: 1 January after its accrual year plus `carry_over_months` (6 → 1 July, 60 → 1 January five years on,
 * 0 → that 1 January); null never expires (people chapter §8).
 */
export function expiryOf(accrualYear: number, carryOverMonths: number | null): IsoDate | null {
  return carryOverMonths === null ? null : addMonths(firstOfYear(accrualYear + 1), carryOverMonths);
}

/** Whether a pot with this expiry covers leave that starts on `date`: it expires after that date. */
export function aliveOn(expiresOn: IsoDate | null, date: IsoDate): boolean {
  return expiresOn === null || expiresOn > date;
}

/**
 * Whether a pot is expired in the figures of year Y: by today, or by 1 January of Y if that is later. A next-year read in December thus
 * ignores pots that expire on 1 January (people chapter §8, §14).
 */
export function isDead(expiresOn: IsoDate | null, today: IsoDate, year: number): boolean {
  return !aliveOn(expiresOn, later(today, firstOfYear(year)));
}

/** Whether a pot expired after 1 January of Y, so its undrawn hours are lapsed hours of that year (people chapter §8). */
export function lapsesIn(expiresOn: IsoDate | null, year: number): boolean {
  return expiresOn !== null && expiresOn > firstOfYear(year);
}

/** Whether an expiry is on or before today + 6 months (people chapter §8). */
export function expiresSoon(expiresOn: IsoDate | null, today: IsoDate): boolean {
  return expiresOn !== null && expiresOn <= addMonths(today, SOON_MONTHS);
}

/** The order of drawing from pots: soonest expiry first, never-expiring last, then older accrual (people chapter §8). */
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

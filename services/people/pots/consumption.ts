import { type IsoDate, yearOf } from "../../../core/calendar/calendar.ts";
import { Decimal, type DecimalInput, decimal } from "../../../core/values/money.ts";
import { aliveOn, byExpiry } from "./expiry.ts";

/** A pot as the ledger sees it. */
export interface LedgerPot {
  readonly leave_type_id: string;
  readonly accrual_year: number;
  readonly hours: DecimalInput;
  /** The first day it is expired; null: never. */
  readonly expires_on: IsoDate | null;
}

/** Leave that occupies balance: pending or approved, counted in full on its start date. */
export interface Booking {
  readonly id: string;
  readonly leave_type_id: string;
  readonly start_date: IsoDate;
  readonly hours: DecimalInput;
}

/** The hours a booking drew from one pot. */
export interface Draw<P extends LedgerPot> {
  readonly pot: P;
  readonly hours: Decimal;
}

/** One booking after the ledger ran: its draws, and the hours no pot covered. */
export interface Consumed<P extends LedgerPot, B extends Booking> {
  readonly booking: B;
  readonly draws: readonly Draw<P>[];
  readonly shortfall: Decimal;
}

/** A pot with its undrawn hours. */
export interface PotLeft<P extends LedgerPot> {
  readonly pot: P;
  readonly undrawn: Decimal;
}

/** The ledger of one group of types: bookings in date order, pots in drawing order. */
export interface Consumption<P extends LedgerPot, B extends Booking> {
  readonly bookings: readonly Consumed<P, B>[];
  readonly pots: readonly PotLeft<P>[];
}

/** Whether a booking in a year may draw from a pot: accrued by that year, alive on the booking's start date (people chapter §8). */
function pays(pot: LedgerPot, year: number, { start_date }: Booking): boolean {
  return pot.accrual_year <= year && aliveOn(pot.expires_on, start_date);
}

/**
 * Runs the ledger of one person and one group of types (people chapter §8, "Ledger"). In date order, each booking draws from pots accrued
 * by its year and alive on its start date, soonest expiry first, whichever type of the group it was booked on; the rest is its shortfall.
 * A booking over New Year counts in full in its start year. All pots and bookings belong to that group; equal pots keep their input
 * order. Nothing is rounded.
 */
export function consume<P extends LedgerPot, B extends Booking>(pots: readonly P[], bookings: readonly B[]): Consumption<P, B> {
  const left = [...pots].sort(byExpiry).map((pot) => ({ pot, undrawn: decimal(pot.hours) }));
  const inOrder = [...bookings].sort((a, b) => (a.start_date < b.start_date ? -1 : a.start_date > b.start_date ? 1 : 0));
  const consumed = inOrder.map((booking) => {
    const year = yearOf(booking.start_date);
    let open = decimal(booking.hours);
    const draws: Draw<P>[] = [];
    for (const entry of left) {
      if (!open.greaterThan(0)) break;
      if (!entry.undrawn.greaterThan(0) || !pays(entry.pot, year, booking)) continue;
      const hours = Decimal.min(open, entry.undrawn);
      draws.push({ pot: entry.pot, hours });
      entry.undrawn = entry.undrawn.minus(hours);
      open = open.minus(hours);
    }
    return { booking, draws, shortfall: open };
  });
  return { bookings: consumed, pots: left };
}

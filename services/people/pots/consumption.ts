import { type IsoDate, yearOf } from "../../../core/calendar/calendar.ts";
import { Decimal, type DecimalInput, decimal } from "../../../core/values/money.ts";
import { aliveOn, byExpiry } from "./expiry.ts";

/** A pot as the ledger draws from it. */
export interface LedgerPot {
  readonly leave_type_id: string;
  readonly accrual_year: number;
  readonly hours: DecimalInput;
  /** The first day it is dead; null lives for ever. */
  readonly expires_on: IsoDate | null;
}

/** Leave that occupies balance: pending or approved, whole, on its start date. */
export interface Booking {
  readonly id: string;
  readonly leave_type_id: string;
  readonly start_date: IsoDate;
  readonly hours: DecimalInput;
}

/** What a booking took from one pot. */
export interface Draw<P extends LedgerPot> {
  readonly pot: P;
  readonly hours: Decimal;
}

/** One booking after the ledger ran: what it drew, and what no pot covered. */
export interface Consumed<P extends LedgerPot, B extends Booking> {
  readonly booking: B;
  readonly draws: readonly Draw<P>[];
  readonly shortfall: Decimal;
}

/** A pot with what no booking drew. */
export interface PotLeft<P extends LedgerPot> {
  readonly pot: P;
  readonly undrawn: Decimal;
}

/** The ledger of one group of types: bookings in date order, pots in the order of drawing. */
export interface Consumption<P extends LedgerPot, B extends Booking> {
  readonly bookings: readonly Consumed<P, B>[];
  readonly pots: readonly PotLeft<P>[];
}

/** Whether a pot may pay for a booking of a year: accrued by that year, alive on the booking's start date (people chapter §8). */
function pays(pot: LedgerPot, year: number, { start_date }: Booking): boolean {
  return pot.accrual_year <= year && aliveOn(pot.expires_on, start_date);
}

/**
 * The ledger of one person and one group of types. In date order each booking draws from pots accrued by its year and
 * alive on its start date, soonest expiry first, whichever type of the group it was booked on; what no pot covers is its
 * shortfall. A booking over New Year counts whole in its start year (people chapter §8, "Ledger"). Pots and bookings are
 * of that group; equal pots keep the order they come in. Nothing is rounded.
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

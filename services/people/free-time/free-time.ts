import { type IsoDate, yearOf } from "../../../core/calendar/calendar.ts";
import { Decimal, type DecimalInput, decimal, sum } from "../../../core/values/money.ts";
import { freeTimeTypes } from "../leave-types.ts";
import { type BalanceSources, typeBalances } from "../pots/balance.ts";
import { type Hours, hoursText } from "../working-time/hours.ts";

/** Occupying leave of a free-time type. */
export interface FreeTimeBooking {
  readonly id: string;
  readonly leave_type_id: string;
  readonly start_date: IsoDate;
  readonly end_date: IsoDate;
  readonly start_time: string | null;
  readonly end_time: string | null;
  readonly hours: DecimalInput;
  readonly status: "pending" | "approved";
  /** The pattern that placed it; null if booked by hand. */
  readonly recurring_day_id: string | null;
}

/** One placed day within the overview. */
export interface FreeTimeDay {
  readonly request_id: string;
  readonly date: IsoDate;
  readonly start_time: string | null;
  readonly end_time: string | null;
  readonly hours: Hours;
  readonly from_pattern: boolean;
}

/** The figures of `GET /leave/free-time` for a person and a year (people chapter §9, "Overview"). */
export interface FreeTimeOverview {
  readonly year: number;
  readonly leave_type_ids: readonly string[];
  readonly entitled_hours: Hours;
  readonly placed_hours: Hours;
  readonly taken_hours: Hours;
  readonly upcoming_hours: Hours;
  readonly unplaced_hours: Hours;
  readonly overhang_hours: Hours;
  readonly days: readonly FreeTimeDay[];
  readonly next_date: IsoDate | null;
  readonly overhang: readonly FreeTimeDay[];
}

function freeTimeDay(booking: FreeTimeBooking): FreeTimeDay {
  return {
    request_id: booking.id,
    date: booking.start_date,
    start_time: booking.start_time,
    end_time: booking.end_time,
    hours: hoursText(booking.hours),
    from_pattern: booking.recurring_day_id !== null,
  };
}

/**
 * The upcoming pattern-placed days to withdraw to cover `excess` hours, latest first (people chapter §9, "Overview"). The last one may
 * overshoot; days booked by hand are never offered.
 */
export function overhangDays(upcoming: readonly FreeTimeBooking[], excess: DecimalInput): FreeTimeBooking[] {
  const offered: FreeTimeBooking[] = [];
  let open = decimal(excess);
  for (const booking of [...upcoming].sort((a, b) => (a.start_date < b.start_date ? 1 : -1))) {
    if (!open.greaterThan(0)) break;
    if (booking.recurring_day_id === null) continue;
    offered.push(booking);
    open = open.minus(decimal(booking.hours));
  }
  return offered;
}

/** The hours that free-time types together grant in a year, whether or not they track a balance. */
function entitledHours(sources: BalanceSources, ids: readonly string[], year: number): Decimal {
  const types = sources.types.map((type) => (ids.includes(type.id) ? { ...type, tracks_balance: true } : type));
  const rows = typeBalances({ ...sources, types }, year).filter((row) => ids.includes(row.leave_type_id));
  return sum(rows.map((row) => row.entitled_hours));
}

/**
 * One person's free time in year Y, all active free-time types together (people chapter §9): entitled, placed (occupying hours that start
 * in Y), taken (the part that ended before today), upcoming, unplaced and overhang (never negative), the upcoming days soonest first, and
 * the days to withdraw for the overhang. Without an active free-time type everything is zero.
 */
export function freeTimeOverview(
  sources: Omit<BalanceSources, "bookings"> & { readonly bookings: readonly FreeTimeBooking[] },
  year: number,
): FreeTimeOverview {
  const ids = freeTimeTypes(sources.types).map((type) => type.id);
  const placed = sources.bookings
    .filter((booking) => ids.includes(booking.leave_type_id) && yearOf(booking.start_date) === year)
    .sort((a, b) => (a.start_date < b.start_date ? -1 : 1));
  const upcoming = placed.filter((booking) => booking.end_date >= sources.today);
  const hoursOf = (bookings: readonly FreeTimeBooking[]): Decimal => sum(bookings.map((booking) => booking.hours));
  const entitled = entitledHours(sources, ids, year);
  const excess = Decimal.max(0, hoursOf(placed).minus(entitled));
  const days = upcoming.map(freeTimeDay);
  return {
    year,
    leave_type_ids: ids,
    entitled_hours: hoursText(entitled),
    placed_hours: hoursText(hoursOf(placed)),
    taken_hours: hoursText(hoursOf(placed).minus(hoursOf(upcoming))),
    upcoming_hours: hoursText(hoursOf(upcoming)),
    unplaced_hours: hoursText(Decimal.max(0, entitled.minus(hoursOf(placed)))),
    overhang_hours: hoursText(excess),
    days,
    next_date: days[0]?.date ?? null,
    overhang: overhangDays(upcoming, excess).map(freeTimeDay),
  };
}

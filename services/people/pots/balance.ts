import { firstOfYear, type IsoDate, lastOfYear } from "../../../core/calendar/calendar.ts";
import { Decimal, type DecimalInput, decimal, sum } from "../../../core/values/money.ts";
import { balanceGroups, byPosition, groupLabel, type LeaveType, representative } from "../leave-types.ts";
import { type Hours, hoursText } from "../working-time/hours.ts";
import { type Booking, type Consumption, consume, type LedgerPot } from "./consumption.ts";
import { aliveOn, expiresSoon, expiryOf, isDead, lapsesIn } from "./expiry.ts";

/** An entitlement as balances see it. */
export interface Pot {
  readonly leave_type_id: string;
  readonly year: number;
  readonly hours: DecimalInput;
}

/** A person's leave that occupies balance. */
export interface OccupyingBooking extends Booking {
  readonly status: "pending" | "approved";
}

/** The inputs for one person's figures; pots and bookings of other types are ignored. */
export interface BalanceSources {
  readonly types: readonly LeaveType[];
  readonly pots: readonly Pot[];
  /** Pending and approved requests of any year. */
  readonly bookings: readonly OccupyingBooking[];
  readonly today: IsoDate;
}

/** One type's figures in a year (people chapter §8). */
export interface TypeBalance {
  readonly leave_type_id: string;
  readonly balance_group: string | null;
  readonly year: number;
  readonly entitled_hours: Hours;
  readonly approved_hours: Hours;
  readonly pending_hours: Hours;
  readonly remaining_hours: Hours;
}

/** One pot within a group's figures. */
export interface PotBreakdown {
  readonly leave_type_id: string;
  readonly accrual_year: number;
  readonly entitled_hours: Hours;
  readonly remaining_hours: Hours;
  readonly expires_on: IsoDate | null;
  readonly expired: boolean;
}

/** One group's figures in a year: the sums of its types' (people chapter §8). */
export interface GroupBalance {
  readonly group: string | null;
  readonly label_i18n: Readonly<Record<string, string>>;
  readonly leave_type_ids: readonly string[];
  readonly year: number;
  readonly entitled_hours: Hours;
  readonly approved_hours: Hours;
  readonly pending_hours: Hours;
  readonly remaining_hours: Hours;
  readonly lapsed_hours: Hours;
  readonly expiring_soon_hours: Hours;
  readonly pots: readonly PotBreakdown[];
}

interface TypeSums {
  readonly type: LeaveType;
  readonly entitled: Decimal;
  readonly approved: Decimal;
  readonly pending: Decimal;
  readonly remaining: Decimal;
}

type Ledger = Consumption<LedgerPot, OccupyingBooking>;

function ledgerOf(group: readonly LeaveType[], year: number, { pots, bookings }: BalanceSources): Ledger {
  const ids = new Set(group.map((type) => type.id));
  const own = group.flatMap((type) =>
    pots
      .filter((pot) => pot.leave_type_id === type.id && pot.year <= year)
      .map((pot) => ({
        leave_type_id: type.id,
        accrual_year: pot.year,
        hours: pot.hours,
        expires_on: expiryOf(pot.year, type.carry_over_months),
      })),
  );
  const last = lastOfYear(year);
  const counted = bookings.filter((one) => ids.has(one.leave_type_id) && one.start_date <= last);
  return consume(own, counted);
}

/** Hours drawn per pot by bookings before a year. */
function drawnBefore(ledger: Ledger, year: number): ReadonlyMap<LedgerPot, Decimal> {
  const drawn = new Map<LedgerPot, Decimal>();
  const first = firstOfYear(year);
  for (const { booking, draws } of ledger.bookings) {
    if (booking.start_date >= first) continue;
    for (const { pot, hours } of draws) drawn.set(pot, hours.plus(drawn.get(pot) ?? 0));
  }
  return drawn;
}

function typeSums(group: readonly LeaveType[], ledger: Ledger, year: number, today: IsoDate): TypeSums[] {
  const first = firstOfYear(year);
  const inYear = ledger.bookings.filter(({ booking }) => booking.start_date >= first); // the ledger contains no later bookings
  const shortfall = sum(inYear.map((consumed) => consumed.shortfall));
  const carrier = representative(group);
  const drawn = drawnBefore(ledger, year);
  // The hours of a pot alive past 1 January that earlier bookings left undrawn; for the year's own pot, all of it.
  const entitled = ({ pot }: { pot: LedgerPot }): Decimal =>
    aliveOn(pot.expires_on, first) ? decimal(pot.hours).minus(drawn.get(pot) ?? 0) : new Decimal(0);
  return [...group].sort(byPosition).map((type) => {
    const pots = ledger.pots.filter(({ pot }) => pot.leave_type_id === type.id);
    const booked = (status: string): Decimal =>
      sum(
        inYear
          .filter(({ booking }) => booking.leave_type_id === type.id && booking.status === status)
          .map(({ booking }) => booking.hours),
      );
    const live = pots.filter(({ pot }) => !isDead(pot.expires_on, today, year));
    const undrawn = sum(live.map((left) => left.undrawn));
    return {
      type,
      entitled: sum(pots.map(entitled)),
      approved: booked("approved"),
      pending: booked("pending"),
      remaining: type.id === carrier.id ? undrawn.minus(shortfall) : undrawn,
    };
  });
}

function typeBalance({ type, entitled, approved, pending, remaining }: TypeSums, year: number): TypeBalance {
  return {
    leave_type_id: type.id,
    balance_group: type.balance_group,
    year,
    entitled_hours: hoursText(entitled),
    approved_hours: hoursText(approved),
    pending_hours: hoursText(pending),
    remaining_hours: hoursText(remaining),
  };
}

/**
 * The figures of every active tracking type in year Y, in list order, zeros included (people chapter §8). Approved and pending hours count
 * for the booked type, remaining hours for the pot drawn from. A group's shortfall in Y counts against its representative.
 */
export function typeBalances(sources: BalanceSources, year: number): TypeBalance[] {
  const groups = balanceGroups(sources.types);
  const sums = groups.flatMap((group) => typeSums(group, ledgerOf(group, year, sources), year, sources.today));
  return sums.sort((a, b) => byPosition(a.type, b.type)).map((figures) => typeBalance(figures, year));
}

function groupBalance(group: readonly LeaveType[], sources: BalanceSources, year: number): GroupBalance {
  const { today } = sources;
  const ledger = ledgerOf(group, year, sources);
  const sums = typeSums(group, ledger, year, today);
  const total = (figure: (one: TypeSums) => Decimal): Hours => hoursText(sum(sums.map(figure)));
  const undrawn = (counts: (expiry: IsoDate | null, dead: boolean) => boolean): Hours =>
    hoursText(
      sum(
        ledger.pots.filter(({ pot }) => counts(pot.expires_on, isDead(pot.expires_on, today, year))).map((left) => left.undrawn),
      ),
    );
  return {
    group: representative(group).balance_group,
    label_i18n: groupLabel(group),
    leave_type_ids: sums.map(({ type }) => type.id),
    year,
    entitled_hours: total((one) => one.entitled),
    approved_hours: total((one) => one.approved),
    pending_hours: total((one) => one.pending),
    remaining_hours: total((one) => one.remaining),
    lapsed_hours: undrawn((expiry, dead) => dead && lapsesIn(expiry, year)),
    expiring_soon_hours: undrawn((expiry, dead) => !dead && expiresSoon(expiry, today)),
    pots: ledger.pots.map((left) => ({
      leave_type_id: left.pot.leave_type_id,
      accrual_year: left.pot.accrual_year,
      entitled_hours: hoursText(left.pot.hours),
      remaining_hours: hoursText(left.undrawn),
      expires_on: left.pot.expires_on,
      expired: isDead(left.pot.expires_on, today, year),
    })),
  };
}

/**
 * The figures of every balance group in year Y, by representative, each with its pots accrued by Y in order of expiry (people chapter §8).
 */
export function groupBalances(sources: BalanceSources, year: number): GroupBalance[] {
  return balanceGroups(sources.types).map((group) => groupBalance(group, sources, year));
}

function groupOf(types: readonly LeaveType[], typeId: string): LeaveType[] | null {
  return balanceGroups(types).find((group) => group.some((type) => type.id === typeId)) ?? null;
}

/** The hours left of one type alone in year Y, which a pattern may still place (people chapter §9). Null for a type without a balance. */
export function remainingOfType(sources: BalanceSources, typeId: string, year: number): Decimal | null {
  const group = groupOf(sources.types, typeId);
  if (group === null) return null;
  const sums = typeSums(group, ledgerOf(group, year, sources), year, sources.today);
  return sums.find(({ type }) => type.id === typeId)?.remaining ?? null;
}

/**
 * The `remaining_hours` of a preview that starts in year Y (people chapter §6, "Preview"): of the whole group for a grouped type, null for
 * a type without a balance. With `editedRequestId` the ledger ignores that request. The figure covers the whole year, including pots not
 * alive on the requested dates.
 */
export function previewRemaining(
  sources: BalanceSources,
  typeId: string,
  year: number,
  editedRequestId: string | null,
): Hours | null {
  const group = groupOf(sources.types, typeId);
  if (group === null) return null;
  const bookings = sources.bookings.filter((booking) => booking.id !== editedRequestId);
  return groupBalance(group, { ...sources, bookings }, year).remaining_hours;
}

/** The hours a person has left this year over all tracking types except free time (people chapter §8, "Summary"). */
export function summaryRemaining(sources: BalanceSources, year: number): Hours {
  const counted = new Set(sources.types.filter((type) => !type.accrues_schedule_gap).map((type) => type.id));
  const rows = typeBalances(sources, year).filter((row) => counted.has(row.leave_type_id));
  return hoursText(sum(rows.map((row) => row.remaining_hours)));
}

import { type IsoDate, yearOf } from "../../../core/calendar/calendar.ts";
import { type Decimal, decimal } from "../../../core/values/money.ts";
import { type BalanceSources, type OccupyingBooking, remainingOfType } from "../pots/balance.ts";
import type { Hours } from "../working-time/hours.ts";
import { covers, type Period } from "../working-time/period.ts";
import type { WeekSources } from "../working-time/schedule.ts";
import { type Span, spanCost } from "../working-time/span-cost.ts";
import { type Candidate, candidates, horizonOf, type Pattern } from "./recurrence.ts";

/** An occupying request of the person, of any type. */
export interface PlacedBooking extends OccupyingBooking, Period {}

/** Everything a placement run for one person needs in addition to the pattern. */
export interface PlacementSources extends Omit<BalanceSources, "bookings"> {
  readonly person: WeekSources;
  /** Dates of active holidays, already seeded. */
  readonly holidays: ReadonlySet<IsoDate>;
  readonly bookings: readonly PlacedBooking[];
  /** The dates from which a request of this pattern was ever created, whether it still exists there, moved or was cancelled. */
  readonly spent: ReadonlySet<IsoDate>;
  /** Months ahead for people whose contracts are not all closed. */
  readonly horizon_months: number;
}

/** A day to place: an approved one-day request with the pattern's window and note. */
export interface PlacedDay extends Span {
  readonly minutes: number;
  readonly hours: Hours;
}

/** Why a run skips a candidate. Reasons are not stored: the next run checks every future unspent date again. */
export type SkipReason = "spent" | "quota" | "not_worked" | "occupied" | "balance";

/** The result of a placement run. */
export interface Placement {
  readonly placed: readonly PlacedDay[];
  readonly skipped: readonly { readonly date: IsoDate; readonly reason: SkipReason }[];
}

/** The hours left of the pattern's type in a year, counting the days this run already placed as leave. */
function remaining(pattern: Pattern, sources: PlacementSources, placed: readonly PlacedDay[], year: number): Decimal | null {
  const own = placed.map(({ start_date, hours }) => ({
    id: `placed ${start_date}`,
    leave_type_id: pattern.leave_type_id,
    start_date,
    hours,
    status: "approved" as const,
  }));
  return remainingOfType({ ...sources, bookings: [...sources.bookings, ...own] }, pattern.leave_type_id, year);
}

/** State of one run: days placed or spent per year, and a cache of the hours left per year, cleared when a day is placed. */
class Run {
  readonly placed: PlacedDay[] = [];
  readonly #pattern: Pattern;
  readonly #sources: PlacementSources;
  readonly #used = new Map<number, number>();
  readonly #remaining = new Map<number, Decimal | null>();

  constructor(pattern: Pattern, sources: PlacementSources) {
    this.#pattern = pattern;
    this.#sources = sources;
    for (const date of sources.spent) this.#use(date);
  }

  #use(date: IsoDate): void {
    this.#used.set(yearOf(date), (this.#used.get(yearOf(date)) ?? 0) + 1);
  }

  #remainingIn(year: number): Decimal | null {
    const known = this.#remaining.get(year);
    if (known !== undefined) return known;
    const left = remaining(this.#pattern, this.#sources, this.placed, year);
    this.#remaining.set(year, left);
    return left;
  }

  /** Places the candidate, or returns why not. */
  consider({ date, quota }: Candidate): SkipReason | null {
    const { person, holidays, spent, bookings } = this.#sources;
    const { start_time, end_time } = this.#pattern;
    if (spent.has(date)) return "spent";
    if (quota !== null && (this.#used.get(yearOf(date)) ?? 0) >= quota) return "quota";
    const span = { start_date: date, end_date: date, start_time, end_time };
    const { minutes, hours } = spanCost(span, person, holidays);
    if (minutes === 0) return "not_worked";
    if (bookings.some((booking) => covers(booking, date))) return "occupied";
    if (this.#remainingIn(yearOf(date))?.lessThan(decimal(hours))) return "balance";
    this.placed.push({ ...span, minutes, hours });
    this.#use(date);
    this.#remaining.clear();
    return null;
  }
}

/**
 * The days a pattern places now, from today through the horizon (people chapter §9, "Placement"). A candidate is skipped if a request was
 * ever created from it, its year's quota is used up, it is worth 0 hours (holiday, unscheduled), an occupying request covers it, or the
 * type tracks a balance and has less left that year than the day's price.
 * "Less what this run placed" means that the run's own days already count as leave. A second run therefore starts from the first one's
 * final figure and places nothing, also in a group of types. An inactive pattern, or one with an inactive or missing type, places nothing.
 */
export function place(pattern: Pattern, sources: PlacementSources): Placement {
  const run = new Run(pattern, sources);
  const skipped: { date: IsoDate; reason: SkipReason }[] = [];
  const type = sources.types.find(({ id }) => id === pattern.leave_type_id);
  if (!pattern.active || !type?.active) return { placed: [], skipped };
  const horizon = horizonOf(sources.person.contracts, sources.today, sources.horizon_months);
  for (const candidate of candidates(pattern, horizon)) {
    if (candidate.date < sources.today) continue;
    const reason = run.consider(candidate);
    if (reason !== null) skipped.push({ date: candidate.date, reason });
  }
  return { placed: run.placed, skipped };
}

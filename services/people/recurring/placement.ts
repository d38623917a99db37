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

/** Everything a run of placement for one person needs besides the pattern. */
export interface PlacementSources extends Omit<BalanceSources, "bookings"> {
  readonly person: WeekSources;
  /** Dates of active holidays; the calendar is seeded first. */
  readonly holidays: ReadonlySet<IsoDate>;
  readonly bookings: readonly PlacedBooking[];
  /** The dates a request of this pattern ever came from: standing, moved or cancelled. */
  readonly spent: ReadonlySet<IsoDate>;
  /** Months ahead for people without a closed horizon. */
  readonly horizon_months: number;
}

/** A day a run places: an approved one-day request with the pattern's window and note. */
export interface PlacedDay extends Span {
  readonly minutes: number;
  readonly hours: Hours;
}

/** Why a run leaves a candidate out. No reason is kept: the next run looks again at every unspent date still ahead. */
export type SkipReason = "spent" | "quota" | "not_worked" | "occupied" | "balance";

/** What a run of placement does. */
export interface Placement {
  readonly placed: readonly PlacedDay[];
  readonly skipped: readonly { readonly date: IsoDate; readonly reason: SkipReason }[];
}

/** What remains of the pattern's type in a year, with the days of this run already counted as leave. */
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

/** One run: how many days of a year are placed or spent, and what remains of a year, until a day is placed. */
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

  /** Places the candidate, or says why not. */
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
 * The days a pattern places now, from today through the horizon (people chapter §9, "Placement"). A candidate is left out
 * when a request once came from it, when its year's quota is used up, when it is worth 0 hours (holiday, unscheduled),
 * when an occupying request covers it, or when the type tracks a balance and what remains of that type that year is less
 * than the day's price. "Less what this run placed" is read as: the days of the run count as leave already, so that a
 * second run starts from the figure the first one ended with and places nothing, in a group of types too. An inactive
 * pattern, or one whose type is inactive or gone, places nothing.
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

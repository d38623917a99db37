import { daysInYear } from "../../../core/calendar/calendar.ts";
import { type Decimal, type DecimalInput, decimal, roundHalfUp, sum } from "../../../core/values/money.ts";
import type { LeaveType } from "../leave-types.ts";
import { type Contract, effectiveFreeTime } from "../working-time/contract.ts";
import { type Hours, hoursText } from "../working-time/hours.ts";
import { daysCovered } from "../working-time/period.ts";
import { currentWeeklyHours, inheritedWeek, type WeekSources } from "../working-time/schedule.ts";
import { averageDayHours, weekHours } from "../working-time/week.ts";

/** A person as the pot rules see one. */
export interface PotHolder extends WeekSources {
  /** Has, or ever had, any contract: ended, future, freelance or deleted ones count. */
  readonly ever_contracted: boolean;
  /** Holds `time.entry.write` at some scope, so accrues without a contract. */
  readonly writes_time: boolean;
}

/** A derived pot: hours of one type in one year. */
export interface DerivedPot {
  readonly leave_type_id: string;
  readonly year: number;
  readonly hours: Hours;
}

/** The employee contracts that overlap a year, in order: P of people chapter §7. */
export function accruingContracts(contracts: readonly Contract[], year: number): Contract[] {
  return contracts
    .filter((contract) => contract.employment_type === "employee" && daysCovered(contract, year) > 0)
    .sort((a, b) => (a.start_date < b.start_date ? -1 : 1));
}

/** Σ of a figure per week × days covered over a year's contracts. Undivided, so the one later division is exact where a tie could occur. */
function weekDays(contracts: readonly Contract[], year: number, perWeek: (contract: Contract) => DecimalInput): Decimal {
  return sum(contracts.map((contract) => decimal(perWeek(contract)).times(daysCovered(contract, year))));
}

/**
 * The pot of a weeks type: Σ weeks × contract hours × days covered ÷ days of the year, rounded once, half to even (people chapter §7,
 * "Weeks types"). Null means no pot. Without an accruing contract, a person who ever had any contract gets none; a person who never had
 * one and may write time gets weeks × current weekly hours for the full year.
 */
export function weeksPot(weeks: DecimalInput, person: PotHolder, year: number): Hours | null {
  const contracts = accruingContracts(person.contracts, year);
  if (contracts.length > 0) {
    const total = weekDays(contracts, year, (contract) => contract.contract_hours_per_week ?? 0);
    return hoursText(total.times(decimal(weeks)).dividedBy(daysInYear(year)));
  }
  if (person.contracts.length > 0 || person.ever_contracted || !person.writes_time) return null;
  return hoursText(decimal(weeks).times(currentWeeklyHours(person)));
}

/**
 * The pot of a free-time type: Σ free time per week × days covered ÷ 7, rounded half up to the nearest half of an average day (people
 * chapter §7, "Free-time types"). That day is of the week of the last accruing contract, else the profile's, else the default. Null if
 * the result is zero, and always for people without a contract.
 */
export function freeTimePot(person: PotHolder, year: number): Hours | null {
  const contracts = accruingContracts(person.contracts, year);
  const norm = weekHours(person.default_schedule);
  const total = weekDays(contracts, year, (contract) => effectiveFreeTime(contract, norm)).dividedBy(7);
  const halfDay = decimal(averageDayHours(contracts.at(-1)?.schedule ?? inheritedWeek(person))).dividedBy(2);
  if (halfDay.isZero()) return null;
  const pot = roundHalfUp(total.dividedBy(halfDay), 0).times(halfDay);
  return pot.isZero() ? null : hoursText(pot);
}

/**
 * Every derived pot of a person in a year, in the order of `types` (people chapter §3, §7): free time for active free-time types, weeks
 * for active tracking types with `default_weeks`. 0 weeks gives a pot of 0 hours; only free time omits a zero. Inactive types get none.
 */
export function derivedPots(types: readonly LeaveType[], person: PotHolder, year: number): DerivedPot[] {
  const pots: DerivedPot[] = [];
  for (const type of types) {
    if (!type.active) continue;
    let hours: Hours | null = null;
    if (type.accrues_schedule_gap) hours = freeTimePot(person, year);
    else if (type.tracks_balance && type.default_weeks !== null) hours = weeksPot(type.default_weeks, person, year);
    if (hours !== null) pots.push({ leave_type_id: type.id, year, hours });
  }
  return pots;
}

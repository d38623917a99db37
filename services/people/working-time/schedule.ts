import type { IsoDate } from "../../../core/calendar/calendar.ts";
import { type DecimalInput, decimal } from "../../../core/values/money.ts";
import { type Contract, type EmploymentKind, MAX_WEEK_HOURS } from "./contract.ts";
import { type Hours, hoursText } from "./hours.ts";
import { inForce, unended } from "./period.ts";
import { averageDayHours, dayOn, type WorkDay, type WorkWeek, weekHours } from "./week.ts";

/** A person's profile row; null inherits. */
export interface Profile {
  readonly schedule: WorkWeek | null;
  readonly hours_per_week: DecimalInput | null;
}

/** The sources that determine a person's week. */
export interface WeekSources {
  readonly contracts: readonly Contract[];
  readonly profile: Profile | null;
  readonly default_schedule: WorkWeek;
}

/** The week of a person whose contract sets none: the profile's, else the organisation's (people chapter §2). */
export function inheritedWeek(person: WeekSources): WorkWeek {
  return person.profile?.schedule ?? person.default_schedule;
}

/** A person's own week on a date, of the contract in force or the profile; null follows the organisation's. */
export function ownWeekOn(person: WeekSources, date: IsoDate): WorkWeek | null {
  return inForce(person.contracts, date)?.schedule ?? person.profile?.schedule ?? null;
}

/**
 * The week that applies on a date: of the contract covering it, else of the profile, else of the organisation. Null always inherits
 * (people chapter §2, "Which week applies on a date").
 */
export function weekOn(person: WeekSources, date: IsoDate): WorkWeek {
  return ownWeekOn(person, date) ?? person.default_schedule;
}

/** The scheduled day of a person on a date, or null. Ignores availability exceptions, which never change a price. */
export function scheduledDay(person: WeekSources, date: IsoDate): WorkDay | null {
  return dayOn(weekOn(person, date), date);
}

/**
 * A person's current weekly hours apart from any contract: of the profile's schedule, else its stored number, else of the default week
 * (people chapter §4 "Profile"). A person who never had a contract accrues from these (§7).
 */
export function currentWeeklyHours(person: WeekSources): Hours {
  const { profile } = person;
  if (profile?.schedule) return weekHours(profile.schedule);
  if (profile && profile.hours_per_week !== null) return hoursText(profile.hours_per_week);
  return weekHours(person.default_schedule);
}

/** The figures of `GET /leave/profile`. */
export interface ProfileFigures {
  readonly schedule: WorkWeek;
  readonly hours_per_week: Hours;
  readonly hours_per_day: Hours;
  readonly inherited: boolean;
  readonly employment_type: EmploymentKind | null;
}

/**
 * The week in force on a date with its hours (people chapter §4, "Profile"). `hours_per_week` follows the schedule, but without an own
 * schedule a stored number wins. `hours_per_day` is the average day. `inherited` marks the organisation's default. `employment_type` is
 * null without a contract in force.
 */
export function profileOn(person: WeekSources, today: IsoDate): ProfileFigures {
  const own = ownWeekOn(person, today);
  const schedule = own ?? person.default_schedule;
  return {
    schedule,
    hours_per_week: own === null ? currentWeeklyHours(person) : weekHours(own),
    hours_per_day: averageDayHours(schedule),
    inherited: own === null,
    employment_type: inForce(person.contracts, today)?.employment_type ?? null,
  };
}

/** Whether `GET /leave/profiles` lists a member: has a stored profile, or a contract in force with a week (§4). */
export function listsProfile(person: WeekSources, today: IsoDate): boolean {
  return person.profile !== null || (inForce(person.contracts, today)?.schedule ?? null) !== null;
}

/** The body of `PUT /leave/profiles/{user_id}`; an absent key is undefined. */
export interface ProfileWrite {
  readonly schedule?: WorkWeek | null;
  readonly hours_per_week?: DecimalInput | null;
}

/** The effect of such a PUT: the new profile, the contracts that get the week, and whether pots are re-derived. */
export interface ProfileChange<C extends Contract> {
  readonly profile: Profile;
  readonly contracts: readonly C[];
  readonly rederives: boolean;
}

/**
 * The effect of a PUT on a profile (people chapter §4, "Profile"). A schedule is stored with its hours (null: back to the default week and
 * its hours) and is copied to every contract that has not ended, which re-derives pots; sent hours are then ignored. Hours alone are
 * stored only without an own schedule, else ignored.
 */
export function profileChange<C extends Contract>(
  sent: ProfileWrite,
  stored: Profile | null,
  contracts: readonly C[],
  today: IsoDate,
): ProfileChange<C> {
  const profile = stored ?? { schedule: null, hours_per_week: null };
  if (sent.schedule !== undefined) {
    const { schedule } = sent;
    const touched = unended(contracts, today).map((contract) => ({ ...contract, schedule }));
    const hours = schedule === null ? null : weekHours(schedule);
    return { profile: { schedule, hours_per_week: hours }, contracts: touched, rederives: touched.length > 0 };
  }
  if (sent.hours_per_week === undefined || sent.hours_per_week === null || profile.schedule !== null) {
    return { profile, contracts: [], rederives: false };
  }
  return {
    profile: { schedule: null, hours_per_week: hoursText(sent.hours_per_week) },
    contracts: [],
    rederives: false,
  };
}

/** Whether sent weekly hours are in range: above 0, at most 80 (people chapter §4, "Profile"). */
export function weeklyHoursAllowed(hours: DecimalInput): boolean {
  return decimal(hours).greaterThan(0) && decimal(hours).lessThanOrEqualTo(MAX_WEEK_HOURS);
}

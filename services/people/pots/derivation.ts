import { type IsoDate, yearOf } from "../../../core/calendar/calendar.ts";
import type { DecimalInput } from "../../../core/values/money.ts";
import { type Hours, hoursText, sameHours } from "../working-time/hours.ts";
import { daysCovered, type Period } from "../working-time/period.ts";
import type { DerivedPot } from "./proration.ts";

/** Derived by the rules, or set by a person and never changed by derivation (people chapter §7). */
export type PotSource = "generated" | "manual";

/** A stored entitlement of one person: hours of one type in one year. */
export interface StoredPot {
  readonly leave_type_id: string;
  readonly year: number;
  readonly hours: DecimalInput;
  readonly source: PotSource;
}

/** The writes of a derivation: pots to delete, then pots to create. */
export interface PotChanges<P extends StoredPot> {
  readonly remove: readonly P[];
  readonly create: readonly DerivedPot[];
}

const NO_TYPES: ReadonlySet<string> = new Set();
const keyOf = (pot: { leave_type_id: string; year: number }): string => `${pot.year} ${pot.leave_type_id}`;

/** The derived pots without a stored row (people chapter §7); `generate`, a read and the December job add them. */
export function missingPots(stored: readonly StoredPot[], derived: readonly DerivedPot[]): DerivedPot[] {
  const present = new Set(stored.map(keyOf));
  return derived.filter((pot) => !present.has(keyOf(pot)));
}

/**
 * The pot changes of one person and year after a change of contract or week (people chapter §7, "When"): all generated pots are deleted,
 * and re-derived if a contract overlaps the year; manual pots stay, and those of inactive types, which take no part in derivation (§3).
 * `stored` and `derived` are of that year.
 * @param resting ids of the inactive types
 */
export function rederivedPots<P extends StoredPot>(
  stored: readonly P[],
  derived: readonly DerivedPot[],
  contracts: readonly Period[],
  year: number,
  resting: ReadonlySet<string> = NO_TYPES,
): PotChanges<P> {
  const overlaps = contracts.some((contract) => daysCovered(contract, year) > 0);
  return replaced(stored, overlaps ? derived : [], (id) => !resting.has(id));
}

/**
 * The pot changes of one person and year after a change of a type's weeks (`typeId`) or of the full-time norm (null: every type).
 * Generated pots of that type are deleted and re-derived, for a person with a contract in the year and for a person whose pots are
 * generated, so reverting a value restores the pots it removed. Manual pots stay (people chapter §7, "When"). A person without any pot in
 * the year gets all of them or none, because a read derives only if there are none.
 * @param stored of that year, like `derived`
 * @param resting ids of the inactive types, whose pots stay
 */
export function reproratedPots<P extends StoredPot>(
  stored: readonly P[],
  derived: readonly DerivedPot[],
  contracts: readonly Period[],
  year: number,
  typeId: string | null,
  resting: ReadonlySet<string> = NO_TYPES,
): PotChanges<P> {
  const overlaps = contracts.some((contract) => daysCovered(contract, year) > 0);
  if (stored.length === 0) return { remove: [], create: overlaps ? derived : [] };
  const accrues = overlaps || stored.some(({ source }) => source === "generated");
  return replaced(stored, accrues ? derived : [], (id) => !resting.has(id) && (typeId === null || id === typeId));
}

/** Skips pots whose hours do not change, so a derivation without changes writes nothing. */
function replaced<P extends StoredPot>(
  stored: readonly P[],
  derived: readonly DerivedPot[],
  concerns: (typeId: string) => boolean,
): PotChanges<P> {
  const derivedPots = new Map(derived.filter((pot) => concerns(pot.leave_type_id)).map((pot) => [keyOf(pot), pot]));
  const stays = (pot: P): boolean => {
    if (pot.source === "manual" || !concerns(pot.leave_type_id)) return true;
    return sameHours(pot.hours, derivedPots.get(keyOf(pot))?.hours ?? null);
  };
  return {
    remove: stored.filter((pot) => !stays(pot)),
    create: missingPots(stored.filter(stays), [...derivedPots.values()]),
  };
}

/**
 * The years to re-derive after a change of a person's contracts or week, ascending (people chapter §7, "When"): today's, every later year
 * with any pot in the organisation, and every current or later year in which the person has a generated pot. Never past years.
 */
export function yearsToRederive(today: IsoDate, yearsWithPots: Iterable<number>, yearsOfGenerated: Iterable<number>): number[] {
  const now = yearOf(today);
  const years = new Set([now, ...yearsWithPots, ...yearsOfGenerated]);
  return [...years].filter((year) => year >= now).sort((a, b) => a - b);
}

/** Whether a year's pots are derived automatically: today's year or the next (people chapter §7, "When"). */
export function derivesByItself(year: number, today: IsoDate): boolean {
  return year === yearOf(today) || year === yearOf(today) + 1;
}

/**
 * Whether a read of a person's figures derives the year's missing pots: today's year or the next, without any pot (people chapter §7,
 * "When"). Storing them requires a licence and a caller who may write leave; otherwise the response shows the same figures unsaved.
 */
export function derivesOnRead(year: number, today: IsoDate, stored: readonly StoredPot[]): boolean {
  return derivesByItself(year, today) && !stored.some((pot) => pot.year === year);
}

/** Whether `generate` and the December job include a person: may write time, or has a contract in the year (§7). */
export function eligibleForPots(contracts: readonly Period[], writesTime: boolean, year: number): boolean {
  return writesTime || contracts.some((contract) => daysCovered(contract, year) > 0);
}

/** The maximum hours of a pot (people chapter §7, "PUT"). */
export const MAX_POT_HOURS = 4000;

/**
 * A pot after `PUT /leave/entitlements` (people chapter §7, "PUT"): hours set by hand make it `manual`, but re-sending the stored hours
 * keeps the source.
 */
export function potAfterPut(
  stored: Pick<StoredPot, "hours" | "source"> | null,
  hours: DecimalInput,
): { hours: Hours; source: PotSource } {
  const source = stored !== null && sameHours(stored.hours, hours) ? stored.source : "manual";
  return { hours: hoursText(hours), source };
}

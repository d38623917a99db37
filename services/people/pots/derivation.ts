import { type IsoDate, yearOf } from "../../../core/calendar/calendar.ts";
import type { DecimalInput } from "../../../core/values/money.ts";
import { type Hours, hoursText, sameHours } from "../working-time/hours.ts";
import { daysCovered, type Period } from "../working-time/period.ts";
import type { DerivedPot } from "./proration.ts";

/** Derived by the rules, or set by a person and never touched by derivation (people chapter §7). */
export type PotSource = "generated" | "manual";

/** A stored entitlement of one person: hours of one type in one year. */
export interface StoredPot {
  readonly leave_type_id: string;
  readonly year: number;
  readonly hours: DecimalInput;
  readonly source: PotSource;
}

/** What a derivation writes: pots to delete and pots to create, in that order. */
export interface PotChanges<P extends StoredPot> {
  readonly remove: readonly P[];
  readonly create: readonly DerivedPot[];
}

const keyOf = (pot: { leave_type_id: string; year: number }): string => `${pot.year} ${pot.leave_type_id}`;

/** The derived pots a person has no row for (people chapter §7): what generate, a read and the December job add. */
export function missingPots(stored: readonly StoredPot[], derived: readonly DerivedPot[]): DerivedPot[] {
  const present = new Set(stored.map(keyOf));
  return derived.filter((pot) => !present.has(keyOf(pot)));
}

/**
 * One year of one person after a change of contract or week: every generated pot goes and is derived anew if a contract
 * of the person overlaps the year; manual pots stay (people chapter §7, "When"). `stored` and `derived` are of that year.
 */
export function rederivedPots<P extends StoredPot>(
  stored: readonly P[],
  derived: readonly DerivedPot[],
  contracts: readonly Period[],
  year: number,
): PotChanges<P> {
  const overlaps = contracts.some((contract) => daysCovered(contract, year) > 0);
  return replaced(stored, overlaps ? derived : [], () => true);
}

/**
 * One year of one person after a change of a type's weeks (`typeId`) or of the full-time norm (null: every type): each
 * generated pot of that type is deleted and derived anew, for a person with a contract in the year and for one whose pots
 * are generated, so that a value set back brings back what it took away; manual pots stay (people chapter §7, "When").
 * A person who has no pot at all in the year gets all of them or none: a read derives only where there is none.
 * @param stored and derived are of that year
 */
export function reproratedPots<P extends StoredPot>(
  stored: readonly P[],
  derived: readonly DerivedPot[],
  contracts: readonly Period[],
  year: number,
  typeId: string | null,
): PotChanges<P> {
  const overlaps = contracts.some((contract) => daysCovered(contract, year) > 0);
  if (stored.length === 0) return { remove: [], create: overlaps ? derived : [] };
  const accrues = overlaps || stored.some(({ source }) => source === "generated");
  return replaced(stored, accrues ? derived : [], (id) => typeId === null || id === typeId);
}

/** Pots whose figure stays are left alone, so that a derivation that changes nothing writes nothing. */
function replaced<P extends StoredPot>(
  stored: readonly P[],
  derived: readonly DerivedPot[],
  concerns: (typeId: string) => boolean,
): PotChanges<P> {
  const anew = new Map(derived.filter((pot) => concerns(pot.leave_type_id)).map((pot) => [keyOf(pot), pot]));
  const stays = (pot: P): boolean => {
    if (pot.source === "manual" || !concerns(pot.leave_type_id)) return true;
    return sameHours(pot.hours, anew.get(keyOf(pot))?.hours ?? null);
  };
  return {
    remove: stored.filter((pot) => !stays(pot)),
    create: missingPots(stored.filter(stays), [...anew.values()]),
  };
}

/**
 * The years a change of one person's contracts or week re-derives: today's, every later year with any pot in the
 * organisation, and every current or later year in which the person has a generated pot; ascending. Past years are never
 * re-derived (people chapter §7, "When").
 */
export function yearsToRederive(today: IsoDate, yearsWithPots: Iterable<number>, yearsOfGenerated: Iterable<number>): number[] {
  const now = yearOf(today);
  const years = new Set([now, ...yearsWithPots, ...yearsOfGenerated]);
  return [...years].filter((year) => year >= now).sort((a, b) => a - b);
}

/** Whether a year is today's or the next: the years whose pots exist by themselves (people chapter §7, "When"). */
export function derivesByItself(year: number, today: IsoDate): boolean {
  return year === yearOf(today) || year === yearOf(today) + 1;
}

/**
 * Whether a read of a person's figures derives the year's missing pots: today's year or the next, and no pot at all in it
 * (people chapter §7, "When"). Storing them needs a caller who may write leave and a licence; without, the same figures
 * are answered and nothing is stored.
 */
export function derivesOnRead(year: number, today: IsoDate, stored: readonly StoredPot[]): boolean {
  return derivesByItself(year, today) && !stored.some((pot) => pot.year === year);
}

/** Whether `generate` and the December job consider a person: may write time, or a contract overlaps the year (§7). */
export function eligibleForPots(contracts: readonly Period[], writesTime: boolean, year: number): boolean {
  return writesTime || contracts.some((contract) => daysCovered(contract, year) > 0);
}

/** The most hours a pot may hold (people chapter §7, "PUT"). */
export const MAX_POT_HOURS = 4000;

/**
 * A pot after `PUT /leave/entitlements`: what is set by hand is `manual`, but re-sending the stored hours is no override
 * and leaves the source as it is (people chapter §7, "PUT").
 */
export function potAfterPut(
  stored: Pick<StoredPot, "hours" | "source"> | null,
  hours: DecimalInput,
): { hours: Hours; source: PotSource } {
  const source = stored !== null && sameHours(stored.hours, hours) ? stored.source : "manual";
  return { hours: hoursText(hours), source };
}

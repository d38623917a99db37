import { newId } from "../../../core/database/model.ts";
import { enqueue, query } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { mayWriteLeave } from "../callers.ts";
import type { EntitlementRow } from "../models.ts";
import { lockEverybody, lockPeople } from "../person-lock.ts";
import { type LeaveSources, loadSources, type Person, type SourcesWanted } from "../sources.ts";
import type { BalanceSources } from "./balance.ts";
import { derivesOnRead, eligibleForPots, missingPots } from "./derivation.ts";
import { type DerivedPot, derivedPots } from "./proration.ts";

const ADD = statement(`insert into leave_entitlements (id, organisation_id, user_id, leave_type_id, year, hours)
  select p.id, $1, p.user_id, p.leave_type_id, p.year, p.hours from jsonb_populate_recordset(null::leave_entitlements, $2::jsonb) p
  on conflict on constraint leave_entitlements_one do nothing returning 1`);
const REMOVE = statement("delete from leave_entitlements where organisation_id = $1 and id = any($2::uuid[])");

/** A derived pot of a person, ready to store. */
export type NewPot = DerivedPot & { readonly user_id: string };

const bound = (pots: readonly NewPot[]): unknown[] => [
  request().organisation.id,
  JSON.stringify(pots.map((pot) => ({ id: newId(), ...pot }))),
];

/** Stores derived pots; existing ones stay unchanged. */
export function addPots(pots: readonly NewPot[]): void {
  if (pots.length > 0) enqueue(ADD, bound(pots));
}

export function removePots(pots: readonly Pick<EntitlementRow, "id">[]): void {
  if (pots.length > 0) enqueue(REMOVE, [request().organisation.id, pots.map(({ id }) => id)]);
}

/** Whether a person accrues pots: a member who may write time and is active, or has a contract in the year (people §7, §14). */
const accrues = ({ member, live, writes_time, contracts }: Person, year: number): boolean =>
  member && eligibleForPots(contracts, writes_time && live, year);

/** The derived pots of a person and year without a row; empty for a person who does not accrue. */
export const missingOf = ({ types }: Pick<LeaveSources, "types">, person: Person, year: number): NewPot[] =>
  accrues(person, year)
    ? missingPots(person.pots, derivedPots(types, person, year)).map((pot) => ({ ...pot, user_id: person.user_id }))
    : [];

/** Derives a year's missing pots for everyone who accrues and returns their number (people §7, "When"). */
export async function generatePots(year: number): Promise<number> {
  lockEverybody();
  const sources = await loadSources({ users: "all", ledger: "pots" });
  const missing = sources.people.flatMap((person) => missingOf(sources, person, year));
  return missing.length === 0 ? 0 : (await query(ADD, bound(missing))).length;
}

/** The pots that a read of these people's figures derives: for each requested year in which a person has no pot (people §7, "When"). */
function derivedOnRead(sources: LeaveSources, years: readonly number[]): NewPot[] {
  return sources.people.flatMap((person) =>
    years.filter((year) => derivesOnRead(year, sources.today, person.pots)).flatMap((year) => missingOf(sources, person, year)),
  );
}

/**
 * Loads the leave of some people or of everyone with pots and bookings, including the pots that a read of these years derives (people §7).
 * Stores those pots if the caller may write leave and the licence allows; otherwise returns the same figures without storing.
 */
export async function settledSources(users: SourcesWanted["users"], years: readonly number[]): Promise<LeaveSources> {
  return settled(await loadSources({ users, ledger: true }), users, years);
}

/** Same as {@link settledSources} for sources already loaded with pots and bookings. */
export async function settled(
  sources: LeaveSources,
  users: SourcesWanted["users"],
  years: readonly number[],
): Promise<LeaveSources> {
  const derived = derivedOnRead(sources, years);
  if (derived.length === 0) return sources;
  if (request().mode !== "write" || !mayWriteLeave()) return withPots(sources, derived);
  // The first read may be stale, so only rows derived under the lock are stored.
  if (users === "all") lockEverybody();
  else lockPeople(users);
  const current = await loadSources({ users, ledger: true });
  const missing = derivedOnRead(current, years);
  addPots(missing);
  return withPots(current, missing);
}

/** The sources with these pots added in memory. */
function withPots(sources: LeaveSources, pots: readonly NewPot[]): LeaveSources {
  const rows = pots.map((pot): EntitlementRow => ({ ...pot, ...UNSTORED }));
  const people = sources.people.map((person) => {
    const own = rows.filter(({ user_id }) => user_id === person.user_id);
    return own.length === 0 ? person : { ...person, pots: [...person.pots, ...own] };
  });
  const known = new Map(people.map((person) => [person.user_id, person]));
  return { ...sources, people, person: (id) => known.get(id.toLowerCase()) ?? sources.person(id) };
}

const UNSTORED = {
  id: "",
  organisation_id: "",
  source: "generated",
  note: null,
  version: 0,
  created_at: "",
  updated_at: "",
} as const;

/**
 * The person that a read of figures names, without pots and bookings unless a member (people §1, "Errors"). A former member's final
 * figures are in the read of all users.
 */
export function namedPerson({ person }: Pick<LeaveSources, "person">, userId: string): Person {
  const found = person(userId);
  return found.member ? found : { ...found, pots: [], bookings: [] };
}

/** The inputs for one person's figures. */
export const balanceSources = ({ types, today }: LeaveSources, { pots, bookings }: Person): BalanceSources => ({
  types,
  pots,
  bookings,
  today,
});

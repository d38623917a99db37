import { newId } from "../../../core/database/model.ts";
import { enqueue, query } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import { request } from "../../../core/request/context.ts";
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

/** A pot that a person's rules give, to be stored. */
export type NewPot = DerivedPot & { readonly user_id: string };

const bound = (pots: readonly NewPot[]): unknown[] => [
  request().organisation.id,
  JSON.stringify(pots.map((pot) => ({ id: newId(), ...pot }))),
];

/** Stores derived pots; one that is there already stays as it is. */
export function addPots(pots: readonly NewPot[]): void {
  if (pots.length > 0) enqueue(ADD, bound(pots));
}

/** Takes pots away. */
export function removePots(pots: readonly Pick<EntitlementRow, "id">[]): void {
  if (pots.length > 0) enqueue(REMOVE, [request().organisation.id, pots.map(({ id }) => id)]);
}

/** Whether pots are made for a person: a member who may write time and is not deactivated, or has a contract in the year (people §7, §14). */
const accrues = ({ member, live, writes_time, contracts }: Person, year: number): boolean =>
  member && eligibleForPots(contracts, writes_time && live, year);

/** The pots the rules give a person in a year that have no row; none for who does not accrue. */
export const missingOf = ({ types }: Pick<LeaveSources, "types">, person: Person, year: number): NewPot[] =>
  accrues(person, year)
    ? missingPots(person.pots, derivedPots(types, person, year)).map((pot) => ({ ...pot, user_id: person.user_id }))
    : [];

/** Derives the missing pots of a year for everybody who accrues, and tells how many there were (people §7, "When"). */
export async function generatePots(year: number): Promise<number> {
  lockEverybody();
  const sources = await loadSources({ users: "all", ledger: "pots" });
  const missing = sources.people.flatMap((person) => missingOf(sources, person, year));
  return missing.length === 0 ? 0 : (await query(ADD, bound(missing))).length;
}

/** What a read of these people's figures derives: of every year asked for in which a person has no pot at all (people §7, "When"). */
function derivedOnRead(sources: LeaveSources, years: readonly number[]): NewPot[] {
  return sources.people.flatMap((person) =>
    years.filter((year) => derivesOnRead(year, sources.today, person.pots)).flatMap((year) => missingOf(sources, person, year)),
  );
}

/**
 * The leave of some people or of everybody with pots and bookings, and with the pots that a read of these years derives. They are stored
 * where the caller may write leave and the licence lets it; where not, the same figures are answered and nothing is stored (people §7).
 */
export async function settledSources(users: SourcesWanted["users"], years: readonly number[]): Promise<LeaveSources> {
  return settled(await loadSources({ users, ledger: true }), users, years);
}

/** The same for sources that were loaded with pots and bookings already. */
export async function settled(
  sources: LeaveSources,
  users: SourcesWanted["users"],
  years: readonly number[],
): Promise<LeaveSources> {
  const derived = derivedOnRead(sources, years);
  if (derived.length === 0) return sources;
  if (request().mode !== "write" || !mayWriteLeave()) return withPots(sources, derived);
  // What was read may be a contract of before: only what is read under the lock is stored.
  if (users === "all") lockEverybody();
  else lockPeople(users);
  const current = await loadSources({ users, ledger: true });
  const missing = derivedOnRead(current, years);
  addPots(missing);
  return withPots(current, missing);
}

/** The sources as if these pots had been stored. */
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

/** What the figures of one person are computed from. */
export const balanceSources = ({ types, today }: LeaveSources, { pots, bookings }: Person): BalanceSources => ({
  types,
  pots,
  bookings,
  today,
});

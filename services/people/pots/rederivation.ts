import { yearOf } from "../../../core/calendar/calendar.ts";
import { query } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import type { EntitlementRow } from "../models.ts";
import type { LeaveSources, Person } from "../sources.ts";
import { rederivedPots, reproratedPots, yearsToRederive } from "./derivation.ts";
import { addPots, removePots } from "./pots.ts";
import { derivedPots } from "./proration.ts";

const YEARS_WITH_POTS = statement("select distinct year from leave_entitlements where organisation_id = $1 and year >= $2");

const ofYear = (pots: readonly EntitlementRow[], year: number): EntitlementRow[] => pots.filter((pot) => pot.year === year);

/** The types that take no part in derivation; their pots stay (people §3). */
const inactive = (types: LeaveSources["types"]): ReadonlySet<string> =>
  new Set(types.flatMap(({ id, active }) => (active ? [] : [id])));

/**
 * Re-derives a person's pots after a change of contract or week, within the transaction (people §7, "When"). The caller has locked the
 * person and loaded the pots before the change.
 * @param after the person after the change
 */
export async function rederivePerson({ types, today }: LeaveSources, after: Person): Promise<void> {
  const rows = await query<{ year: number }>(YEARS_WITH_POTS, [request().organisation.id, yearOf(today)]);
  const generated = after.pots.filter(({ source }) => source === "generated").map(({ year }) => year);
  const years = yearsToRederive(
    today,
    rows.map(({ year }) => year),
    generated,
  );
  const resting = inactive(types);
  const changes = years.map((year) =>
    rederivedPots(ofYear(after.pots, year), derivedPots(types, after, year), after.contracts, year, resting),
  );
  removePots(changes.flatMap(({ remove }) => remove));
  addPots(changes.flatMap(({ create }) => create.map((pot) => ({ ...pot, user_id: after.user_id }))));
}

/**
 * Re-derives everyone's pots, of this year and of later years with pots, after a change of a type's weeks or (null) of the full-time norm
 * (people §7, "When"). The caller has locked everyone.
 * @param after everyone's sources after the change, with pots
 */
export function reprorate({ types, today, people }: LeaveSources, typeId: string | null): void {
  const years = yearsToRederive(
    today,
    people.flatMap(({ pots }) => pots.map(({ year }) => year)),
    [],
  );
  const resting = inactive(types);
  // A former member gets no first pot of a year, not even with a contract that was left open (people §14).
  const concerned = (person: Person, year: number) => person.member || ofYear(person.pots, year).length > 0;
  const changes = people.flatMap((person) =>
    years
      .filter((year) => concerned(person, year))
      .map((year) => ({
        user_id: person.user_id,
        ...reproratedPots(ofYear(person.pots, year), derivedPots(types, person, year), person.contracts, year, typeId, resting),
      })),
  );
  removePots(changes.flatMap(({ remove }) => remove));
  addPots(changes.flatMap(({ user_id, create }) => create.map((pot) => ({ ...pot, user_id }))));
}

import { yearOf } from "../../../core/calendar/calendar.ts";
import { query } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import { request } from "../../../core/request/context.ts";
import type { EntitlementRow } from "../models.ts";
import type { LeaveSources, Person } from "../sources.ts";
import { rederivedPots, reproratedPots, yearsToRederive } from "./derivation.ts";
import { addPots, removePots } from "./pots.ts";
import { derivedPots } from "./proration.ts";

const YEARS_WITH_POTS = statement("select distinct year from leave_entitlements where organisation_id = $1 and year >= $2");

const ofYear = (pots: readonly EntitlementRow[], year: number): EntitlementRow[] => pots.filter((pot) => pot.year === year);

/**
 * Derives a person's pots anew after a change of contract or week, in the running transaction (people §7, "When"). The person is locked,
 * and was loaded with pots before the change.
 * @param after the person as the change leaves it
 */
export async function rederivePerson({ types, today }: LeaveSources, after: Person): Promise<void> {
  const rows = await query<{ year: number }>(YEARS_WITH_POTS, [request().organisation.id, yearOf(today)]);
  const generated = after.pots.filter(({ source }) => source === "generated").map(({ year }) => year);
  const years = yearsToRederive(
    today,
    rows.map(({ year }) => year),
    generated,
  );
  const changes = years.map((year) =>
    rederivedPots(ofYear(after.pots, year), derivedPots(types, after, year), after.contracts, year),
  );
  removePots(changes.flatMap(({ remove }) => remove));
  addPots(changes.flatMap(({ create }) => create.map((pot) => ({ ...pot, user_id: after.user_id }))));
}

/**
 * Derives everybody's pots of this year, and of later ones that have pots, anew after a change of a type's weeks, or (null) of the
 * full-time norm (people §7, "When"). Everybody is locked.
 * @param after everybody's sources as the change leaves them, with pots
 */
export function reprorate({ types, today, people }: LeaveSources, typeId: string | null): void {
  const years = yearsToRederive(
    today,
    people.flatMap(({ pots }) => pots.map(({ year }) => year)),
    [],
  );
  const changes = people.flatMap((person) =>
    years.map((year) => ({
      user_id: person.user_id,
      ...reproratedPots(ofYear(person.pots, year), derivedPots(types, person, year), person.contracts, year, typeId),
    })),
  );
  removePots(changes.flatMap(({ remove }) => remove));
  addPots(changes.flatMap(({ user_id, create }) => create.map((pot) => ({ ...pot, user_id }))));
}

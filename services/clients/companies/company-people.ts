import type { Values } from "../../../core/database/write.ts";
import type { Refused } from "../../../core/impex/entity.ts";
import type { Match } from "../../../core/impex/matching.ts";
import type { Person } from "../contacts/contact-import.ts";

/** The contact person of a row about a company. */
export interface PersonOfRow {
  /** Place in the list of people. */
  index: number;
  /** The type of the link, where the row's role names one. */
  type: string | undefined;
  /** True for the first row about this person. */
  isFirst: boolean;
}

const FIELDS = ["first_name", "last_name", "email", "phone"] as const;

/** The values of a row's contact person and the link's type, or null when the row has none. */
function personIn(row: Values, typeNamed: (name: string) => string | undefined) {
  const given = FIELDS.flatMap((field) =>
    row[`contact_${field}`] === undefined ? [] : [[field, row[`contact_${field}`]] as const],
  );
  const role = row["contact_role"] as string | undefined;
  if (given.length === 0 && role === undefined) return null;
  const type = role === undefined ? undefined : typeNamed(role);
  const title = role === undefined || type !== undefined ? {} : { job_title: role };
  return { values: { ...Object.fromEntries(given), ...title } as Values, type };
}

/**
 * The people of a file of companies: rows with one e-mail address are about one person, whose values they have to agree on. Without an
 * address a person belongs to its row alone.
 * @param typeNamed the contact type a role names, if it does
 */
export function peopleOfRows(
  rows: readonly Values[],
  matches: readonly Match<{ id: string }>[],
  typeNamed: (name: string) => string | undefined,
): { people: Person[]; personOf: Map<number, PersonOfRow>; refused: Map<number, Refused> } {
  const people: { values: Values; scopes: string[] }[] = [];
  const personOf = new Map<number, PersonOfRow>();
  const refused = new Map<number, Refused>();
  const byEmail = new Map<string, number>();
  for (const [row, values] of rows.entries()) {
    const found = personIn(values, typeNamed);
    if (!found) continue;
    if (found.values["first_name"] === undefined && found.values["email"] === undefined) {
      refused.set(row, { contact_first_name: "errors.required" });
      continue;
    }
    const match = matches[row];
    const scopes = match && "change" in match ? [match.change.id] : [];
    const email = (found.values["email"] as string | undefined)?.toLowerCase();
    const index = (email === undefined ? undefined : byEmail.get(email)) ?? people.length;
    const known = people[index];
    const differs = Object.keys(found.values).some(
      (field) => field !== "email" && known?.values[field] !== undefined && known.values[field] !== found.values[field],
    );
    if (differs) {
      refused.set(row, { contact_email: "impex.errors.duplicate_in_file" });
      continue;
    }
    if (known) {
      known.values = { ...found.values, ...known.values };
      known.scopes.push(...scopes);
    } else {
      people.push({ values: found.values, scopes });
      if (email !== undefined) byEmail.set(email, index);
    }
    personOf.set(row, { index, type: found.type, isFirst: known === undefined });
  }
  return { people, personOf, refused };
}

import type { Values } from "../../../core/database/write.ts";
import type { ImpexEntity, ImportRows, Refused } from "../../../core/impex/entity.ts";
import type { People, Person } from "../contacts/contact-import.ts";

/** The contact person of a row about a company. */
export interface PersonOfRow {
  /** Place in the list of people. */
  index: number;
  /** The type of the link, where the row's role names one. */
  type: string | undefined;
}

const FIELDS = ["first_name", "last_name", "email", "phone"] as const;
type TypeNamed = (name: string) => string | undefined;

/** The values of a row's contact person and the link's type, or null when the row has none. */
function personIn(row: Values, typeNamed: TypeNamed) {
  const given = FIELDS.flatMap((field) =>
    row[`contact_${field}`] === undefined ? [] : [[field, row[`contact_${field}`]] as const],
  );
  const role = row["contact_role"] as string | undefined;
  if (given.length === 0 && role === undefined) return null;
  const type = role === undefined ? undefined : typeNamed(role);
  const title = role === undefined || type !== undefined ? {} : { job_title: role };
  return { values: { ...Object.fromEntries(given), ...title } as Values, type };
}

const ABOUT_PERSON = ["contact_first_name", "contact_last_name", "contact_email", "contact_role"];

/** What a row of a list of companies is about: without the columns that say whether it is one. A person of a company is none. */
export function companyOfRow(row: Values): ReturnType<NonNullable<ImpexEntity["arrange"]>> {
  const { is_company: kind, related_company: related, ...own } = row;
  if (kind === "person" && related !== undefined)
    return { values: own, left: [], skipped: ["name", `${row["name"]} (${related})`] };
  const { values, left } = withoutPerson(own);
  return { values, left: related === undefined ? left : [...left, ["related_company", String(related)]] };
}

/** A row that names no contact person has its mobile number as the company's, if that has none; else there is no room for it. */
function withoutPerson(row: Values): { values: Values; left: [string, string][] } {
  const { contact_phone: number, ...own } = row as Values & { contact_phone?: string };
  if (number === undefined || ABOUT_PERSON.some((field) => row[field] !== undefined)) return { values: row, left: [] };
  if (row["phone"] === undefined) return { values: { ...own, phone: number }, left: [] };
  return { values: own, left: row["phone"] === number ? [] : [["contact_phone", number]] };
}

/**
 * The people of a file of companies: rows with one e-mail address are about one person, whose values they have to agree on. Without an
 * address a person belongs to its row alone. Only the places of the rows are kept, so that a hundred thousand people need little room.
 */
export class PeopleOfRows implements People {
  readonly refused = new Map<number, Refused>();
  readonly #rows: ImportRows;
  readonly #typeNamed: TypeNamed;
  readonly #companyOf: (row: number) => string | undefined;
  /** By person, the rows about it. */
  readonly #rowsOf: number[][] = [];
  readonly #personOf = new Map<number, number>();
  readonly #byEmail = new Map<string, number>();

  /**
   * @param companyOf the stored company a row is about, if there is one
   * @param typeNamed the contact type a role names, if it does
   */
  constructor(rows: ImportRows, companyOf: (row: number) => string | undefined, typeNamed: TypeNamed) {
    this.#rows = rows;
    this.#companyOf = companyOf;
    this.#typeNamed = typeNamed;
    let row = 0;
    for (const values of rows) this.#take(row++, values);
    this.#byEmail.clear();
  }

  #take(row: number, values: Values): void {
    const found = personIn(values, this.#typeNamed);
    if (!found) return;
    if (found.values["first_name"] === undefined && found.values["email"] === undefined) {
      this.refused.set(row, { contact_first_name: "errors.required" });
      return;
    }
    const email = (found.values["email"] as string | undefined)?.toLowerCase();
    const index = email === undefined ? undefined : this.#byEmail.get(email);
    if (index === undefined) {
      this.#personOf.set(row, this.#rowsOf.push([row]) - 1);
      if (email !== undefined) this.#byEmail.set(email, this.#rowsOf.length - 1);
      return;
    }
    const known = this.at(index).values;
    const differs = Object.keys(found.values).some(
      (field) => field !== "email" && known[field] !== undefined && known[field] !== found.values[field],
    );
    if (differs) {
      this.refused.set(row, { contact_email: "impex.errors.duplicate_in_file" });
      return;
    }
    (this.#rowsOf[index] as number[]).push(row);
    this.#personOf.set(row, index);
  }

  get length(): number {
    return this.#rowsOf.length;
  }

  /** A person as all of its rows describe it; what the first of them says counts. */
  at(index: number): Person {
    const rows = this.#rowsOf[index] as number[];
    const described = rows.map((row) => personIn(this.#rows.at(row), this.#typeNamed)?.values ?? {});
    return {
      values: Object.assign({}, ...described.toReversed()),
      scopes: rows.flatMap((row) => this.#companyOf(row) ?? []),
    };
  }

  /** The person of a row. */
  of(row: number): PersonOfRow | undefined {
    const index = this.#personOf.get(row);
    if (index === undefined) return undefined;
    const role = this.#rows.at(row)["contact_role"] as string | undefined;
    return { index, type: role === undefined ? undefined : this.#typeNamed(role) };
  }

  /** The row that is first about a person. */
  firstRowOf(index: number): number {
    return (this.#rowsOf[index] as number[])[0] as number;
  }
}

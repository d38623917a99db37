import type { Values } from "../../../core/database/write.ts";
import type { ImpexEntity, ImportRows, Refused } from "../../../core/impex/entity.ts";
import type { People, Person } from "./contact-import.ts";

/** The contact person in a company's row. */
export interface PersonOfRow {
  /** Index in the list of people. */
  index: number;
  /** The link's contact type, if the row's role names one. */
  type: string | undefined;
}

const FIELDS = ["first_name", "last_name", "email", "phone"] as const;
type TypeNamed = (name: string) => string | undefined;

/** The values of a row's contact person and the link's type, or null without one. */
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

/** The values of a company's row, without the columns that say whether it is a company. Skips a person of another company. */
export function companyOfRow(row: Values): ReturnType<NonNullable<ImpexEntity["arrange"]>> {
  const { is_company: kind, related_company: related, ...own } = row;
  if (kind === "person" && related !== undefined)
    return { values: own, left: [], skipped: ["name", `${row["name"]} (${related})`] };
  const { values, left } = withoutPerson(own);
  return { values, left: related === undefined ? left : [...left, ["related_company", String(related)]] };
}

/** Uses the mobile number of a row without a contact person as the company's, if that has none; otherwise reports it as left out. */
function withoutPerson(row: Values): { values: Values; left: [string, string][] } {
  const { contact_phone: number, ...own } = row as Values & { contact_phone?: string };
  if (number === undefined || ABOUT_PERSON.some((field) => row[field] !== undefined)) return { values: row, left: [] };
  if (row["phone"] === undefined) return { values: { ...own, phone: number }, left: [] };
  return { values: own, left: row["phone"] === number ? [] : [["contact_phone", number]] };
}

/**
 * The people in a file of companies. Rows with the same e-mail address describe one person and must agree on its values; without an
 * address, each row has its own person. Stores only row indexes, so that a hundred thousand people need little memory.
 */
export class PeopleOfRows implements People {
  readonly refused = new Map<number, Refused>();
  readonly #rows: ImportRows;
  readonly #typeNamed: TypeNamed;
  readonly #companyOf: (row: number) => string | undefined;
  /** The rows of each person. */
  readonly #rowsOf: number[][] = [];
  readonly #personOf = new Map<number, number>();
  readonly #byEmail = new Map<string, number>();

  /**
   * @param companyOf the stored company of a row, if any
   * @param typeNamed the contact type that a role names, if any
   */
  static async open(
    rows: ImportRows,
    companyOf: (row: number) => string | undefined,
    typeNamed: TypeNamed,
  ): Promise<PeopleOfRows> {
    const people = new PeopleOfRows(rows, companyOf, typeNamed);
    let row = 0;
    for await (const values of rows) people.#take(row++, values);
    people.#byEmail.clear();
    return people;
  }

  private constructor(rows: ImportRows, companyOf: (row: number) => string | undefined, typeNamed: TypeNamed) {
    this.#rows = rows;
    this.#companyOf = companyOf;
    this.#typeNamed = typeNamed;
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

  /** A person merged from all its rows; earlier rows take precedence. */
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

  /** The first row of a person. */
  firstRowOf(index: number): number {
    return (this.#rowsOf[index] as number[])[0] as number;
  }
}

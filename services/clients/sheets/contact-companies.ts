import { query } from "../../../core/database/query.ts";
import type { Values } from "../../../core/database/write.ts";
import type { ImportRows, Refused } from "../../../core/impex/entity.ts";
import { askedIds, knownIds } from "../../../core/impex/identity.ts";
import { refusedBy } from "../../../core/impex/import.ts";
import { sameName } from "../../../core/impex/matching.ts";
import { request } from "../../../core/request/context.ts";
import { type CheckFor, compileBody } from "../../../core/schema/validation.ts";
import { statement } from "../../../core/sql/statement.ts";
import { visibleCompany } from "../companies/company.list.ts";
import { NumbersAtTheEnd } from "../companies/company-numbers.ts";
import { CompanyCreate } from "../companies/company-schemas.ts";
import { createCompany } from "../companies/company-writes.ts";

const VISIBLE = `($3::uuid[] is null or ${visibleCompany("$3::uuid[]")})`;
const BY_WORD = statement(`select t.id, t.client_number, t.name from companies t where t.organisation_id = $1 and ${VISIBLE}
  and (t.client_number = any($2::text[]) or t.name collate kantoor_text = any($2::text[]) or t.id = any($4::uuid[]))
  order by t.id for no key update`);

interface FoundCompany {
  id: string;
  client_number: string | null;
  name: string;
}
const isUnnumbered = ({ client_number: number }: FoundCompany): boolean => number === null;

/** A company reference in a row, and its column. */
interface Wish {
  column: "companies" | "company_name";
  /** A client number, a name or an id. */
  word: string;
  /** The name that accompanies a number. */
  name?: string | undefined;
}
/** The company that a row names, or the error in its reference. */
export type CompanyOfRow = { column: Wish["column"] } & ({ id: string } | { error: string });

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Whether a word looks like a client number rather than a company name. */
const isNumberLike = (word: string): boolean => /^\S*\d\S*$/.test(word);

const listed = (row: Values, field: Wish["column"]): string[] => ((row[field] as string[] | undefined) ?? []).filter(Boolean);

/** The companies a row names; equal numbers of client numbers and names are paired. */
function wishesOf(row: Values): Wish[] {
  const [words, names] = [listed(row, "companies"), listed(row, "company_name")];
  if (words.length === 0) return names.map((word) => ({ column: "company_name", word }));
  return words.map((word, index) => ({
    column: "companies",
    word,
    name: names.length === words.length ? names[index] : undefined,
  }));
}

/** A company to create. */
interface Missing {
  name: string;
  number: string | undefined;
}

/** The missing companies, without duplicates: numbered ones first, then names that no numbered one has. */
async function missingOf(rows: ImportRows, isMissing: (wish: Wish) => boolean): Promise<Missing[]> {
  const byNumber = new Map<string, Missing>();
  const byName = new Map<string, Missing>();
  for await (const row of rows) {
    for (const wish of wishesOf(row)) {
      const { word, name } = wish;
      if (!isMissing(wish)) continue;
      if (name !== undefined && !byNumber.has(word)) byNumber.set(word, { name, number: word });
      // A number alone is not a name for a company.
      else if (name === undefined && (wish.column === "company_name" || !isNumberLike(word)))
        byName.set(sameName(word), byName.get(sameName(word)) ?? { name: word, number: undefined });
    }
  }
  for (const { name } of byNumber.values()) byName.delete(sameName(name));
  return [...byNumber.values(), ...byName.values()];
}

const checkCreate: CheckFor<typeof CompanyCreate> = compileBody(CompanyCreate, true);

/** Creates a company by the usual rules. Returns its id, or its errors. */
async function makeCompany(body: Values, numbers: NumbersAtTheEnd): Promise<string | Refused> {
  try {
    checkCreate(body);
    return await numbers.number((numbered) => createCompany(body, numbered));
  } catch (error) {
    return refusedBy(error);
  }
}

/** The companies named in a file of contacts: found by client number, by id, else by an unambiguous name, and locked. */
export class CompaniesNamed {
  /** Number of companies created. */
  created = 0;
  readonly #byNumber = new Map<string, string>();
  readonly #byName = new Map<string, FoundCompany[]>();
  readonly #byId = new Map<string, string>();
  /** The errors of companies that could not be created, by name. */
  readonly #refused = new Map<string, string>();
  readonly #numbers = new NumbersAtTheEnd();

  /** @param mayCreate whether to create missing companies */
  static async open(rows: ImportRows, mayCreate: boolean): Promise<CompaniesNamed> {
    const named = new CompaniesNamed();
    const words = new Set<string>();
    for await (const row of rows)
      for (const { word, name } of wishesOf(row)) for (const one of [word, name ?? []].flat()) words.add(one);
    await named.#find([...words]);
    if (mayCreate) await named.#create(rows);
    return named;
  }

  async #find(words: readonly string[]): Promise<void> {
    const { organisation, principal } = request();
    const given = words.flatMap((word) => (UUID.test(word) ? word.toLowerCase() : []));
    const asked = [words, principal?.selection ?? null, askedIds("company", given)];
    const found = await query<FoundCompany>(BY_WORD, [organisation.id, ...asked]);
    for (const one of found) this.#add(one);
    const visible = found.map(({ id }) => ({ id, is_visible: true }));
    for (const [id, row] of knownIds("company", given, visible).byId) this.#byId.set(id, row.id);
  }

  #add(found: FoundCompany): void {
    if (found.client_number !== null) this.#byNumber.set(found.client_number, found.id);
    this.#byName.set(sameName(found.name), [...(this.#byName.get(sameName(found.name)) ?? []), found]);
  }

  /** Creates each missing company once, with the number in the file or the next one. */
  async #create(rows: ImportRows): Promise<void> {
    const missing = await missingOf(rows, (wish) => this.#isMissing(wish));
    for (const { name, number } of missing) {
      const made = await makeCompany({ name, ...(number !== undefined && { client_number: number }) }, this.#numbers);
      if (typeof made !== "string") {
        this.#refused.set(sameName(name), Object.values(made)[0] as string);
        continue;
      }
      this.created += 1;
      this.#add({ id: made, client_number: number ?? null, name });
    }
  }

  #isMissing(wish: Wish): boolean {
    const found = this.#found(wish);
    return "error" in found && found.error === "impex.errors.unresolved_reference";
  }

  #found({ word, name }: Wish): { id: string } | { error: string } {
    const id = this.#byNumber.get(word) ?? this.#byId.get(word.toLowerCase());
    if (id !== undefined) return { id };
    const named = this.#byName.get(sameName(word)) ?? [];
    // A company with another number is a different one of the same name.
    const alike = named.length > 0 || name === undefined ? named : (this.#byName.get(sameName(name)) ?? []).filter(isUnnumbered);
    const [only, other] = alike;
    if (other) return { error: "impex.errors.ambiguous_match" };
    if (only) return { id: only.id };
    return { error: this.#refused.get(sameName(name ?? word)) ?? "impex.errors.unresolved_reference" };
  }

  /** Assigns the numbers of created companies, after all other writes. @returns the ids of those whose number another company has */
  finish(): Promise<Set<string>> {
    return this.#numbers.assign();
  }

  /** The companies of a row, in order. */
  of(row: Values): CompanyOfRow[] {
    return wishesOf(row).map((wish) => ({ column: wish.column, ...this.#found(wish) }));
  }
}

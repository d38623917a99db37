import { activeDefinitions } from "../../../core/custom-fields/definitions.ts";
import type { CustomValues } from "../../../core/custom-fields/values.ts";
import type { RowOf } from "../../../core/database/model.ts";
import { enqueue, query } from "../../../core/database/query.ts";
import type { Values } from "../../../core/database/write.ts";
import { mergedCustom, newValues } from "../../../core/impex/changes.ts";
import type { ImpexEntity, ImportRows, Opened, Outcome, Refused } from "../../../core/impex/entity.ts";
import { exportedIds } from "../../../core/impex/exported-ids.ts";
import { askedIds, knownIds, rememberedId } from "../../../core/impex/identity.ts";
import { refusedBy } from "../../../core/impex/import.ts";
import { type Match, matchRows, namesakesAmong, sameName } from "../../../core/impex/matching.ts";
import { request } from "../../../core/request/context.ts";
import { type CheckFor, compileBody } from "../../../core/schema/validation.ts";
import { statement } from "../../../core/sql/statement.ts";
import { companyFilters, companyListing, companyQuery, visibleCompany } from "../companies/company.list.ts";
import { NumbersAtTheEnd } from "../companies/company-numbers.ts";
import { CompanyCreate, CompanyUpdate } from "../companies/company-schemas.ts";
import { changeCompany, createCompany } from "../companies/company-writes.ts";
import type { Company } from "../models.ts";
import { COMPANY_COLUMNS } from "./company-columns.ts";
import { companyOfRow, PeopleOfRows } from "./company-people.ts";
import { PeopleImport, problemsOf } from "./contact-import.ts";
import { contactTypesByName } from "./contact-type-names.ts";

const VISIBLE = `($3::uuid[] is null or ${visibleCompany("$3::uuid[]")})`;
const BY_ID = statement(`select t.id, t.client_number as number, ${VISIBLE} as is_visible from unnest($2::uuid[]) w(id)
  join companies t on t.organisation_id = $1 and t.id = w.id order by t.id for no key update of t`);
const BY_NUMBER = statement(`select t.id, t.client_number as number, ${VISIBLE} as is_visible from unnest($2::text[]) w(number)
  join companies t on t.organisation_id = $1 and t.client_number = w.number order by t.id for no key update of t`);
const BY_NAME = statement(`select t.id, t.name from unnest($2::text[]) w(name)
  join companies t on t.organisation_id = $1 and t.name collate kantoor_text = w.name where ${VISIBLE} order by t.id for no key update of t`);

/** Frees the numbers that the file gives to other companies, before these are written. */
const RELEASE = statement("update companies set client_number = null where organisation_id = $1 and id = any($2::uuid[])");

const EXPORTED = COMPANY_COLUMNS.filter(({ importOnly }) => !importOnly).map(({ key }) => key);
/** Excludes assignees, which only the API manages: files from other tools do not know them. */
const ROWS = statement(`select ${EXPORTED.map((key) => `t.${key}`).join(", ")}, t.custom
  from unnest($2::uuid[]) with ordinality w(id, n) join companies t on t.organisation_id = $1 and t.id = w.id order by w.n`);
const ids = exportedIds(companyListing.spec, 't.client_number collate "C" nulls last, t.name collate "C", t.created_at, t.id');

const checkCreate: CheckFor<typeof CompanyCreate> = compileBody(CompanyCreate, true);
const checkUpdate: CheckFor<typeof CompanyUpdate> = compileBody(CompanyUpdate, false);

/** A stored company. */
type StoredRow = RowOf<typeof Company>;

/** The fields of a stored company that matching needs. */
interface StoredCompany {
  id: string;
  number?: string | null;
  is_visible?: boolean;
}

const distinct = (values: readonly (string | undefined)[]): string[] => [...new Set(values.flatMap((value) => value ?? []))];

/** The stored companies of a file's rows. */
interface Matched {
  matches: Match<StoredCompany>[];
  /** Ids of the file whose company the caller does not see. */
  hidden: ReadonlySet<string>;
  /** Indexes of rows with the number of a company that keeps it. */
  taken: ReadonlySet<number>;
  /** Numbers that move from one company of the file to another, by the id of the first. */
  released: ReadonlyMap<string, string>;
}

/** Finds, for rows that give a stored company the number of another one, whether the file gives that one another number. */
function movedNumbers(
  matches: readonly Match<StoredCompany>[],
  numbers: readonly (string | undefined)[],
  byNumber: ReadonlyMap<string, StoredCompany>,
): Pick<Matched, "taken" | "released"> {
  const changes = matches.map((found) => ("change" in found ? found.change.id : undefined));
  const numberOf = new Map(changes.flatMap((id, index) => (id === undefined ? [] : [[id, numbers[index]] as const])));
  const [taken, released] = [new Set<number>(), new Map<string, string>()];
  for (const [index, number] of numbers.entries()) {
    const holder = number === undefined || changes[index] === undefined ? undefined : byNumber.get(number);
    if (number === undefined || !holder || holder.id === changes[index]) continue;
    if (numberOf.get(holder.id) === undefined) taken.add(index);
    else released.set(holder.id, number);
  }
  return { taken, released };
}

/** Matches rows with stored companies and locks those: by id, then by client number, then by an unambiguous name. */
async function match(rows: ImportRows): Promise<Matched> {
  const { organisation, principal } = request();
  const selection = principal?.selection ?? null;
  const identities: { id: string | undefined; number: string | undefined; name: string | undefined }[] = [];
  for await (const { id, client_number: number, name } of rows as AsyncIterable<Record<string, string | undefined>>)
    identities.push({ id, number, name });
  const given = distinct(identities.map(({ id }) => id));
  type FoundCompany = StoredCompany & { is_visible: boolean };
  const { byId, hidden } = knownIds(
    "company",
    given,
    await query<FoundCompany>(BY_ID, [organisation.id, askedIds("company", given), selection]),
  );
  const numbered = await query<FoundCompany>(BY_NUMBER, [
    organisation.id,
    distinct(identities.map(({ number }) => number)),
    selection,
  ]);
  const byNumber = new Map(numbered.map((row) => [row.number as string, row]));
  const unmatched = identities.filter(
    ({ id, number }) => (id === undefined || !byId.has(id)) && (number === undefined || !byNumber.has(number)),
  );
  const names = distinct(unmatched.map(({ name }) => name && sameName(name)));
  const named = await query<StoredCompany & { name: string }>(BY_NAME, [organisation.id, names, selection]);
  const byName = Map.groupBy(named, ({ name }) => sameName(name));
  const matches = await matchRows<StoredCompany>(identities, { byId, byNumber, byName });
  const numbers = identities.map(({ number }) => number);
  return { matches, hidden, ...movedNumbers(matches, numbers, byNumber) };
}

/** The values of a row without those of its contact. */
const ownValues = (row: Values): Values =>
  Object.fromEntries(Object.entries(row).filter(([key]) => key !== "id" && !key.startsWith("contact_")));

type Written = { id: string; outcome: "created" | "updated" | "unchanged" } | { refused: Refused };

/** Creates a company from a row; an id from another system determines the new one. @throws the errors of the company's rules */
async function makeCompany(row: Values, numbers: NumbersAtTheEnd): Promise<Written> {
  const body = ownValues(row);
  checkCreate(body);
  const given = row["id"] as string | undefined;
  const ownId = given === undefined ? undefined : rememberedId("company", given);
  return { id: await numbers.number((numbered) => createCompany(body, numbered, ownId)), outcome: "created" };
}

/** Stores a row's changes to a stored company. @throws the errors of the company's rules */
async function writeChanges(before: StoredRow, row: Values): Promise<Written> {
  const { custom: given, ...values } = ownValues(row);
  const custom = mergedCustom(
    before["custom"] as CustomValues,
    given as CustomValues | undefined,
    await activeDefinitions("company"),
  );
  const body: Values = { ...newValues(before, values), ...(custom && { custom }) };
  if (Object.keys(body).length === 0) return { id: before.id, outcome: "unchanged" };
  checkUpdate(body);
  return { id: before.id, outcome: (await changeCompany(before, body)) ? "updated" : "unchanged" };
}

const NUMBER_TAKEN: Refused = { client_number: "errors.companies.client_number_taken" };
const COLUMN_OF = { id: "id", number: "client_number", name: "name" } as const;

async function open(rows: ImportRows): Promise<Opened> {
  const { matches, hidden, taken, released } = await match(rows);
  if (released.size > 0) enqueue(RELEASE, [request().organisation.id, [...released.keys()]]);
  const { typeNamed } = await contactTypesByName();
  const companyOf = (row: number) => {
    const found = matches[row];
    return found && "change" in found ? found.change.id : undefined;
  };
  const people = await PeopleOfRows.open(rows, companyOf, typeNamed);
  const imported = await PeopleImport.open(people);
  const numbers = new NumbersAtTheEnd();
  /** The rows whose company the import created, by its id. */
  const made = new Map<string, number>();
  let stored = new Map<string, StoredRow>();

  async function load(from: number, to: number): Promise<void> {
    const places = Array.from({ length: to - from }, (_, index) => from + index);
    const asked = places.flatMap((row) => companyOf(row) ?? []);
    const found = asked.length > 0 ? await query<StoredRow>(ROWS, [request().organisation.id, asked]) : [];
    stored = new Map(found.map((row) => [row.id, { ...row, client_number: released.get(row.id) ?? row.client_number }]));
    await imported.load([...new Set(places.flatMap((row) => people.of(row)?.index ?? []))]);
  }

  async function writeCompany(index: number, row: Values): Promise<Written> {
    const found = matches[index] as Match<StoredCompany>;
    if ("refuse" in found) return { refused: { [COLUMN_OF[found.refuse]]: "errors.duplicate" } };
    if ("create" in found) {
      if (hidden.has(row["id"] as string)) return { refused: { id: "errors.not_found" } };
      const written = await makeCompany(row, numbers);
      if ("id" in written) made.set(written.id, index);
      return written;
    }
    if (found.change.is_visible === false || taken.has(index)) return { refused: NUMBER_TAKEN };
    return writeChanges(stored.get(found.change.id) as StoredRow, row);
  }

  async function write(index: number): Promise<Outcome> {
    const person = people.of(index);
    const written = await writeCompany(index, rows.at(index)).catch((error: unknown): Written => ({ refused: refusedBy(error) }));
    const wrong = people.refused.get(index);
    if ("refused" in written || wrong) {
      const about = person ? asContact(problemsOf(people.at(person.index))) : wrong;
      return { ...("refused" in written && written.refused), ...about };
    }
    if (!person) return written.outcome;
    const link = { company_id: written.id, contact_type_id: person.type };
    const contact = await imported.write(person.index, [link]).catch(refusedBy);
    if (typeof contact !== "string") return asContact(contact);
    return written.outcome === "unchanged" && contact !== "unchanged" ? "updated" : written.outcome;
  }

  async function finish() {
    const taken = await imported.finish();
    const refused = new Map([...taken].map(([index, contact]) => [people.firstRowOf(index), asContact(contact)]));
    for (const id of await numbers.assign()) refused.set(made.get(id) as number, NUMBER_TAKEN);
    return refused;
  }
  return { load, write, finish, alsoCreated: () => imported.created, namesakes: namesakesAmong(matches) };
}

/** The errors of a contact, by the columns of its company's row. */
const asContact = (refused: Refused): Refused =>
  Object.fromEntries(
    Object.entries(refused).map(([field, error]) => [
      field === "_" ? field : `contact_${field === "job_title" ? "role" : field}`,
      error,
    ]),
  );

/** Companies, each with a contact person if the file names one. */
export const company: ImpexEntity = {
  name: "company",
  plural: "companies",
  read: "companies.company.read",
  write: "companies.company.write",
  needs: (columns) =>
    COMPANY_COLUMNS.some(({ key }) => key.startsWith("contact_") && columns.has(key))
      ? ["contacts.contact.write", "contacts.link.write"]
      : [],
  custom: "company",
  fields: COMPANY_COLUMNS,
  identity: { keys: ["client_number"], names: ["name"] },
  matching:
    "Rows are matched on id where the file is an export, then on client_number, then on name where only one record and one row carry it; contact persons on contact_email, else on their name within the company. contact_role sets the type of the link where it names one, else the job title.",
  arrange: companyOfRow,
  open,
  filters: companyQuery,
  ids: ({ q, updated_since, ...filters }) =>
    ids({
      q: q as string | undefined,
      updated_since: updated_since as string | undefined,
      filters: companyFilters(filters, request().principal),
    }),
  rows: (wanted) => query<Values>(ROWS, [request().organisation.id, wanted]),
};

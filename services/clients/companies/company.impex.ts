import { activeDefinitions } from "../../../core/custom-fields/definitions.ts";
import type { CustomValues } from "../../../core/custom-fields/values.ts";
import { columns, type RowOf } from "../../../core/database/model.ts";
import { query } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import type { Values } from "../../../core/database/write.ts";
import { type CheckFor, compileBody } from "../../../core/declare/schema.ts";
import { mergedCustom } from "../../../core/impex/custom.ts";
import type { ImpexEntity, Opened, Outcome, Refused } from "../../../core/impex/entity.ts";
import { exportedIds } from "../../../core/impex/exported-ids.ts";
import type { Field } from "../../../core/impex/field.ts";
import { refusedBy } from "../../../core/impex/import.ts";
import { type Match, matchRows, sameName } from "../../../core/impex/matching.ts";
import { request } from "../../../core/request/context.ts";
import { PeopleImport, type Person, problemsOf } from "../contacts/contact-import.ts";
import { contactTypesByName } from "../contacts/contact-type-names.ts";
import { Company } from "../models.ts";
import { companyFilters, companyListing, companyQuery, visibleCompany } from "./company.list.ts";
import { nextNumbers } from "./company-numbers.ts";
import { peopleOfRows } from "./company-people.ts";
import { CompanyCreate, CompanyUpdate } from "./company-schemas.ts";
import { changeCompany, createCompany } from "./company-writes.ts";

const VISIBLE = `($3::uuid[] is null or ${visibleCompany("$3::uuid[]")})`;
const BY_NUMBER = statement(`select ${columns(Company, "t")}, ${VISIBLE} as is_visible from unnest($2::text[]) w(number)
  join companies t on t.organisation_id = $1 and t.client_number = w.number order by t.id for update of t`);
const BY_NAME = statement(`select ${columns(Company, "t")} from unnest($2::text[]) w(name)
  join companies t on t.organisation_id = $1 and t.name collate kantoor_text = w.name where ${VISIBLE} order by t.id for update of t`);

/** People who look after a company stay with the API: a file from elsewhere knows none of them. */
const FIELDS: readonly Field[] = [
  {
    key: "name",
    kind: "text",
    required: true,
    names: ["bedrijfsnaam", "company name", "company", "bedrijf", "organisatie", "klantnaam", "klant", "naam"],
  },
  { key: "legal_name", kind: "text", names: ["statutaire naam", "juridische naam", "rechtspersoon"] },
  {
    key: "client_number",
    kind: "text",
    names: ["klantnummer", "klantnr", "customer number", "relatienummer", "debiteurnummer", "debiteurnr"],
  },
  {
    key: "status",
    kind: "choice",
    choices: { lead: ["prospect"], onboarding: [], active: ["actief"], offboarding: [], archived: ["gearchiveerd", "inactief"] },
  },
  { key: "website", kind: "text", names: ["url", "webadres", "webpagina", "homepage"] },
  { key: "phone", kind: "text", names: ["telefoon", "telefoonnummer", "tel", "phone number", "telephone"] },
  {
    key: "invoice_email",
    kind: "text",
    names: ["e-mail facturen", "e-mail facturatie", "factuur e-mail", "billing e-mail", "e-mail", "e-mailadres", "email address"],
  },
  { key: "vat_number", kind: "text", names: ["btw-nummer", "btw-nr", "btw-id", "btw", "vat id", "vat"] },
  { key: "coc_number", kind: "text", names: ["kvk-nummer", "kvk-nr", "kvk", "handelsregisternummer", "coc"] },
  { key: "address_line1", kind: "text", names: ["straat", "straatnaam", "adres", "adresregel 1", "street", "address"] },
  { key: "house_number", kind: "text", names: ["huisnummer", "huisnr"] },
  { key: "address_line2", kind: "text", names: ["adresregel 2"] },
  { key: "postal_code", kind: "text", names: ["postcode", "zip code", "zip"] },
  { key: "city", kind: "text", names: ["plaats", "woonplaats", "vestigingsplaats", "stad", "town"] },
  { key: "country", kind: "text", names: ["landcode", "land", "country code"] },
  { key: "notes", kind: "text", names: ["notities", "opmerkingen", "opmerking", "memo", "comments", "remarks"] },
  ...(
    [
      ["first_name", ["voornaam contactpersoon", "contactpersoon voornaam", "contact voornaam", "voornaam", "first name"]],
      ["last_name", ["achternaam contactpersoon", "contactpersoon achternaam", "contact achternaam", "achternaam", "last name"]],
      ["email", ["e-mail contactpersoon", "e-mailadres contactpersoon", "contactpersoon e-mail"]],
      ["phone", ["telefoon contactpersoon", "contactpersoon telefoon", "mobiel contactpersoon", "mobiel", "mobile"]],
      [
        "role",
        ["functie contactpersoon", "rol contactpersoon", "contactpersoon functie", "contact job title", "functie", "rol", "role"],
      ],
    ] as const
  ).map(([part, names]): Field => ({ key: `contact_${part}`, kind: "text", names, importOnly: true })),
];
const EXPORTED = FIELDS.filter(({ importOnly }) => !importOnly).map(({ key }) => key);
const ROWS = statement(`select ${EXPORTED.map((key) => `t.${key}`).join(", ")}, t.custom
  from unnest($2::uuid[]) with ordinality w(id, n) join companies t on t.organisation_id = $1 and t.id = w.id order by w.n`);
const ids = exportedIds(companyListing.spec, 't.client_number collate "C" nulls last, t.name collate "C", t.id');

const checkCreate: CheckFor<typeof CompanyCreate> = compileBody(CompanyCreate, true);
const checkUpdate: CheckFor<typeof CompanyUpdate> = compileBody(CompanyUpdate, false);

/** A company as it is stored; `is_visible` where it was found by its number, whoever may see it. */
type Stored = RowOf<typeof Company> & { readonly is_visible?: boolean };

/** Matches rows with stored companies and locks those: on the client number, then on an unambiguous name. */
async function match(rows: readonly Values[]): Promise<Match<Stored>[]> {
  const { organisation, principal } = request();
  const selection = principal?.selection ?? null;
  const identities = rows.map(({ client_number: number, name }) => ({
    number: number as string | undefined,
    name: name as string | undefined,
  }));
  const distinct = (values: (string | undefined)[]) => [...new Set(values.flatMap((value) => value ?? []))];
  const numbered = await query<Stored>(BY_NUMBER, [organisation.id, distinct(identities.map(({ number }) => number)), selection]);
  const byNumber = new Map(numbered.map((row) => [row.client_number as string, row]));
  const unmatched = identities.filter(({ number }) => number === undefined || !byNumber.has(number));
  const names = distinct(unmatched.map(({ name }) => name && sameName(name)));
  const named = await query<Stored>(BY_NAME, [organisation.id, names, selection]);
  return matchRows(
    identities,
    byNumber,
    Map.groupBy(named, (row) => sameName(row.name)),
  );
}

/** The values of a row that are the company's own. */
const ownValues = (row: Values): Values => Object.fromEntries(Object.entries(row).filter(([key]) => !key.startsWith("contact_")));

type Written = { id: string; outcome: "created" | "updated" | "unchanged" } | { refused: Refused };

/** Writes the company of a row. @throws what the rules of the company refuse */
async function writeCompany(match: Match<Stored>, row: Values, numbered: () => string | null): Promise<Written> {
  if ("refuse" in match) return { refused: { [match.refuse === "number" ? "client_number" : "name"]: "errors.duplicate" } };
  if ("create" in match) {
    const body = { ...row };
    checkCreate(body);
    return { id: await createCompany(body, numbered), outcome: "created" };
  }
  const before = match.change;
  if (before.is_visible === false) return { refused: { client_number: "errors.companies.client_number_taken" } };
  const { custom: given, status, ...values } = row;
  const custom = mergedCustom(before.custom, given as CustomValues | undefined, await activeDefinitions("company"));
  const body: Values = {
    ...values,
    ...(custom && { custom }),
    ...(status !== undefined && status !== before.status && { status }),
  };
  checkUpdate(body);
  return { id: before.id, outcome: (await changeCompany(before, body)) ? "updated" : "unchanged" };
}

async function open(rows: readonly Values[]): Promise<Opened> {
  const matches = await match(rows);
  const ownRows = rows.map(ownValues);
  const typeNamed = await contactTypesByName();
  const { people, personOf, refused } = peopleOfRows(rows, matches, typeNamed);
  const imported = await PeopleImport.open(people);
  const claimed = rows.flatMap(({ client_number: number }) => (number as string) ?? []);
  const unnumbered = rows.filter(
    ({ client_number: number }, index) => number === undefined && "create" in (matches[index] ?? {}),
  );
  const numbers = unnumbered.length > 0 ? await nextNumbers(unnumbered.length, new Set(claimed)) : null;
  let given = 0;
  const numbered = () => numbers?.[given++] ?? null;

  async function write(index: number): Promise<Outcome> {
    const person = personOf.get(index);
    const written = await writeCompany(matches[index] as Match<Stored>, ownRows[index] as Values, numbered).catch(
      (error: unknown): Written => ({ refused: refusedBy(error) }),
    );
    const wrong = refused.get(index);
    if ("refused" in written || wrong) {
      const about = person ? asContact(problemsOf(people[person.index] as Person)) : wrong;
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
    return new Map(
      [...personOf].flatMap(([row, { index, isFirst }]) => {
        const contact = isFirst ? taken.get(index) : undefined;
        return contact ? [[row, asContact(contact)] as const] : [];
      }),
    );
  }
  return { write, finish };
}

/** What is wrong with a contact, by the columns of a row about its company. */
const asContact = (refused: Refused): Refused =>
  Object.fromEntries(
    Object.entries(refused).map(([field, error]) => [
      field === "_" ? field : `contact_${field === "job_title" ? "role" : field}`,
      error,
    ]),
  );

/** Companies, each with a contact person if the file has one. */
export const company: ImpexEntity = {
  name: "company",
  plural: "companies",
  read: "companies.company.read",
  write: "companies.company.write",
  needs: (columns) =>
    FIELDS.some(({ key }) => key.startsWith("contact_") && columns.has(key))
      ? ["contacts.contact.write", "contacts.link.write"]
      : [],
  custom: "company",
  fields: FIELDS,
  matching:
    "Rows are matched on client_number, then on name where only one record and one row carry it; contact persons on contact_email, else on their name within the company. contact_role sets the type of the link where it names one, else the job title.",
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

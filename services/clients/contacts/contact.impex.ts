import { query } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import type { Values } from "../../../core/database/write.ts";
import type { ImpexEntity, Opened, Refused } from "../../../core/impex/entity.ts";
import { exportedIds } from "../../../core/impex/exported-ids.ts";
import type { Field } from "../../../core/impex/field.ts";
import { readBoolean, writeList } from "../../../core/impex/files/cell.ts";
import { sameName } from "../../../core/impex/matching.ts";
import { request } from "../../../core/request/context.ts";
import { visibleCompany } from "../companies/company.list.ts";
import { contactListing } from "./contact.list.ts";
import { type LinkOfPerson, NO_COMPANY, PeopleImport, type Person } from "./contact-import.ts";
import { contactFilters, contactQuery } from "./contact-rows.ts";
import { contactTypesByName } from "./contact-type-names.ts";

const VISIBLE = `($3::uuid[] is null or ${visibleCompany("$3::uuid[]")})`;
const NAMED_COMPANIES =
  statement(`select t.id, t.client_number, t.name from companies t where t.organisation_id = $1 and ${VISIBLE}
  and (t.client_number = any($2::text[]) or t.name collate kantoor_text = any($2::text[])) order by t.id for no key update`);

const FIELDS: readonly Field[] = [
  { key: "first_name", kind: "text", required: true, names: ["voornaam", "given name"] },
  { key: "last_name", kind: "text", names: ["achternaam", "surname", "family name"] },
  { key: "job_title", kind: "text", names: ["functie", "functietitel"] },
  { key: "email", kind: "text", names: ["e-mailadres", "email address", "mail"] },
  { key: "phone", kind: "text", names: ["telefoon", "telefoonnummer", "mobiel", "mobile", "tel", "phone number"] },
  { key: "notes", kind: "text", names: ["notities", "opmerkingen", "opmerking", "memo", "comments", "remarks"] },
  {
    key: "companies",
    kind: "list",
    names: [
      "klantnummers",
      "klantnummer",
      "client number",
      "bedrijven",
      "bedrijfsnaam",
      "bedrijf",
      "company name",
      "company",
      "klant",
    ],
  },
  { key: "contact_types", kind: "list", names: ["contact type", "contacttypes", "contacttype", "type", "rol", "role"] },
  { key: "primary", kind: "list", names: ["is primary", "primair", "hoofdcontact", "eerste contactpersoon"] },
];
/** Columns that are about the links of a contact, not about the contact. */
const LINK_FIELDS = ["companies", "contact_types", "primary"] as const;
const OWN_FIELDS = FIELDS.map(({ key }) => key).filter((key) => !LINK_FIELDS.some((field) => field === key));
const ROWS =
  statement(`select ${OWN_FIELDS.map((key) => `t.${key}`).join(", ")}, t.custom, links.companies, links.contact_types, links.primary
  from unnest($2::uuid[]) with ordinality w(id, n) join contacts t on t.organisation_id = $1 and t.id = w.id
  cross join lateral (
    select coalesce(array_agg(coalesce(c.client_number, c.name) order by l.is_primary desc, c.client_number collate "C", c.name collate "C", c.id), '{}') as companies,
           coalesce(array_agg(coalesce(k.key, '') order by l.is_primary desc, c.client_number collate "C", c.name collate "C", c.id), '{}') as contact_types,
           coalesce(array_agg(case when l.is_primary then 'yes' else 'no' end
                              order by l.is_primary desc, c.client_number collate "C", c.name collate "C", c.id), '{}') as primary
      from contact_links l join companies c on c.organisation_id = l.organisation_id and c.id = l.company_id
      left join contact_types k on k.organisation_id = l.organisation_id and k.id = l.contact_type_id
     where l.organisation_id = t.organisation_id and l.contact_id = t.id
       and ($3::uuid[] is null or l.company_id in (select selected_companies($3::uuid[])))) links
  order by w.n`);
const ids = exportedIds(
  contactListing.spec,
  't.last_name collate "C" nulls last, t.first_name collate "C", t.email collate "C" nulls last, t.id',
);

/** The companies a file names, locked, found by client number, else by an unambiguous name. */
async function companiesNamed(rows: readonly Values[]): Promise<(name: string) => string | { error: string }> {
  const { organisation, principal } = request();
  const asked = [...new Set(rows.flatMap(({ companies }) => (companies as string[] | undefined) ?? []))];
  type Named = { id: string; client_number: string | null; name: string };
  const found = await query<Named>(NAMED_COMPANIES, [organisation.id, asked, principal?.selection ?? null]);
  const byNumber = new Map(found.map(({ id, client_number: number }) => [number, id]));
  const byName = Map.groupBy(found, ({ name }) => sameName(name));
  return (word) => {
    const number = byNumber.get(word);
    if (number !== undefined) return number;
    const [one, other] = byName.get(sameName(word)) ?? [];
    if (other) return { error: "impex.errors.ambiguous_match" };
    return one ? one.id : { error: "impex.errors.unresolved_reference" };
  };
}

/** A value per company: one for all of them, or as many as there are. Undefined when the numbers do not fit. */
function perCompany(values: readonly string[] | undefined, count: number): readonly string[] | undefined {
  if (values === undefined) return Array.from({ length: count }, () => "");
  if (values.length === count) return values;
  return values.length === 1 && count > 1 ? Array.from({ length: count }, () => values[0] as string) : undefined;
}

/** The links a row asks for, or what is wrong with them. */
function linksOf(
  row: Values,
  companyNamed: (name: string) => string | { error: string },
  typeNamed: (name: string) => string | undefined,
): { links: LinkOfPerson[] } | { refused: Refused } {
  const words = ((row["companies"] as string[] | undefined) ?? []).filter(Boolean);
  const types = perCompany(row["contact_types"] as string[] | undefined, words.length);
  const primaries = perCompany(row["primary"] as string[] | undefined, words.length);
  if (!types || !primaries) return { refused: { [types ? "primary" : "contact_types"]: "errors.validation" } };
  const refused: Refused = {};
  const links = words.map((word, index): LinkOfPerson => {
    const company = companyNamed(word);
    if (typeof company !== "string") refused["companies"] = company.error;
    const [type = "", primary = ""] = [types[index], primaries[index]];
    const [typeId, isPrimary] = [typeNamed(type), readBoolean(primary)];
    if (type !== "" && typeId === undefined) refused["contact_types"] = "impex.errors.unresolved_reference";
    if (primary !== "" && isPrimary === undefined) refused["primary"] = "impex.errors.invalid_bool";
    return { company_id: String(company), contact_type_id: type === "" ? undefined : typeId, is_primary: isPrimary };
  });
  if (new Set(links.map((link) => link.company_id)).size < links.length)
    refused["companies"] ??= "impex.errors.duplicate_in_file";
  return Object.keys(refused).length > 0 ? { refused } : { links };
}

async function open(rows: readonly Values[]): Promise<Opened> {
  const [companyNamed, typeNamed] = [await companiesNamed(rows), await contactTypesByName()];
  const primaryOf = new Set<string>();
  const linked = rows.map((row) => {
    const read = linksOf(row, companyNamed, typeNamed);
    if ("refused" in read) return read;
    // Two of them would take it from each other at every import.
    const claims = read.links.flatMap(({ company_id: id, is_primary: primary }) => (primary ? [id] : []));
    if (claims.some((id) => primaryOf.has(id))) return { refused: { primary: "impex.errors.duplicate_in_file" } };
    for (const id of claims) primaryOf.add(id);
    return read;
  });
  const people = rows.map((row, index): Person => {
    const links = linked[index] && "links" in linked[index] ? linked[index].links : [];
    const values = Object.fromEntries(Object.entries(row).filter(([key]) => !LINK_FIELDS.some((field) => field === key)));
    return { values, scopes: links.length > 0 ? links.map((link) => link.company_id) : [NO_COMPANY] };
  });
  const imported = await PeopleImport.open(people);
  return {
    write: async (index) => {
      const read = linked[index] as { links: LinkOfPerson[] } | { refused: Refused };
      return "refused" in read ? read.refused : imported.write(index, read.links);
    },
    finish: () => imported.finish(),
  };
}

/** Contacts with their links to companies, which must be there already. */
export const contact: ImpexEntity = {
  name: "contact",
  plural: "contacts",
  read: "contacts.contact.read",
  write: "contacts.contact.write",
  needs: (columns) => (columns.has("companies") ? ["contacts.link.write"] : []),
  custom: "contact",
  fields: FIELDS,
  matching:
    "Rows are matched on email, else on the name within their companies, else, without any, among contacts of no company. companies holds client numbers or names, contact_types and primary one value each or one for all, separated by semicolons; links are added or changed, never removed.",
  open,
  filters: contactQuery,
  refusals: ["not_found"],
  ids: async ({ q, updated_since, ...filters }) =>
    ids({
      q: q as string | undefined,
      updated_since: updated_since as string | undefined,
      filters: await contactFilters(filters),
    }),
  async rows(wanted) {
    const { organisation, principal } = request();
    const found = await query<Values & Record<(typeof LINK_FIELDS)[number], string[]>>(ROWS, [
      organisation.id,
      wanted,
      principal?.selection ?? null,
    ]);
    return found.map((row) => ({
      ...row,
      companies: writeList(row.companies),
      contact_types: row.contact_types.some(Boolean) ? writeList(row.contact_types) : null,
      primary: writeList(row.primary),
    }));
  },
};

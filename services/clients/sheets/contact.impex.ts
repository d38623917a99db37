import { query } from "../../../core/database/query.ts";
import type { Values } from "../../../core/database/write.ts";
import type { ImpexEntity, ImportRows, Opened, Refused } from "../../../core/impex/entity.ts";
import { exportedIds } from "../../../core/impex/exported-ids.ts";
import { readBoolean } from "../../../core/impex/files/cell.ts";
import { writeList } from "../../../core/impex/files/lists.ts";
import { refusedBy } from "../../../core/impex/import.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { contactListing } from "../contacts/contact.list.ts";
import { contactFilters, contactQuery } from "../contacts/contact-rows.ts";
import { CONTACT_COLUMNS } from "./contact-columns.ts";
import { CompaniesNamed } from "./contact-companies.ts";
import { type LinkOfPerson, NO_COMPANY, PeopleImport } from "./contact-import.ts";
import { contactTypesByName, knownContactTypes } from "./contact-type-names.ts";
import { otherCells, othersOfRow } from "./other-columns.ts";

/** Columns about a contact's links. */
const LINK_FIELDS = ["companies", "company_name", "contact_types", "primary", "is_company"];
const OWN_FIELDS = CONTACT_COLUMNS.map(({ key }) => key).filter((key) => !LINK_FIELDS.includes(key));
/** The unambiguous name of a company: its number, else its name, else its id. */
const NAMED = `coalesce(c.client_number, case when exists (select 1 from companies o
    where o.organisation_id = c.organisation_id and o.id <> c.id and (o.name collate kantoor_text = c.name or o.client_number = c.name)
      and ($3::uuid[] is null or o.id in (select selected_companies($3::uuid[])))) then c.id::text else c.name end)`;
const IN_ORDER = 'order by l.is_primary desc, c.client_number collate "C", c.name collate "C", c.id';
const ROWS =
  statement(`select ${OWN_FIELDS.map((key) => `t.${key}`).join(", ")}, t.custom, links.companies, links.contact_types, links.primary
  from unnest($2::uuid[]) with ordinality w(id, n) join contacts t on t.organisation_id = $1 and t.id = w.id
  cross join lateral (
    select coalesce(array_agg(${NAMED} ${IN_ORDER}), '{}') as companies,
           coalesce(array_agg(coalesce(k.key, '') ${IN_ORDER}), '{}') as contact_types,
           coalesce(array_agg(case when l.is_primary then 'yes' else 'no' end ${IN_ORDER}), '{}') as primary
      from contact_links l join companies c on c.organisation_id = l.organisation_id and c.id = l.company_id
      left join contact_types k on k.organisation_id = l.organisation_id and k.id = l.contact_type_id
     where l.organisation_id = t.organisation_id and l.contact_id = t.id
       and ($3::uuid[] is null or l.company_id in (select selected_companies($3::uuid[])))) links
  order by w.n`);
type Exported = Values & Record<"companies" | "contact_types" | "primary", string[]> & Parameters<typeof otherCells>[0];
const ids = exportedIds(
  contactListing.spec,
  't.last_name collate "C" nulls last, t.first_name collate "C", t.email collate "C" nulls last, t.created_at, t.id',
);

/** The values by company: one for all, or one for each. Undefined when the counts do not match. */
function perCompany(values: readonly string[] | undefined, count: number): readonly string[] | undefined {
  if (values === undefined) return Array.from({ length: count }, () => "");
  if (values.length === count) return values;
  return values.length === 1 && count > 1 ? Array.from({ length: count }, () => values[0] as string) : undefined;
}

/** The links of a row, or their errors. */
function linksOf(
  row: Values,
  named: CompaniesNamed,
  typeNamed: (name: string) => string | undefined,
): { links: LinkOfPerson[] } | { refused: Refused } {
  const companies = named.of(row);
  const types = perCompany(row["contact_types"] as string[] | undefined, companies.length);
  const primaries = perCompany(row["primary"] as string[] | undefined, companies.length);
  if (!types || !primaries) return { refused: { [types ? "primary" : "contact_types"]: "errors.validation" } };
  const refused: Refused = {};
  const links = companies.map((company, index): LinkOfPerson => {
    if ("error" in company) refused[company.column] = company.error;
    const [type = "", primary = ""] = [types[index], primaries[index]];
    const [typeId, isPrimary] = [typeNamed(type), readBoolean(primary)];
    if (type !== "" && typeId === undefined) refused["contact_types"] = "impex.errors.unresolved_reference";
    if (primary !== "" && isPrimary === undefined) refused["primary"] = "impex.errors.invalid_bool";
    const id = "id" in company ? company.id : "";
    return { company_id: id, contact_type_id: type === "" ? undefined : typeId, is_primary: isPrimary };
  });
  const column = companies[0]?.column ?? "companies";
  if (new Set(links.map((link) => link.company_id)).size < links.length) refused[column] ??= "impex.errors.duplicate_in_file";
  return Object.keys(refused).length > 0 ? { refused } : { links };
}

/** The links of every row; a company can have only one primary contact. */
async function linksOfAll(rows: ImportRows, named: CompaniesNamed, typeNamed: (name: string) => string | undefined) {
  const primaryOf = new Set<string>();
  return Array.fromAsync(rows, (row) => {
    const read = linksOf(row, named, typeNamed);
    if ("refused" in read) return read;
    // Otherwise each import would move the flag between them.
    const claims = read.links.flatMap(({ company_id: id, is_primary: primary }) => (primary ? [id] : []));
    if (claims.some((id) => primaryOf.has(id))) return { refused: { primary: "impex.errors.duplicate_in_file" } };
    for (const id of claims) primaryOf.add(id);
    return read;
  });
}

/** The errors of a contact, by the columns of a row. */
const asColumns = ({ company_ids: companies, ...refused }: Refused): Refused =>
  companies === undefined ? refused : { ...refused, companies };

async function open(rows: ImportRows, switched: ReadonlySet<string>): Promise<Opened> {
  const { typeNamed, words } = await contactTypesByName();
  const named = await CompaniesNamed.open(rows, switched.has("create_companies"));
  const linked = await linksOfAll(rows, named, typeNamed);
  const imported = await PeopleImport.open({
    length: rows.length,
    at(index) {
      const read = linked[index] as (typeof linked)[number];
      const links = "links" in read ? read.links : [];
      const values = Object.fromEntries(Object.entries(rows.at(index)).filter(([key]) => !LINK_FIELDS.includes(key)));
      return { values, scopes: links.length > 0 ? links.map((link) => link.company_id) : [NO_COMPANY] };
    },
  });
  return {
    load: (from, to) => imported.load(Array.from({ length: to - from }, (_, index) => from + index)),
    async write(index) {
      const read = linked[index] as (typeof linked)[number];
      if ("refused" in read) return read.refused;
      const outcome = await imported.write(index, read.links).catch((error: unknown) => asColumns(refusedBy(error)));
      return typeof outcome === "string" ? outcome : asColumns(outcome);
    },
    async finish() {
      const refused = new Map(await imported.finish());
      const taken = await named.finish();
      for (const [index, read] of linked.entries())
        if ("links" in read && read.links.some((link) => taken.has(link.company_id)))
          refused.set(index, { companies: "errors.companies.client_number_taken" });
      return refused;
    },
    alsoCreated: () => named.created,
    namesakes: imported.namesakes,
    words: { contact_types: words },
  };
}

/** Contacts with their links to companies; those must exist, unless the import may create them. */
export const contact: ImpexEntity = {
  name: "contact",
  plural: "contacts",
  read: "contacts.contact.read",
  write: "contacts.contact.write",
  needs: (columns) => (columns.has("companies") || columns.has("company_name") ? ["contacts.link.write"] : []),
  custom: "contact",
  fields: CONTACT_COLUMNS,
  switches: [
    {
      key: "create_companies",
      about: "Create missing companies that contacts name",
      needs: ["companies.company.write"],
    },
  ],
  identity: { keys: ["email"], names: ["first_name", "last_name"] },
  matching:
    "Rows match on id if the file is an export, then on email, else on the name within their companies, else, without any, among contacts of no company. companies is client numbers, names or ids, company_name names; contact_types and primary one value each or one for all, separated by semicolons; links are added or changed, never removed. Of several addresses and numbers of a row the first is email and phone, the others join other_emails and other_phones.",
  arrange({ is_company: kind, other_emails: emails, other_phones: phones, ...row }) {
    if (kind !== "company") {
      const { values, left, kept } = othersOfRow(row, emails, phones);
      return { values: { ...row, ...values }, left, kept };
    }
    return { values: row, left: [], skipped: ["is_company", [row["first_name"], row["last_name"]].filter(Boolean).join(" ")] };
  },
  known: { columns: ["contact_types"], open: async () => ({ contact_types: await knownContactTypes() }) },
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
    const found = await query<Exported>(ROWS, [organisation.id, wanted, principal?.selection ?? null]);
    return found.map((row) => ({
      ...row,
      ...otherCells(row),
      companies: writeList(row.companies),
      contact_types: row.contact_types.some(Boolean) ? writeList(row.contact_types) : null,
      primary: writeList(row.primary),
    }));
  },
};

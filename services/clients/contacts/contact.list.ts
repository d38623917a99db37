import { listing } from "../../../core/database/list.ts";
import { projection } from "../../../core/database/projection.ts";
import { Contact } from "../models.ts";
import { ContactOfCompany, ContactRead } from "./contact-schemas.ts";

/** Restricted staff see the contacts of their companies and those of no company (clients chapter §2.5). */
export const visibleToStaff = (slot: string): string => `(not t.linked or t.id in (select selected_contacts(${slot})))`;
/** A client login sees the contacts of its companies. */
export const visibleToClients = (slot: string): string => `t.id in (select selected_contacts(${slot}))`;

/** The links of contact `t`, as far as a selection shows them. */
const LINKS = (sources: string) => `contact_links l where l.organisation_id = t.organisation_id and l.contact_id = t.id
  and (${sources} is null or l.company_id in (select selected_companies(${sources})))`;

/** How a contact is answered: of its links only those inside the caller's selection. */
const answered = {
  model: Contact,
  columns: { companies: "links.companies" },
  joins: (sources: string) => `left join lateral (
    select coalesce(json_agg(json_build_object('company_id', l.company_id, 'name', lc.name, 'is_primary', l.is_primary,
                                               'contact_type_id', l.contact_type_id)
                             order by l.is_primary desc, lc.name collate kantoor_text, lc.id), '[]') as companies
      from (select l.organisation_id, l.company_id, l.is_primary, l.contact_type_id from ${LINKS(sources)}) l
      join companies lc on lc.organisation_id = l.organisation_id and lc.id = l.company_id) links on true`,
};

/** The one select behind every answer that shows a contact. */
export const contactProjection = projection({ ...answered, schema: ContactRead });
/** The same for contacts joined with a company: their source has `is_primary`. */
export const contactOfCompanyProjection = projection({ ...answered, schema: ContactOfCompany });

/** The list of contacts (clients chapter §4.4). */
export const contactListing = listing(
  {
    table: "contacts",
    searchable: true,
    order: "-created_at",
    sorts: {
      first_name: { by: "t.first_name", text: true },
      last_name: { by: "t.last_name", text: true, mayBeEmpty: true },
      email: { by: "t.email", text: true, mayBeEmpty: true },
      job_title: { by: "t.job_title", text: true, mayBeEmpty: true },
      company: {
        by: "fc.name",
        text: true,
        mayBeEmpty: true,
        join: (sources) => `left join lateral (
          select sc.name from (select l.organisation_id, l.company_id from ${LINKS(sources)}) l
            join companies sc on sc.organisation_id = l.organisation_id and sc.id = l.company_id
           order by sc.name collate kantoor_text limit 1) fc on true`,
      },
      created_at: { by: "t.created_at" },
      updated_at: { by: "t.updated_at" },
    },
    filters: {
      company_id: {
        type: "uuid",
        when: (slot, sources) => `exists (select 1 from ${LINKS(sources)} and l.company_id = ${slot})`,
      },
      contact_type_id: {
        type: "uuid",
        when: (slot, sources) => `exists (select 1 from ${LINKS(sources)} and l.contact_type_id = ${slot})`,
      },
      // Company and type of one link: two filters would take them from two.
      link: {
        type: "uuid[]",
        when: (slot, sources) =>
          `exists (select 1 from ${LINKS(sources)} and l.company_id = (${slot})[1] and l.contact_type_id = (${slot})[2])`,
      },
      linked: { type: "boolean", when: (slot) => `t.linked = ${slot}` },
    },
    visible: visibleToStaff,
  },
  contactProjection,
);

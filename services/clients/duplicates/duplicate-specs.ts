import { visibleCompany } from "../companies/company.list.ts";
import { visibleToClients, visibleToStaff } from "../contacts/contact.list.ts";
import type { DuplicateSpec } from "./duplicate-pairs.ts";

/** Clients that may be the same (clients §11.5). */
export const COMPANIES: DuplicateSpec = {
  kind: "company",
  table: "companies",
  weights: { coc_number: 60, vat_number: 60, name: 50, email: 40, domain: 40, phone: 20 },
  least: 40,
  shown: ["id", "name", "client_number", "city", "status", "created_at"],
  visible: visibleCompany,
};

/** A client of both contacts that the caller sees. */
const COMMON_CLIENT = `select 'company' as field, l.company_id::text as value from contact_links l
  join contact_links o on o.organisation_id = $1 and o.contact_id = p.other_id and o.company_id = l.company_id
 where l.organisation_id = $1 and l.contact_id = p.one_id
   and ($2::uuid[] is null or l.company_id in (select selected_companies($2::uuid[])))`;

/** Contacts that may be the same person, for staff (clients §11.5). */
export const CONTACTS: DuplicateSpec = {
  kind: "contact",
  table: "contacts",
  weights: { email: 60, name: 50, phone: 40, company: 20 },
  least: 50,
  further: COMMON_CLIENT,
  shown: ["id", "first_name", "last_name", "email", "phone", "created_at"],
  visible: visibleToStaff,
};

/** The same for client logins. */
export const CONTACTS_OF_CLIENTS: DuplicateSpec = { ...CONTACTS, visible: visibleToClients };

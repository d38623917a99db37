import { queryOne } from "../../../../core/database/query.ts";
import { notFound } from "../../../../core/errors/errors.ts";
import { request } from "../../../../core/request/context.ts";
import { statement } from "../../../../core/sql/statement.ts";
import type { BilledClient, BilledContact } from "../../calculation/bill-to.ts";
import { unknownReference } from "../../refusals.ts";

const CONTACT = `select p.first_name, p.last_name, p.email from contacts p where p.organisation_id = $1 and p.id = $2
  and ($3::uuid[] is null or not p.linked or p.id in (select selected_contacts($3::uuid[])))`;
const CONTACT_ALONE = statement(CONTACT);
const PARTY =
  statement(`select c.name, c.legal_name, c.address_line1, c.house_number, c.address_line2, c.postal_code, c.city, c.country,
    c.vat_number, c.coc_number, c.client_number, c.invoice_email, (select row_to_json(b) from (${CONTACT}) b) as contact
  from companies c where c.organisation_id = $1 and c.id = $4 and ($3::uuid[] is null or c.id in (select selected_companies($3::uuid[])))`);

/** The client and contact of a document. */
export interface Party {
  readonly client: BilledClient;
  readonly contact: BilledContact | null;
}

async function party(company: string, contact: string | null, sources: string[] | null): Promise<Party | null> {
  const values = [request().organisation.id, contact, sources, company];
  const row = await queryOne<BilledClient & { contact: BilledContact | null }>(PARTY, values);
  return row ? { client: row, contact: row.contact } : null;
}

const selection = () => request().principal?.selection ?? null;

/**
 * Client and contact of a new document; the contact does not have to belong to the client (money §2 "Create").
 * @throws 404 for a client the caller does not see, 400 `contact_id` for such a contact
 */
export async function partyFor(company: string, contact: string | null | undefined): Promise<Party> {
  const found = await party(company, contact ?? null, selection());
  if (!found) throw notFound();
  if (contact && !found.contact) throw unknownReference("contact_id");
  return found;
}

/**
 * The current client and contact of a stored document, whoever the caller is: at issue the bill-to party is copied from them (money §2).
 */
export const partyOf = async ({ company_id, contact_id }: { company_id: string; contact_id: string | null }): Promise<Party> =>
  (await party(company_id, contact_id, null)) as Party;

/** The new contact of a stored document. @throws 400 `contact_id` for one the caller does not see */
export async function contactFor(id: string): Promise<BilledContact> {
  const found = await queryOne<BilledContact>(CONTACT_ALONE, [request().organisation.id, id, selection()]);
  if (!found) throw unknownReference("contact_id");
  return found;
}

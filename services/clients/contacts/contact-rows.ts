import { query, queryOne } from "../../../core/database/query.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { optional, uuid } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { rowsOf } from "../../../mixins/resource.ts";
import { Contact } from "../models.ts";
import { contactListing, contactProjection, visibleToClients, visibleToStaff } from "./contact.list.ts";

const spec = { model: Contact, projection: contactProjection, listing: contactListing, narrowed: true };
const forStaff = rowsOf({ ...spec, visible: visibleToStaff });
const forClients = rowsOf({ ...spec, visible: visibleToClients });

/** Whether the caller is a client login, which sees only contacts of its own companies. */
export const isNarrowClient = (): boolean => request().principal?.isClientLogin === true;

/** Contacts that the running request may see. */
export const contactRows = () => (isNarrowClient() ? forClients : forStaff);

const SELECTED = "($3::uuid[] is null or t.id in (select selected_companies($3::uuid[])))";
const COMPANY = statement(`select 1 from companies t where t.organisation_id = $1 and t.id = $2 and ${SELECTED}`);
const LOCK = statement(`select t.id from companies t where t.organisation_id = $1 and t.id = any($2::uuid[]) and ${SELECTED}
  order by t.id for no key update`);
const ANY = statement("select 1 from (select selected_companies($1::uuid[])) c limit 1");

const selection = () => request().principal?.selection ?? null;

/** @throws 404 for a missing company or one outside the caller's selection */
async function requireCompany(id: string): Promise<void> {
  if (!(await queryOne(COMPANY, [request().organisation.id, id, selection()]))) throw notFound();
}

/**
 * Locks companies before their links change, so that one request at a time decides the primary contact. Companies are locked before
 * contacts everywhere, to prevent deadlocks.
 * @throws 404 unless all exist inside the caller's selection
 */
export async function lockCompanies(ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const found = await query(LOCK, [request().organisation.id, ids, selection()]);
  if (found.length < ids.length) throw notFound();
}

/** Whether the caller's selection contains any company. */
export async function seesAnyCompany(): Promise<boolean> {
  return selection() === null || (await queryOne(ANY, [selection()])) !== undefined;
}

/** The filters of the contact list besides search and order; an export accepts the same. */
export const contactQuery = { company_id: optional(uuid()), contact_type_id: optional(uuid()) };

/**
 * The filters of the listing for a query.
 * @throws 404 for a company outside a restricted selection (clients chapter §2.7)
 */
export async function contactFilters({
  company_id: company,
  contact_type_id: type,
}: {
  company_id?: string | undefined;
  contact_type_id?: string | undefined;
}): Promise<Record<string, unknown>> {
  if (company !== undefined && selection()) await requireCompany(company);
  const both = company !== undefined && type !== undefined;
  const filters = both ? { link: [company, type] } : { company_id: company, contact_type_id: type };
  return { ...filters, linked: isNarrowClient() ? true : undefined };
}

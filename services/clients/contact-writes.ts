import { isDeepStrictEqual } from "node:util";
import { request } from "../../core/context.ts";
import { customValues } from "../../core/custom-definitions.ts";
import { type Row, statement } from "../../core/database.ts";
import { conflict, forbidden, invalid } from "../../core/errors.ts";
import { holds } from "../../core/permissions.ts";
import { enqueue, queryAll } from "../../core/query.ts";
import { changesOf, trail } from "../../core/trail.ts";
import { insert, update, type Values } from "../../core/write.ts";
import { isNarrowClient, lockCompanies, seesAnyCompany } from "./contact-rows.ts";
import { contactValues, TRACKED } from "./contact-values.ts";
import { Contact } from "./models.ts";

/** Held until commit: of two requests with one address the second waits, and then finds the row of the first. */
const CLAIM_EMAIL = statement(`select pg_advisory_xact_lock(hashtextextended($1 || lower($2::text collate "und-x-icu"), 4))`);
const EMAIL_TAKEN = statement(`select 1 from contacts where organisation_id = $1
  and email_key = lower($2::text collate "und-x-icu") and id is distinct from $3::uuid limit 1`);

const LINK_ALL = statement(`insert into contact_links (organisation_id, contact_id, company_id, is_primary)
  select $1, $2, c.id, not exists (
    select 1 from contact_links p where p.organisation_id = $1 and p.company_id = c.id and p.is_primary) from unnest($3::uuid[]) c(id)`);
const DEMOTE_OTHERS = statement(`update contact_links set is_primary = false
  where organisation_id = $1 and contact_id <> $2 and company_id = $3 and is_primary`);
const ADD_LINK = statement(`insert into contact_links as l (organisation_id, contact_id, company_id, contact_type_id, is_primary)
  values ($1, $2, $3, $4, $5 or not exists (
    select 1 from contact_links p where p.organisation_id = $1 and p.company_id = $3 and p.is_primary))
  on conflict (organisation_id, contact_id, company_id) do update
    set contact_type_id = excluded.contact_type_id, is_primary = l.is_primary or excluded.is_primary
    where (l.contact_type_id, l.is_primary) is distinct from (excluded.contact_type_id, l.is_primary or excluded.is_primary)`);
const PUT_LINK = statement(`insert into contact_links as l (organisation_id, contact_id, company_id, contact_type_id, is_primary)
  values ($1, $2, $3, $4, $5)
  on conflict (organisation_id, contact_id, company_id) do update
    set contact_type_id = case when $6 then excluded.contact_type_id else l.contact_type_id end, is_primary = excluded.is_primary
    where l.is_primary <> excluded.is_primary or $6 and l.contact_type_id is distinct from excluded.contact_type_id`);

/** @throws 409 `errors.contact_email_exists`, also when the contact that has the address is outside the caller's selection */
async function claimEmail(email: unknown, ownId: string | null): Promise<void> {
  if (typeof email !== "string") return;
  const { id } = request().organisation;
  const [, taken] = await queryAll([CLAIM_EMAIL, [id, email]], [EMAIL_TAKEN, [id, email, ownId]]);
  if (taken?.length) throw conflict("errors.contact_email_exists", "email");
}

/** @throws 403, 422 when the caller may not create a contact with these companies, before anything else is looked at */
async function requireMayCreate(companyIds: readonly string[]): Promise<void> {
  if (companyIds.length > 0 && !holds(request().principal?.grants ?? [], "contacts.link.write")) throw forbidden();
  if (!isNarrowClient()) return;
  if (!(await seesAnyCompany())) throw forbidden("errors.no_company_scope");
  if (companyIds.length === 0) throw invalid({ company_ids: "errors.contact_company_required" });
}

/**
 * Creates a contact from a validated body, with its links and its line in the trail. Every path that makes a contact comes through here.
 * A link is primary where its company has no primary yet.
 * @returns the new id
 * @throws 403, 404, 409, 422 of the rules (clients chapter §4.2); nothing is written then
 */
export async function createContact(body: Values): Promise<string> {
  const { organisation } = request();
  const companyIds = [...new Set(((body["company_ids"] as string[] | undefined) ?? []).map((id) => id.toLowerCase()))];
  await requireMayCreate(companyIds);
  const values = contactValues(body, null, organisation.country);
  values["custom"] = await customValues("contact", body["custom"] as Values | undefined, "create");
  await lockCompanies(companyIds);
  await claimEmail(values["email"], null);
  const id = insert(Contact, values);
  if (companyIds.length > 0) enqueue(LINK_ALL, [organisation.id, id, companyIds]);
  trail("contact", id, "created");
  return id;
}

/**
 * Changes a contact that the caller has locked. What is not sent stays; a write that changes nothing leaves no trace.
 * @param before the stored row
 */
export async function changeContact(before: Row, body: Values): Promise<void> {
  const id = before["id"] as string;
  const values = contactValues(body, before, request().organisation.country);
  const custom = await customValues("contact", body["custom"] as Values | null | undefined, "update");
  if (custom !== undefined) values["custom"] = custom;
  const changed = Object.fromEntries(Object.entries(values).filter(([field, value]) => !isDeepStrictEqual(before[field], value)));
  if (Object.keys(changed).length === 0) return;
  if ("email" in changed) await claimEmail(changed["email"], id);
  update(Contact, id, changed);
  const changes = changesOf(TRACKED, before, changed);
  if (Object.keys(changes).length > 0) trail("contact", id, "updated", { changes });
}

/** A link as a caller asks for it; without `contact_type_id` the type is not mentioned. */
export interface LinkWish {
  is_primary?: boolean | undefined;
  contact_type_id?: string | null | undefined;
}

/**
 * Adds a link, or updates the one that is there (clients chapter §4.3, POST): it becomes primary when asked, or when the company has no
 * primary; the type is always written. Company and contact are locked.
 */
export function addLink(contactId: string, companyId: string, wish: LinkWish): void {
  const place = [request().organisation.id, contactId, companyId];
  const { is_primary: primary = false, contact_type_id: type = null } = wish;
  if (primary) enqueue(DEMOTE_OTHERS, place);
  enqueue(ADD_LINK, [...place, type, primary]);
}

/**
 * Changes a link, or makes it (clients chapter §4.3, PATCH): it is primary exactly when asked; the type is written only when sent.
 * Company and contact are locked.
 */
export function putLink(contactId: string, companyId: string, wish: LinkWish): void {
  const place = [request().organisation.id, contactId, companyId];
  const { is_primary: primary = false, contact_type_id: type } = wish;
  if (primary) enqueue(DEMOTE_OTHERS, place);
  enqueue(PUT_LINK, [...place, type ?? null, primary, type !== undefined]);
}

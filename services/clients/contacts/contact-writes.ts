import { customValues } from "../../../core/custom-fields/definitions.ts";
import type { RowOf } from "../../../core/database/model.ts";
import { query, queryAll, queryOne } from "../../../core/database/query.ts";
import { differences, queueInsert, queueRemove, queueUpdate } from "../../../core/database/write.ts";
import { conflict, forbidden, invalid } from "../../../core/errors/errors.ts";
import { emit } from "../../../core/jobs/outbox.ts";
import { mayCaller } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { type Bound, statement } from "../../../core/sql/statement.ts";
import { reportLostReferences } from "../../../core/trail/lost-references.ts";
import { reportChange } from "../../../core/trail/record-changes.ts";
import { changesOf, trail, trailChanges } from "../../../core/trail/trail.ts";
import { withoutWidening } from "../../../mixins/widening.ts";
import { Contact } from "../models.ts";
import { contactRows, isNarrowClient, lockCompanies, seesAnyCompany } from "./contact-rows.ts";
import type { ContactCreate, ContactUpdate } from "./contact-schemas.ts";
import { contactValues } from "./contact-values.ts";

/**
 * Held until commit: of two requests with one address, the second waits and then finds the first one's row. An import claims all addresses
 * of its organisation at once, so that it needs a single lock.
 */
const CLAIM_EMAIL = statement(`select pg_advisory_xact_lock_shared(hashtextextended($1, 4)),
  pg_advisory_xact_lock(hashtextextended($1 || lower($2::text collate "und-x-icu"), 4))`);
const CLAIM_ALL_EMAILS = statement("select pg_advisory_xact_lock(hashtextextended($1, 4))");
const EMAILS_TAKEN = statement(`select mine.id from contacts mine where mine.organisation_id = $1 and mine.id = any($2::uuid[])
  and exists (select 1 from contacts other where other.organisation_id = $1 and other.email_key = mine.email_key and other.id <> mine.id)`);
const EMAIL_TAKEN = statement(`select 1 from contacts where organisation_id = $1
  and email_key = lower($2::text collate "und-x-icu") and id is distinct from $3::uuid limit 1`);

const WANTED =
  "unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::boolean[]) with ordinality w(contact_id, company_id, type_id, is_primary, n)";
const DEMOTE_OTHERS = statement(`update contact_links set is_primary = false
  where organisation_id = $1 and company_id = any($3::uuid[]) and is_primary
    and (contact_id, company_id) not in (select w.contact_id, w.company_id from unnest($2::uuid[], $3::uuid[]) w(contact_id, company_id))
  returning contact_id`);
const ADD_LINKS = statement(`insert into contact_links as l (organisation_id, contact_id, company_id, contact_type_id, is_primary)
  select $1, w.contact_id, w.company_id, w.type_id, w.is_primary or row_number() over (partition by w.company_id order by w.n) = 1
      and not exists (select 1 from contact_links p where p.organisation_id = $1 and p.company_id = w.company_id and p.is_primary)
    from ${WANTED} order by w.n
  on conflict (organisation_id, contact_id, company_id) do update
    set contact_type_id = excluded.contact_type_id, is_primary = l.is_primary or excluded.is_primary
    where (l.contact_type_id, l.is_primary) is distinct from (excluded.contact_type_id, l.is_primary or excluded.is_primary)
  returning l.contact_id`);
const PUT_LINKS = statement(`insert into contact_links as l (organisation_id, contact_id, company_id, contact_type_id, is_primary)
  select $1, w.contact_id, w.company_id, w.type_id, w.is_primary from ${WANTED} order by w.n
  on conflict (organisation_id, contact_id, company_id) do update
    set contact_type_id = case when $6 then excluded.contact_type_id else l.contact_type_id end, is_primary = excluded.is_primary
    where l.is_primary <> excluded.is_primary or $6 and l.contact_type_id is distinct from excluded.contact_type_id
  returning l.contact_id`);
const UNLINK = statement(
  "delete from contact_links where organisation_id = $1 and contact_id = $2 and company_id = $3 returning contact_id",
);

/** @throws 409 `errors.contact_email_exists`, also when the contact with the address is outside the caller's selection */
async function claimEmail(email: string | null | undefined, ownId: string | null): Promise<void> {
  if (!email) return;
  const { id } = request().organisation;
  const [, taken] = await queryAll([CLAIM_EMAIL, [id, email]], [EMAIL_TAKEN, [id, email, ownId]]);
  if (taken?.length) throw conflict("errors.contact_email_exists", "email");
}

/**
 * Claims the addresses of contacts written without `claimEmail`, until commit.
 * @returns the ids of those whose address another contact has too, visible to the caller or not
 */
export async function claimEmailsOf(ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const { id } = request().organisation;
  await query(CLAIM_ALL_EMAILS, [id]);
  return new Set((await query<{ id: string }>(EMAILS_TAKEN, [id, ids])).map((row) => row.id));
}

/** @throws 403, 422 when the caller may not create a contact with these companies; runs before all other checks */
async function requireMayCreate(companyIds: readonly string[]): Promise<void> {
  if (companyIds.length > 0 && !mayCaller("contacts.link.write")) throw forbidden();
  if (!isNarrowClient()) return;
  if (!(await seesAnyCompany())) throw forbidden("errors.no_company_scope");
  if (companyIds.length === 0) throw invalid({ company_ids: "errors.contact_company_required" });
}

/**
 * Creates a contact from a validated body, with its links and trail line. Every path that creates one calls this. A link becomes primary if
 * its company has no primary yet.
 * @param isHeld true when the caller has locked the companies, and will claim addresses (`claimEmailsOf`) and add links in bulk
 * @param ownId its id; a new one by default
 * @returns the new id
 * @throws 403, 404, 409, 422 for broken rules (clients chapter §4.2), before any write
 */
export async function createContact(body: Static<typeof ContactCreate>, isHeld = false, ownId?: string): Promise<string> {
  const { organisation } = request();
  const companyIds = [...new Set((body.company_ids ?? []).map((id) => id.toLowerCase()))];
  await requireMayCreate(companyIds);
  const values = contactValues(body, null, organisation.country);
  const custom = await customValues("contact", body.custom, "create");
  if (!isHeld) {
    await lockCompanies(companyIds);
    await claimEmail(values.email, null);
  }
  const id = queueInsert(Contact, { first_name: body.first_name, ...values, custom, ...(ownId !== undefined && { id: ownId }) });
  if (!isHeld)
    await addLinks(
      companyIds.map((company) => ({ contact_id: id, company_id: company, contact_type_id: null, is_primary: false })),
    );
  trail("contact", id, "created");
  const title = [body.first_name, values.last_name].filter(Boolean).join(" ");
  emit("contact.created", "contact", id, { contact_id: id, title });
  return id;
}

/**
 * Updates a contact that the caller has locked. Fields that are not sent stay unchanged; a write without changes leaves no trace.
 * @param before the stored row
 * @param isHeld true when the caller will claim the address itself (`claimEmailsOf`)
 * @returns whether anything changed
 */
export async function changeContact(
  before: RowOf<typeof Contact>,
  body: Static<typeof ContactUpdate>,
  isHeld = false,
): Promise<boolean> {
  const { id } = before;
  const values = contactValues(body, before, request().organisation.country);
  const custom = await customValues("contact", body.custom, "update");
  const changed = differences(before, { ...values, custom });
  if (!changed) return false;
  if (!isHeld) await claimEmail(changed.email, id);
  queueUpdate(Contact, id, changed);
  trailChanges("contact", id, changesOf(Contact.tracked, before, changed), Object.keys(changed));
  return true;
}

/** A link as requested; without `contact_type_id` the type stays. */
export interface LinkWish {
  is_primary?: boolean | undefined;
  contact_type_id?: string | null | undefined;
}

/** A link of one contact to one company. */
export interface Link {
  contact_id: string;
  company_id: string;
  contact_type_id: string | null;
  is_primary: boolean;
}

const columnsOf = (links: readonly Link[]) => [
  request().organisation.id,
  links.map((link) => link.contact_id),
  links.map((link) => link.company_id),
  links.map((link) => link.contact_type_id),
  links.map((link) => link.is_primary),
];

/** Writes links, and reports the contacts whose links really changed: their answers contain them, and the trail does not. */
async function writeLinks(...statements: Bound[]): Promise<void> {
  const written = (await queryAll(...statements)) as { contact_id: string }[][];
  reportChange("contact", [...new Set(written.flat().map(({ contact_id: id }) => id))], "updated", ["companies"]);
}

/** Clears the primary flag of other contacts in companies that get a new primary. */
function demotion(links: readonly Link[]): Bound[] {
  const primary = links.filter((link) => link.is_primary);
  return primary.length > 0 ? [[DEMOTE_OTHERS, columnsOf(primary).slice(0, 3)]] : [];
}

/**
 * Adds or updates links (clients chapter §4.3, POST): a link becomes primary when requested, or when it is its company's first and the
 * company has no primary; the type is always written. Requires locked companies and contacts, and each link only once.
 */
export async function addLinks(links: readonly Link[]): Promise<void> {
  if (links.length > 0) await writeLinks(...demotion(links), [ADD_LINKS, columnsOf(links)]);
}

/**
 * Updates or creates links (clients chapter §4.3, PATCH): a link is primary exactly when requested. Requires locked companies and contacts,
 * each link only once, and at most one primary per company.
 * @param withType false keeps the types of existing links
 */
export async function putLinks(links: readonly Link[], withType = true): Promise<void> {
  if (links.length > 0) await writeLinks(...demotion(links), [PUT_LINKS, [...columnsOf(links), withType]]);
}

/** Deletes a link, if there is one. Requires a locked company and contact. */
export const removeLink = (contactId: string, companyId: string): Promise<void> =>
  writeLinks([UNLINK, [request().organisation.id, contactId, companyId]]);

const asLink = (
  contactId: string,
  companyId: string,
  { is_primary: primary = false, contact_type_id: type }: LinkWish,
): Link => ({
  contact_id: contactId,
  company_id: companyId,
  contact_type_id: type ?? null,
  is_primary: primary,
});

/** One link of `addLinks`. */
export const addLink = (contactId: string, companyId: string, wish: LinkWish): Promise<void> =>
  addLinks([asLink(contactId, companyId, wish)]);

/** One link of `putLinks`; the type is written only when sent. */
export const putLink = (contactId: string, companyId: string, wish: LinkWish): Promise<void> =>
  putLinks([asLink(contactId, companyId, wish)], wish.contact_type_id !== undefined);

const LINK = statement("select 1 from contact_links where organisation_id = $1 and contact_id = $2 and company_id = $3");

/**
 * Ensures that a contact is linked to a company: an existing link stays unchanged, a new one becomes primary if the company has no primary
 * yet. The caller must lock the company (`lockCompanies`).
 * @throws 403 without `contacts.link.write`, 404, 412
 */
export async function linkContact(id: string, companyId: string): Promise<void> {
  if (!mayCaller("contacts.link.write")) throw forbidden();
  await contactRows().forWrite(id);
  if (!(await queryOne(LINK, [request().organisation.id, id, companyId]))) await addLink(id, companyId, {});
}

/** Deletes a contact with its links. @throws 404, 412; 403 if that would widen what the caller or the contact's login sees */
export async function removeContact(id: string): Promise<void> {
  await contactRows().forWrite(id);
  await reportLostReferences(Contact, [id]);
  await withoutWidening({ contactId: id }, () => queueRemove(Contact, id));
  reportChange("contact", [id], "deleted");
}

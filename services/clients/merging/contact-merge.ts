import type { RowOf, UpdateOf } from "../../../core/database/model.ts";
import { query, queryAll, queryOne } from "../../../core/database/query.ts";
import { lock, queueRemove, queueUpdate } from "../../../core/database/write.ts";
import { conflict, forbidden, notFound } from "../../../core/errors/errors.ts";
import { emit } from "../../../core/jobs/outbox.ts";
import { type MovedReferences, moveReferences } from "../../../core/references/move.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { reportChange } from "../../../core/trail/record-changes.ts";
import { trail } from "../../../core/trail/trail.ts";
import { addAlias } from "../aliases/aliases.ts";
import { visibleToClients, visibleToStaff } from "../contacts/contact.list.ts";
import { contactRows, isNarrowClient } from "../contacts/contact-rows.ts";
import { withOthers } from "../contacts/other-addresses.ts";
import { Contact } from "../models.ts";
import { type MergedFields, type MergedSpec, mergedFields } from "./merged-fields.ts";
import { inTrail, type MergeOutcome, orUndone, outcomeOf, requireTwo } from "./merging.ts";

type Stored = RowOf<typeof Contact>;

const FIELDS: MergedSpec = { single: ["job_title", "email", "phone", "birthday"], together: [["first_name", "last_name"]] };

/** The clients of both contacts, before the contacts: every change of links locks in this order. */
const LOCK_CLIENTS = statement(`select c.id from companies c where c.organisation_id = $1
  and c.id in (select l.company_id from contact_links l where l.organisation_id = $1 and l.contact_id = any($2::uuid[]))
  order by c.id for no key update of c`);
const lockVisible = (visible: (slot: string) => string) =>
  statement(`select t.id from contacts t where t.organisation_id = $1 and t.id = any($2::uuid[])
    and ($3::uuid[] is null or ${visible("$3::uuid[]")}) order by t.id for update of t`);
const LOCK_FOR_STAFF = lockVisible(visibleToStaff);
const LOCK_FOR_CLIENTS = lockVisible(visibleToClients);

// Deleted and inserted, not updated: triggers follow who sees what by the rows that come and go.
const MOVE_LINKS = statement(`with gone as (
    delete from contact_links where organisation_id = $1 and contact_id = $2 returning company_id, contact_type_id, is_primary, created_at)
  insert into contact_links as l (organisation_id, contact_id, company_id, contact_type_id, is_primary, created_at)
  select $1, $3, g.company_id, g.contact_type_id, g.is_primary, g.created_at from gone g order by g.company_id
  on conflict (organisation_id, contact_id, company_id) do update
    set contact_type_id = coalesce(l.contact_type_id, excluded.contact_type_id), is_primary = l.is_primary or excluded.is_primary
  returning (xmax = 0) as is_new`);

const HIDDEN_LINK = statement(`select 1 from contact_links l where l.organisation_id = $1 and l.contact_id = any($2::uuid[])
  and l.company_id not in (select selected_companies($3::uuid[])) limit 1`);

/** Moves the links of a contact; a client that both are linked to has one link afterwards, primary if either was. */
async function moveLinks(from: string, to: string): Promise<MovedReferences> {
  const rows = await query<{ is_new: boolean }>(MOVE_LINKS, [request().organisation.id, from, to]);
  const count = (isNew: boolean) => {
    const found = rows.filter((row) => row.is_new === isNew).length;
    return found > 0 ? [{ table: "contact_links", count: found }] : [];
  };
  return { moved: count(true), dropped: count(false) };
}

const nameOf = ({ first_name: first, last_name: last }: Stored): string => [first, last].filter(Boolean).join(" ");

/** Adds the login of the client portal. @throws 409 if both contacts have one */
function addLogin({ filled }: MergedFields, kept: Stored, other: Stored): void {
  if (other.account_id === null) return;
  if (kept.account_id !== null) throw conflict("errors.contact_two_logins");
  filled["account_id"] = other.account_id;
}

/** Keeps every address and number: one that the kept contact has another first one for becomes a further one, and no conflict. */
function addOthers(fields: MergedFields, kept: Stored, other: Stored): void {
  const { filled } = fields;
  const isKept = (field: "email" | "phone") => filled[field] === undefined && other[field] !== null;
  const merged = withOthers(
    {
      ...kept,
      email: (filled["email"] as string | undefined) ?? kept.email,
      phone: (filled["phone"] as string | undefined) ?? kept.phone,
    },
    {
      other_emails: [...(isKept("email") ? [{ label: null, email: other.email as string }] : []), ...other.other_emails],
      other_phones: [...(isKept("phone") ? [{ label: null, phone: other.phone as string }] : []), ...other.other_phones],
    },
  );
  for (const field of ["other_emails", "other_phones"] as const)
    if (merged[field].length > kept[field].length) filled[field] = merged[field];
  fields.conflicts = fields.conflicts.filter(({ field }) => field !== "email" && field !== "phone");
}

/** @throws 403 if a login would see a client that the caller does not: it then sees the clients of both contacts (conventions §5) */
async function requireNoWidening(kept: Stored, other: Stored): Promise<void> {
  const { organisation, principal } = request();
  const selection = principal?.selection ?? null;
  if (selection === null || (kept.account_id === null && other.account_id === null)) return;
  if (await queryOne(HIDDEN_LINK, [organisation.id, [kept.id, other.id], selection])) throw forbidden();
}

async function mergeInto(kept: Stored, other: Stored): Promise<Omit<MergeOutcome, "dry_run">> {
  const { id } = kept;
  const fields = mergedFields(kept, other, FIELDS);
  addOthers(fields, kept, other);
  addLogin(fields, kept, other);
  await requireNoWidening(kept, other);
  const links = await moveLinks(other.id, id);
  const references = await moveReferences("contact", other.id, id);
  addAlias("contact", other.id, id);
  queueRemove(Contact, other.id);
  queueUpdate(Contact, id, fields.filled as UpdateOf<typeof Contact>);
  reportChange("contact", [other.id], "deleted");
  trail("contact", other.id, "merged_into", { contact_id: id, name: nameOf(kept) });
  const tracked = Object.keys(fields.filled).filter((field) => Contact.tracked.includes(field));
  trail("contact", id, "merged", {
    contact_id: other.id,
    name: nameOf(other),
    filled: Object.fromEntries(tracked.map((field) => [field, fields.filled[field]])),
    discarded: inTrail(fields.conflicts),
  });
  reportChange("contact", [id], "updated", [...Object.keys(fields.filled), "companies"]);
  emit("contact.merged", "contact", id, {
    contact_id: id,
    title: nameOf(kept),
    merged_contact_id: other.id,
    merged_title: nameOf(other),
  });
  const { account_id: login, ...filled } = fields.filled;
  const shown = { ...fields, filled: { ...filled, ...(login !== undefined && { portal: login }) } };
  return outcomeOf({ id: other.id, name: nameOf(other) }, shown, references, links);
}

/**
 * Merges a contact into another, in the running transaction (clients §11): its references move, empty fields of the kept contact are filled,
 * and its id becomes an alias.
 * @param isDry true to undo everything, for an answer that says what would happen
 * @throws 403 if a login would see more than the caller, 404 unless the caller sees both, 409 if both have a login, 412 if the kept contact
 * has changed, 422 for one contact twice
 */
export async function mergeContacts(keptId: string, from: string, isDry: boolean): Promise<MergeOutcome & { contact: unknown }> {
  const [id, otherId] = requireTwo(keptId, from);
  const { organisation, principal } = request();
  const ids = [organisation.id, [id, otherId]];
  const locking = isNarrowClient() ? LOCK_FOR_CLIENTS : LOCK_FOR_STAFF;
  const [, found] = await queryAll([LOCK_CLIENTS, ids], [locking, [...ids, principal?.selection ?? null]]);
  if ((found?.length ?? 0) < 2) throw notFound();
  const kept = await contactRows().forWrite(id);
  const other = (await lock(Contact, otherId)) as Stored;
  return orUndone(isDry, async () => {
    const outcome = await mergeInto(kept, other);
    return { contact: (await contactRows().one(id)).parse(), dry_run: isDry, ...outcome };
  });
}

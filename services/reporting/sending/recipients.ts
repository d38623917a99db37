import { queryOne } from "../../../core/database/query.ts";
import { invalid, notFound } from "../../../core/errors/errors.ts";
import { isOneRecipient } from "../../../core/mail/mail.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { blankToNull } from "../../../core/values/text.ts";
import type { Recipient } from "../models.ts";

/** The result of a send, for the transaction that records it. */
export interface Mailed {
  /** Recipients without a usable address. */
  unreachable: readonly Recipient[];
}

/** A recipient as sent by a caller. */
export interface NamedRecipient {
  contact_id?: string | null | undefined;
  email?: string | null | undefined;
  name?: string | null | undefined;
}

/** A recipient with a usable address. */
export type Reachable = Recipient & {
  email: string;
  /** The name to greet: the recipient's own, else the first name of the client's contact or the member with the address; null without one. */
  greeting: string | null;
};

/** The recipients of a report, and its sender's name. */
export interface Addressees {
  /** Recipients with a usable address, each address once. */
  reachable: readonly Reachable[];
  /** Recipients without one: a contact without an address, or no longer linked to the client. */
  unreachable: readonly Recipient[];
  /** The name of the client's responsible person, or null. */
  sender: string | null;
}

/**
 * The recipients of client `$2` (null if it was deleted): the profile's recipients, the contacts named by them or by the call (`$3`, or `$4`
 * by address), the primary contact, the members with those addresses, and the responsible person. Contacts linked only to other clients are
 * not found.
 */
const FACTS = statement(`select coalesce((select p.recipients from report_profiles p
      where p.organisation_id = $1 and p.company_id = $2), '[]') as recipients,
    coalesce((select jsonb_agg(jsonb_build_object('id', k.id, 'email', k.email, 'is_primary', l.is_primary,
          'first_name', nullif(trim(k.first_name), ''),
          'name', nullif(trim(coalesce(k.first_name, '') || ' ' || coalesce(k.last_name, '')), '')))
        from contact_links l join contacts k on k.organisation_id = l.organisation_id and k.id = l.contact_id
       where l.organisation_id = $1 and l.company_id = $2 and (l.is_primary or l.contact_id = any($3::uuid[]) or lower(k.email) = any($4::text[])
         or exists (select from report_profiles p where p.organisation_id = $1 and p.company_id = $2
           and (p.recipients @> jsonb_build_array(jsonb_build_object('contact_id', l.contact_id))
             or p.recipients @> jsonb_build_array(jsonb_build_object('email', lower(k.email))))))), '[]') as contacts,
    coalesce((select jsonb_object_agg(lower(a.email), a.full_name) from member_access m join accounts a on a.id = m.account_id
       where m.organisation_id = $1 and m.is_live and (lower(a.email) = any($4::text[]) or exists (select from report_profiles p
         where p.organisation_id = $1 and p.company_id = $2
           and p.recipients @> jsonb_build_array(jsonb_build_object('email', lower(a.email)))))), '{}') as members,
    (select a.full_name from company_assignees ca
        join member_access m on m.organisation_id = ca.organisation_id and m.account_id = ca.account_id and m.is_live and not m.is_client
        join accounts a on a.id = ca.account_id
      where ca.organisation_id = $1 and ca.company_id = $2 and ca.is_primary) as sender`);

interface Contact {
  id: string;
  email: string | null;
  name: string | null;
  first_name: string | null;
  is_primary: boolean;
}
interface Facts {
  recipients: Recipient[];
  contacts: Contact[];
  /** The full names of members, by address in lower case. */
  members: Record<string, string | null>;
  sender: string | null;
}

/** @throws 422 for a recipient with neither a contact nor an address */
function given(recipients: readonly NamedRecipient[]): Recipient[] {
  return recipients.map(({ contact_id, email, name }) => {
    const recipient = { contact_id: contact_id?.toLowerCase() ?? null, email: email ?? null, name: blankToNull(name) ?? null };
    if (recipient.contact_id === null && recipient.email === null) throw invalid({ recipients: "errors.required" });
    return recipient;
  });
}

/** The name to greet. */
function greetingOf(
  { name, email }: Pick<Recipient, "name"> & { email: string },
  contact: Contact | undefined,
  { contacts, members }: Facts,
): string | null {
  const key = email.toLowerCase();
  const known = contact ?? contacts.find((one) => one.email?.trim().toLowerCase() === key);
  const member = Object.hasOwn(members, key) ? members[key]?.trim().split(/\s+/)[0] : null;
  return name ?? known?.first_name ?? known?.name ?? (member || null);
}

/**
 * The recipients of a client's report: those in the call, else those of the client's profile, else its primary contact. A recipient's own
 * address takes precedence over the contact's.
 * @param companyId null for a report of a deleted client, which only addresses can receive
 * @throws 404 for a named contact that is not the client's; 422 for a recipient without contact and address
 */
export async function addresseesOf(
  companyId: string | null,
  named: readonly NamedRecipient[] | null | undefined,
): Promise<Addressees> {
  const wanted = named ? given(named) : null;
  const ids = (wanted ?? []).flatMap(({ contact_id }) => contact_id ?? []);
  const emails = (wanted ?? []).flatMap(({ email }) => email?.trim().toLowerCase() ?? []);
  const facts = (await queryOne<Facts>(FACTS, [request().organisation.id, companyId, ids, emails])) as Facts;
  const { recipients, contacts, sender } = facts;
  const byId = new Map(contacts.map((contact) => [contact.id, contact]));
  if (!ids.every((id) => byId.has(id))) throw notFound();
  const primary = contacts.filter(({ is_primary }) => is_primary).map(({ id }) => ({ contact_id: id, email: null, name: null }));
  const chosen = wanted ?? (recipients.length > 0 ? recipients : primary);
  const reachable = new Map<string, Reachable>();
  const unreachable: Recipient[] = [];
  for (const recipient of chosen) {
    const contact = recipient.contact_id === null ? undefined : byId.get(recipient.contact_id);
    const email = recipient.email ?? blankToNull(contact?.email)?.trim() ?? null;
    const found = { contact_id: contact?.id ?? null, name: recipient.name ?? contact?.name ?? null };
    if (email === null || !isOneRecipient(email)) unreachable.push({ ...found, email });
    else if (!reachable.has(email.toLowerCase())) {
      const greeting = greetingOf({ name: recipient.name, email }, contact, facts);
      reachable.set(email.toLowerCase(), { ...found, email, greeting });
    }
  }
  return { reachable: [...reachable.values()], unreachable, sender };
}

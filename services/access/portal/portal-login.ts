import { queryAll, queryOne } from "../../../core/database/query.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { requireMatch } from "../../../core/http/etag.ts";
import { request } from "../../../core/request/context.ts";
import { JsonText, WrittenRow } from "../../../core/sql/json-text.ts";
import { statement } from "../../../core/sql/statement.ts";
import { INVITE_MAIL_COLUMNS, inviteMail } from "../invite-mail.ts";

/** The only kind of record that has a login (access §11.1). */
const SUBJECT = "contact";

/**
 * Contacts the caller may see; staff also see those without a company (clients §2.5). `$3` is the selection, `$4` whether the caller is
 * staff.
 */
const SEEN = `c.organisation_id = $1 and c.id = $2
  and ($3::uuid[] is null or c.id in (select selected_contacts($3::uuid[])) or $4 and not c.linked)`;
/** A contact with its account and membership here. The sum of the three versions identifies the state of all three. */
const LOGIN = `from contacts c left join accounts a on a.id = c.account_id
  left join memberships m on m.organisation_id = c.organisation_id and m.account_id = a.id`;
const VERSION = "c.version + coalesce(a.version, 0) + coalesce(m.version, 0)";
const STATUS = `case when a.id is null then 'none' when not a.is_active or m.id is null or m.deactivated_at is not null then 'disabled'
  when a.is_verified then 'active' else 'invited' end`;

const state = (where: string, mailed?: string) => `select ${VERSION} as version, (select row_to_json(b) from (select a.email,
    '${SUBJECT}' as entity_type, c.email as invite_email, ${INVITE_MAIL_COLUMNS}, ${STATUS} as status,
    c.id as subject_id) b)::text as body ${LOGIN} ${inviteMail(mailed)} where ${where}`;
const READ = statement(state(SEEN));
const WRITTEN = statement(state("c.organisation_id = $1 and c.id = $2", "$3"));
const LOCK = statement(`select c.id from contacts c where ${SEEN} for no key update`);
const STATE =
  statement(`select c.id, c.first_name, c.last_name, c.email as invite_email, ${VERSION} as version, ${STATUS} as status,
    a.id as account_id, a.email, a.full_name, a.locale, a.password_hash, a.is_active, a.is_superuser, a.hand_disabled_at, m.id as membership_id,
    m.deactivated_at, coalesce(is_live_elsewhere(a.id, $1), false) as elsewhere
  ${LOGIN} where c.organisation_id = $1 and c.id = $2`);

/** A locked contact with the status of its login. */
export interface Contact {
  id: string;
  first_name: string;
  last_name: string | null;
  invite_email: string | null;
  version: number;
  status: "none" | "invited" | "active" | "disabled";
}

/** A contact with an attached account. */
export interface Login extends Contact {
  account_id: string;
  email: string;
  full_name: string | null;
  locale: string | null;
  password_hash: string | null;
  is_active: boolean;
  is_superuser: boolean;
  hand_disabled_at: string | null;
  /** Null once the membership is revoked. */
  membership_id: string | null;
  deactivated_at: string | null;
  /** The account also has a live membership in another organisation (access §4.6). */
  elsewhere: boolean;
}

export const hasLogin = (contact: Contact | Login): contact is Login => contact.status !== "none";

/** @throws 404 for a kind that never has a login */
function place(entityType: string, subjectId: string): unknown[] {
  if (entityType !== SUBJECT) throw notFound();
  const { organisation, principal } = request();
  return [organisation.id, subjectId, principal?.selection ?? null, principal?.isClientLogin === false];
}

/** A contact's login as `PortalLoginState`. @throws 404 */
export async function readLogin(entityType: string, subjectId: string): Promise<JsonText> {
  const found = await queryOne<{ version: number; body: string }>(READ, place(entityType, subjectId));
  if (!found) throw notFound();
  return new JsonText(found.body, found.version);
}

/** Locks a contact and its login for a write; a concurrent write then sees the first one's result. @throws 404, 412 */
export async function lockLogin(entityType: string, subjectId: string): Promise<Contact | Login> {
  const [[seen] = [], [found] = []] = await queryAll(
    [LOCK, place(entityType, subjectId)],
    [STATE, [request().organisation.id, subjectId]],
  );
  if (!seen || !found) throw notFound();
  const contact = found as unknown as Contact | Login;
  requireMatch(contact.version);
  return contact;
}

/** The running write's answer. @param mailed whether the write requested an invite mail */
export const writtenLogin = (contactId: string, mailed = false): WrittenRow =>
  new WrittenRow([WRITTEN, [request().organisation.id, contactId, mailed]]);

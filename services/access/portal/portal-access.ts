import { enqueue, queryOne } from "../../../core/database/query.ts";
import { queueInsert, queueUpdate } from "../../../core/database/write.ts";
import { runHooks } from "../../../core/declare/catalogue/catalogue.ts";
import { conflict, forbidden, invalid, notFound, refusal } from "../../../core/errors/errors.ts";
import { callerId } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { trail } from "../../../core/trail/trail.ts";
import { withoutWidening } from "../../../mixins/widening.ts";
import { endSessions } from "../accounts/account-changes.ts";
import { mailToken } from "../accounts/mailed-tokens.ts";
import { audit } from "../audit.ts";
import { invitedAccount } from "../members/invited-account.ts";
import {
  addRole,
  type HeldRole,
  lockedMember,
  organisationRoles,
  requireMayChange,
  requireMayHandOut,
} from "../members/memberships.ts";
import { Membership } from "../models.ts";
import { requireAnAdministrator } from "../roles/last-administrator.ts";
import { type Contact, hasLogin, type Login } from "./portal-login.ts";

const inUse = () => conflict("errors.portal_email_in_use");

const HELD = statement(`select a.is_active, a.hand_disabled_at, m.id as membership_id, m.deactivated_at,
    exists (select 1 from contacts c where c.organisation_id = $1 and c.account_id = a.id) as is_attached,
    coalesce((select s.is_client from member_access s where s.organisation_id = $1 and s.account_id = a.id), false) as is_client
  from accounts a left join memberships m on m.organisation_id = $1 and m.account_id = a.id where a.id = $2`);
const ELSEWHERE = statement("select is_live_elsewhere($2, $1) as elsewhere");
const SWITCH = statement("update accounts set is_active = $2, updated_at = statement_timestamp() where id = $1");

/** An account with the fields that enabling a login needs. */
interface LoginAccount {
  is_active: boolean;
  hand_disabled_at: string | null;
  membership_id: string | null;
  deactivated_at: string | null;
}

const clientRole = async (): Promise<HeldRole> =>
  (await organisationRoles()).find(({ is_system, key }) => is_system && key === "client") as HeldRole;

/**
 * Gives an account access here: adds or reactivates its membership, and reactivates the account if it was disabled from a contact.
 * @throws 403 for a role the caller may not assign, and for an account that was disabled manually or is live elsewhere too (access §4.6)
 */
async function letIn(
  accountId: string,
  { is_active, hand_disabled_at, membership_id, deactivated_at }: LoginAccount,
): Promise<void> {
  if (membership_id === null) {
    const role = await clientRole();
    requireMayHandOut(role);
    addRole(queueInsert(Membership, { account_id: accountId }), role.id);
    audit("membership.invited", { role, targetAccountId: accountId });
  } else {
    requireMayChange(await lockedMember(membership_id));
    if (deactivated_at !== null) queueUpdate(Membership, membership_id, { deactivated_at: null });
    if (deactivated_at !== null || !is_active) audit("membership.activated", { targetAccountId: accountId });
  }
  if (is_active) return;
  const found = await queryOne<{ elsewhere: boolean }>(ELSEWHERE, [request().organisation.id, accountId]);
  if (hand_disabled_at !== null || found?.elsewhere) throw forbidden();
  enqueue(SWITCH, [accountId, true]);
}

/** An account's name has at most so many characters; a contact has two names of that length. */
const LONGEST_NAME = 255;

/** The name of a contact's account. */
function nameOf(firstName: string, lastName: string | null): string {
  const whole = [firstName, lastName].filter(Boolean).join(" ");
  return [...whole].slice(0, LONGEST_NAME).join("").trim();
}

/**
 * Creates a contact's login. @throws 403 also if it would see a client the caller does not see; 409 `errors.portal_email_in_use`, 422
 * without an address
 */
async function invite({ id, first_name, last_name, invite_email }: Contact): Promise<void> {
  requireMayHandOut(await clientRole());
  if (invite_email === null) throw invalid({ email: "errors.portal_email_required" });
  const account = await invitedAccount(invite_email.toLowerCase(), nameOf(first_name, last_name));
  const held = (await queryOne<LoginAccount & { is_attached: boolean; is_client: boolean }>(HELD, [
    request().organisation.id,
    account.id,
  ])) as LoginAccount & { is_attached: boolean; is_client: boolean };
  if (held.is_attached || (held.membership_id !== null && !held.is_client)) throw inUse();
  await withoutWidening({ contactId: id }, async () => {
    await letIn(account.id, held);
    await runHooks("portal.login_attached", { contact_id: id, account_id: account.id });
  });
  trail("contact", id, "portal_enabled", { email: account.email });
  await mailToken("invite", account);
}

/**
 * Invites a contact, or restores a disabled login; an enabled one stays unchanged (access §11.2). @throws 403 as `invite`
 * @returns whether an invite mail was requested
 */
export async function enableLogin(contact: Contact | Login): Promise<boolean> {
  if (!hasLogin(contact)) {
    await invite(contact);
    return true;
  }
  if (contact.status !== "disabled") return false;
  // A revoked login gets another membership, as by an invite: it must not see more than the caller.
  await withoutWidening({ contactId: contact.id }, () => letIn(contact.account_id, contact));
  trail("contact", contact.id, "portal_enabled", { email: contact.email });
  return false;
}

/**
 * Disables a login: the whole account, unless it is live elsewhere too or is an instance administrator's; then only its membership here. A
 * repeat changes nothing.
 * @throws 404 without a login, 400 for one's own, 403 for a role the caller may not assign, 409 `last_role_manager`
 */
export async function disableLogin(contact: Contact | Login): Promise<void> {
  if (!hasLogin(contact)) throw notFound();
  if (contact.status === "disabled") return;
  const { id, account_id: accountId, membership_id: membershipId } = contact;
  requireMayChange(await lockedMember(membershipId as string));
  if (accountId === callerId()) throw refusal("cannot_deactivate_self");
  const isShared = contact.elsewhere || contact.is_superuser;
  if (isShared) queueUpdate(Membership, membershipId as string, { deactivated_at: new Date().toISOString() });
  else {
    enqueue(SWITCH, [accountId, false]);
    endSessions(accountId, null);
  }
  await runHooks("membership.leaving", { account_id: accountId, is_removed: false });
  audit("membership.deactivated", { targetAccountId: accountId });
  trail("contact", id, "portal_disabled", { email: contact.email });
  await requireAnAdministrator();
}

/** Resends the invite; earlier links become invalid. @throws 404 without an enabled login */
export async function resendInvite(contact: Contact | Login): Promise<void> {
  if (!hasLogin(contact) || contact.status === "disabled") throw notFound();
  trail("contact", contact.id, "portal_invite_resent", { email: contact.email });
  audit("membership.invited", { targetAccountId: contact.account_id, detail: { resent: true } });
  await mailToken("invite", { ...contact, id: contact.account_id });
}

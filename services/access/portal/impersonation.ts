import { runtime } from "../../../core/config/runtime.ts";
import { newId } from "../../../core/database/model.ts";
import { enqueue, query } from "../../../core/database/query.ts";
import { forbidden, notFound } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { digest, randomHex } from "../../../core/security/crypto.ts";
import { statement } from "../../../core/sql/statement.ts";
import { trail } from "../../../core/trail/trail.ts";
import { audit } from "../audit.ts";
// The model of memberships declares what a second impersonation of a session means.
import "../models.ts";
import { callerOf } from "../own-session.ts";
import { type Contact, hasLogin, type Login } from "./portal-login.ts";

/** Closes a session's expired impersonations, so that it can start another. */
const OVER = statement(`update impersonations set ended_at = expires_at
  where organisation_id = $1 and session_id = $2 and ended_at is null and expires_at <= $3`);
const START = statement(`insert into impersonations (id, organisation_id, session_id, impersonator_account_id, target_account_id,
    contact_id, token_hash, expires_at) values ($1, $2, $3, $4, $5, $6, $7, $8)`);
const END = statement(`update impersonations i set ended_at = now() from accounts a
  where i.organisation_id = $1 and i.session_id = $2 and i.impersonator_account_id = $3 and i.ended_at is null and a.id = i.target_account_id
  returning i.contact_id, i.target_account_id, i.expires_at, a.email`);

/** A new grant; its token is shown once. */
export interface Grant {
  token: string;
  /** ISO. */
  expiresAt: string;
  seconds: number;
}

/**
 * Starts an impersonation in this session, limited to the installation's maximum (access §11.3).
 * @param minutes requested length
 * @throws 403 for a caller who is not a person and for an instance administrator's login, 404 without an enabled login, 409 while the
 * session already impersonates a login
 */
export async function startImpersonation(contact: Contact | Login, minutes: number): Promise<Grant> {
  const { organisation, principal } = request();
  if (!principal?.accountId) throw forbidden();
  if (!hasLogin(contact) || contact.status === "disabled") throw notFound();
  if (contact.is_superuser) throw forbidden("errors.impersonation_escalation");
  const { accountId, sessionId } = callerOf(principal);
  const now = Date.now();
  enqueue(OVER, [organisation.id, sessionId, new Date(now).toISOString()]);

  const seconds = Math.min(minutes, runtime().config.impersonationMinutes) * 60;
  const expiresAt = new Date(now + seconds * 1000).toISOString();
  const token = randomHex(32);
  const { id: contactId, account_id: targetId, email } = contact;
  enqueue(START, [newId(), organisation.id, sessionId, accountId, targetId, contactId, digest(token), expiresAt]);
  trail("contact", contactId, "portal_impersonation_started", { email, expires_at: expiresAt });
  audit("impersonation.start", { targetAccountId: targetId, detail: { contact_id: contactId, expires_at: expiresAt } });
  return { token, expiresAt, seconds };
}

interface Ended {
  contact_id: string;
  target_account_id: string;
  expires_at: string;
  email: string;
}

/** Ends a session's impersonation, if any; an expired one leaves no trail entry. */
export async function endImpersonation(accountId: string, sessionId: string): Promise<void> {
  const ended = await query<Ended>(END, [request().organisation.id, sessionId, accountId]);
  for (const { contact_id, target_account_id, expires_at, email } of ended) {
    if (Date.parse(expires_at) <= Date.now()) continue;
    trail("contact", contact_id, "portal_impersonation_stopped", { email });
    audit("impersonation.stop", { targetAccountId: target_account_id, detail: { contact_id } });
  }
}

import { newId } from "../../../core/database/model.ts";
import { enqueue } from "../../../core/database/query.ts";
import { count } from "../../../core/figures/counting.ts";
import { SESSION_SECONDS } from "../../../core/http/session-cookie.ts";
import { request } from "../../../core/request/context.ts";
import { digest, randomHex } from "../../../core/security/crypto.ts";
import { statement } from "../../../core/sql/statement.ts";
import { audit } from "../audit.ts";

/** Seconds a challenge proves the password (access §2.1). */
const CHALLENGE_SECONDS = 300;

const OPEN =
  statement(`insert into sessions (id, organisation_id, account_id, token_hash, address, user_agent, method, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, now() + make_interval(secs => $8))`);
const CHALLENGE = statement(`insert into sign_in_challenges (id, organisation_id, account_id, token_hash, expires_at)
  values ($1, $2, $3, $4, now() + make_interval(secs => $5))`);

/** The client of a sign-in. */
export interface Origin {
  address: string;
  userAgent: string | null;
}

/**
 * Opens a session of the request's organisation within the running transaction.
 * @param proof the sign-in method, for the audit
 * @returns the cookie's value; only its digest is stored
 */
export function openSession(accountId: string, proof: "password" | "two_factor" | "sso", { address, userAgent }: Origin): string {
  const token = randomHex(32);
  const { organisation } = request();
  const method = proof === "sso" ? "sso" : "password";
  enqueue(OPEN, [newId(), organisation.id, accountId, digest(token), address, userAgent, method, SESSION_SECONDS]);
  audit("sign_in.success", { actorId: accountId, targetAccountId: accountId, detail: { method: proof } });
  return token;
}

/** Records that the password was right, and returns a token for the second step, which opens nothing alone. */
export function openChallenge(accountId: string): string {
  const token = randomHex(32);
  enqueue(CHALLENGE, [newId(), request().organisation.id, accountId, digest(token), CHALLENGE_SECONDS]);
  return token;
}

/**
 * Audits a refused sign-in; the account is named only if it is a member's.
 * @param step what was refused: the password, the code of the second factor, or the identity of single sign-on
 */
export function auditFailure(accountId: string | null, step: "password" | "code" | "sso"): void {
  count("kantoor.sign_in.failures.total", { step });
  audit("sign_in.failure", { targetAccountId: accountId });
}

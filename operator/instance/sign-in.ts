import type pg from "pg";
import { runtime } from "../../core/config/runtime.ts";
import { type SealLocation, seal, unseal } from "../../core/database/sealed.ts";
import { ADMINISTRATION, type InstanceMeta } from "../../core/declare/instance.ts";
import { invalid, refusal, tooSoon } from "../../core/errors/errors.ts";
import { digest, passwordFits, randomHex } from "../../core/security/crypto.ts";
import { enrolmentAddress, newTotpSecret, totpStep } from "../../services/access/second-factor/codes.ts";
import { failuresAfter, lockedUntil } from "../../services/access/second-factor/two-factors.ts";
import { choosePassword } from "./administrators.ts";

/** Seconds that a sign-in waits for its second factor. */
const CHALLENGE_SECONDS = 300;
/** Seconds of a session, used or not: whoever operates the installation signs in each working day. */
export const SESSION_SECONDS = 12 * 3600;

interface Candidate {
  id: string;
  email: string;
  password_hash: string;
  is_passed_on: boolean;
  may_enter: boolean;
  totp_secret: string | null;
  is_enrolled: boolean;
  totp_last_step: string;
  failures: number;
  last_failure_at: string | null;
}

const CANDIDATE = `select id, email, password_hash, password_expires_at is not null as is_passed_on,
    is_active and coalesce(password_expires_at > now(), true) as may_enter,
    totp_secret, totp_confirmed_at is not null as is_enrolled, totp_last_step, failures, last_failure_at
  from instance_administrators`;

const placeOf = (id: string): SealLocation => ({
  table: "instance_administrators",
  column: "totp_secret",
  organisation: null,
  row: id,
});

/** The second step of a sign-in. */
export interface Challenge {
  administratorId: string;
  challenge_token: string;
  expires_in: number;
  /** Whether the second step has to send a new password. */
  new_password_required: boolean;
  /** What an authenticator app scans, until the second factor is confirmed. */
  enrolment: { secret: string; otpauth_url: string } | null;
}

/**
 * Checks address and password. The answer opens nothing without the second step, and every failure takes the same time.
 * @returns `failed` for a wrong address or password, a deactivated administrator, or a passed-on password that has expired: the id of the
 * administrator with that address, or null
 */
export async function beginSignIn(
  client: pg.ClientBase,
  email: string,
  password: string,
): Promise<Challenge | { failed: string | null }> {
  const { rows } = await client.query<Candidate>(`${CANDIDATE} where email = $1 for update`, [email.trim().toLowerCase()]);
  const [found] = rows;
  const fits = await passwordFits(password, found?.password_hash ?? null);
  if (!found?.may_enter || !fits) return { failed: found?.id ?? null };
  const { id } = found;
  const token = randomHex(32);
  await client.query("delete from instance_challenges where administrator_id = $1 and expires_at < now()", [id]);
  await client.query(
    "insert into instance_challenges (token_hash, administrator_id, expires_at) values ($1, $2, now() + make_interval(secs => $3))",
    [digest(token), id, CHALLENGE_SECONDS],
  );
  let enrolment: Challenge["enrolment"] = null;
  if (!found.is_enrolled) {
    const secret = newTotpSecret();
    await client.query("update instance_administrators set totp_secret = $2, updated_at = now() where id = $1", [
      id,
      seal(secret, placeOf(id)),
    ]);
    const host = `${ADMINISTRATION}.${runtime().config.baseDomain}`;
    enrolment = { secret, otpauth_url: enrolmentAddress(host, found.email, secret) };
  }
  return {
    administratorId: id,
    challenge_token: token,
    expires_in: CHALLENGE_SECONDS,
    new_password_required: found.is_passed_on,
    enrolment,
  };
}

/** A session, or a refusal after which the count of failures must be committed. */
export type SignedIn = { session: string; administratorId: string } | { refused: Error; administratorId: string };

/**
 * Finishes a sign-in: spends the code, which confirms the second factor the first time, and opens a session. Eight wrong codes in a row lock
 * the second factor for 15 minutes.
 * @throws 401 for an unknown or expired challenge, 422 without the new password where one is required
 */
export async function finishSignIn(
  client: pg.ClientBase,
  { token, code, newPassword }: { token: string; code: string; newPassword: string | undefined },
  { address, userAgent }: Pick<InstanceMeta, "address" | "userAgent">,
): Promise<SignedIn> {
  const { rows } = await client.query<Candidate>(
    `${CANDIDATE} where id = (select administrator_id from instance_challenges where token_hash = $1 and expires_at > now()) for update`,
    [digest(token)],
  );
  const [found] = rows;
  if (!found?.may_enter) throw refusal("two_factor_challenge_invalid");
  const { id, failures, last_failure_at } = found;
  const now = Date.now();
  const until = lockedUntil({ failures, last_failure_at }, now);
  if (until !== null) return { refused: tooSoon("two_factor_locked", until), administratorId: id };
  const secret = unseal(found.totp_secret, placeOf(id));
  const step = secret === null ? null : totpStep(secret, code, Number(found.totp_last_step), Math.floor(now / 1000));
  if (step === null) {
    await client.query("update instance_administrators set failures = $2, last_failure_at = now() where id = $1", [
      id,
      failuresAfter({ failures }),
    ]);
    return { refused: refusal("two_factor_code_invalid"), administratorId: id };
  }
  if (found.is_passed_on) {
    if (newPassword === undefined) throw invalid({ new_password: "errors.required" });
    await choosePassword(client, found, newPassword);
  }
  // One sign-in ends the others that wait: an enrolment that another person has seen must not finish later.
  await client.query("delete from instance_challenges where administrator_id = $1", [id]);
  await client.query(
    `update instance_administrators set totp_last_step = $2, totp_confirmed_at = coalesce(totp_confirmed_at, now()), failures = 0,
       last_failure_at = null, updated_at = now() where id = $1`,
    [id, step],
  );
  const session = randomHex(32);
  await client.query("delete from instance_sessions where administrator_id = $1 and expires_at < now()", [id]);
  await client.query(
    `insert into instance_sessions (administrator_id, token_hash, address, user_agent, expires_at)
     values ($1, $2, $3, $4, now() + make_interval(secs => $5))`,
    [id, digest(session), address, userAgent, SESSION_SECONDS],
  );
  return { session, administratorId: id };
}

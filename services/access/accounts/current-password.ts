import { runtime } from "../../../core/config/runtime.ts";
import { invalid, refusal } from "../../../core/declare/errors.ts";
import { RateLimiter } from "../../../core/http/rate-limit.ts";
import { passwordFits } from "../../../core/security/crypto.ts";

/** The counter of this installation, made when it is first needed: its limit is a setting. */
const counters = new WeakMap<object, RateLimiter>();

function counter(): RateLimiter {
  const installation = runtime();
  // The gateway's own counters say when the store is down; then every call passes (conventions §13).
  const made = counters.get(installation) ?? new RateLimiter(installation.config.rateLimitSignIn, () => {});
  counters.set(installation, made);
  return made;
}

/**
 * Whether the person who is signed in knows the password. Tries are counted per account with the limit of sign-in attempts, whichever
 * call they come by (access §3): a stolen session is no place to guess.
 * @throws 429 once there were too many in this minute, the right password included
 */
export async function isCurrentPassword(accountId: string, password: string, stored: string | null): Promise<boolean> {
  await counter().require(`password:${accountId}`);
  return passwordFits(password, stored);
}

/**
 * What changing the password of one's own account asks for (access §3): the password it has now, which a session that has just signed in
 * may leave out. A stolen or forgotten session would otherwise become the account.
 * @param sent null, empty and undefined are absent
 * @param isFresh whether the session signed in within the last ten minutes
 * @throws 422 `{current_password}` where it is missing, 400 `password_incorrect` where it is wrong, 429 after too many tries
 */
export async function requireCurrentPassword(
  { id, password_hash: stored }: { id: string; password_hash: string | null },
  sent: string | null | undefined,
  isFresh: boolean,
): Promise<void> {
  if (sent) {
    if (!(await isCurrentPassword(id, sent, stored))) throw refusal("password_incorrect");
  } else if (!isFresh) throw invalid({ current_password: "errors.required" });
}

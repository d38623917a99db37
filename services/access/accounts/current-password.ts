import { runtime } from "../../../core/config/runtime.ts";
import { invalid, refusal } from "../../../core/errors/errors.ts";
import { RateLimiter } from "../../../core/http/rate-limit.ts";
import { passwordFits } from "../../../core/security/crypto.ts";

/** One counter per installation, created on first use because its limit is a setting. */
const counters = new WeakMap<object, RateLimiter>();

function counter(): RateLimiter {
  const installation = runtime();
  // The gateway's own counters report a failing store; every call then passes (conventions §13).
  const made = counters.get(installation) ?? new RateLimiter(installation.config.rateLimitSignIn, () => {});
  counters.set(installation, made);
  return made;
}

/**
 * Whether the signed-in person knows the password. Tries count per account towards the limit of sign-in attempts, whatever endpoint they
 * use (access §3): a stolen session must not allow guessing.
 * @throws 429 after too many tries in this minute, even for the right password
 */
export async function isCurrentPassword(accountId: string, password: string, stored: string | null): Promise<boolean> {
  await counter().require(`password:${accountId}`);
  return passwordFits(password, stored);
}

/**
 * Checks the current password before one's own password changes (access §3); a session that has just signed in may omit it. Otherwise a
 * stolen or forgotten session could take over the account.
 * @param sent null, empty and undefined are absent
 * @param isFresh whether the session signed in within the last ten minutes
 * @throws 422 `{current_password}` if missing, 400 `password_incorrect` if wrong, 429 after too many tries
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

import { refusal, tooSoon } from "../../../core/errors/errors.ts";
import { audit } from "../audit.ts";
import { auditFailure } from "../sign-in/sign-in.ts";
import type { CodeOutcome } from "./two-factors.ts";

/** Throws the refusal of an outcome, after its commit. @throws 429 `two_factor_locked`, 400 `two_factor_code_invalid` */
export function refuseCode(outcome: Exclude<CodeOutcome, "accepted">): never {
  throw typeof outcome === "object" ? tooSoon("two_factor_locked", outcome.lockedUntil) : refusal("two_factor_code_invalid");
}

/** Audits a refused code within the running transaction. */
export function auditCode(accountId: string, outcome: CodeOutcome): void {
  if (outcome === "refused" || outcome === "locking") auditFailure(accountId, "code");
  if (outcome === "locking") audit("sign_in.lock", { targetAccountId: accountId });
}

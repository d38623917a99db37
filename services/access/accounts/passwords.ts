import { refusal } from "../../../core/errors/errors.ts";
import { hashPassword } from "../../../core/security/crypto.ts";
import { passwordProblem } from "../../../core/security/password-rule.ts";

/** Hashes a new password before a connection is taken; undefined if it breaks the rules. */
export async function hashed(password: string | null | undefined, email: string): Promise<string | undefined> {
  if (typeof password !== "string" || passwordProblem(password, email)) return undefined;
  return hashPassword(password);
}

/** @throws 400 `invalid_password` if the password breaks the rules of access §1.3 */
export function requireGood(password: string | null | undefined, email: string): void {
  const problem = typeof password === "string" ? passwordProblem(password, email) : null;
  if (problem !== null) throw refusal("invalid_password", problem);
}

const invalidPassword = ["short", "long"].map((end) => `invalid_password errors.password_too_${end}`);
/** The refusals of `requireGood`, for declarations. */
export const passwordErrors = [...invalidPassword, "invalid_password errors.password_is_email"];

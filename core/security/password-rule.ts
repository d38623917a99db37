/**
 * Why a text may not be an account's password (access §1.3): 8 to 128 characters, and not the e-mail address in any case.
 * @returns the translation key of the refusal, or null when the password is fine
 */
export function passwordProblem(password: string, email: string): string | null {
  const length = [...password].length;
  if (length < 8) return "errors.password_too_short";
  if (length > 128) return "errors.password_too_long";
  return password.toLowerCase() === email.toLowerCase() ? "errors.password_is_email" : null;
}

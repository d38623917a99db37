/**
 * Checks a password against the rules of an account (access §1.3): 8 to 128 characters, and not the e-mail address, ignoring case.
 * @returns the translation key of the violated rule, or null
 */
export function passwordProblem(password: string, email: string): string | null {
  const length = [...password].length;
  if (length < 8) return "errors.password_too_short";
  if (length > 128) return "errors.password_too_long";
  return password.toLowerCase() === email.toLowerCase() ? "errors.password_is_email" : null;
}

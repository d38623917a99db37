import { isApiError } from "../../../core/declare/errors.ts";

/** What this service refuses for reasons of its own: another message would be refused as well, and later this one is not. */
const PASSING = new Set(["unavailable", "plan_inactive", "license_expired"]);

/** Whether a failed call says nothing of the message it was about: an actor, the database or the licence is away. */
export function isOurs(error: unknown): boolean {
  const { retryable, name, code } = error as { retryable?: boolean; name?: string; code?: unknown };
  if (isApiError(error)) return PASSING.has(error.type);
  if (retryable === true || name === "AbortError") return true;
  // Classes of SQLSTATE: connection, resources, shutdown.
  return typeof code === "string" && /^(08|53|57|58|ECONN|EPIPE)/.test(code);
}

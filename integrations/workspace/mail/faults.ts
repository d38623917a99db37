import { isApiError } from "../../../core/errors/errors.ts";

/** Temporary errors of this service: another message would fail too, and a later retry succeeds. */
const PASSING = new Set(["unavailable", "plan_inactive", "license_expired"]);

/** Whether a failed call says nothing about its message, because an actor, the database or the licence is unavailable. */
export function isOurs(error: unknown): boolean {
  const { retryable, name, code } = error as { retryable?: boolean; name?: string; code?: unknown };
  if (isApiError(error)) return PASSING.has(error.type);
  if (retryable === true || name === "AbortError") return true;
  // SQLSTATE classes: connection, resources, shutdown.
  return typeof code === "string" && /^(08|53|57|58|ECONN|EPIPE)/.test(code);
}

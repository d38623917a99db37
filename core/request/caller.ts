import { holds } from "../declare/permissions.ts";
import type { Principal } from "../declare/principal.ts";
import { forbidden } from "../errors/errors.ts";
import type { Scope } from "../values/scope.ts";
import { request } from "./context.ts";

/** An id that no row has, for queries by person when the caller is not a person. */
export const NO_PERSON = "00000000-0000-0000-0000-000000000000";

/** The caller's account; null for a service account and for the system. */
export const callerId = (): string | null => request().principal?.accountId ?? null;

/** Whether the caller has a permission, at the given scope. */
export const mayCaller = (check: string): boolean => holds(request().principal?.grants ?? [], check);

/** @throws 403 if the caller cannot see every client, because what this creates can (conventions §5) */
export function requireUnrestricted(principal: Principal | null): void {
  if (!principal || principal.selection !== null) throw forbidden();
}

/** @throws 403 while a member impersonates a client login: what this creates would outlive that (access §6.2) */
export function requireNoImpersonation(principal: Principal | null): void {
  if (principal?.impersonation) throw forbidden();
}

/** The name of the member who impersonates the caller; null if the caller signed in directly (conventions §12). */
export const impersonatorName = (): string | null => request().principal?.impersonation?.name ?? null;

/** The scope of the caller's permission. */
export function scopeOf(permission: string): Scope {
  if (mayCaller(`${permission}:any`)) return "any";
  return mayCaller(`${permission}:own`) ? "own" : null;
}

/**
 * Compiles a value for staff and one for client logins, whose conditions of visibility differ; each request gets its caller's.
 * @param make builds the value; `clients` for client logins
 */
export function forStaffAndClients<T>(make: (clients: boolean) => T): () => T {
  const staff = make(false);
  const client = make(true);
  return () => (request().principal?.isClientLogin ? client : staff);
}

import { forbidden } from "../declare/errors.ts";
import { holds } from "../declare/permissions.ts";
import type { Scope } from "../values/scope.ts";
import { type Principal, request } from "./context.ts";

/** An id that no row has: whose rows a caller without a person asks for. */
export const NO_PERSON = "00000000-0000-0000-0000-000000000000";

/** The account of the caller; null for a service account and for the system. */
export const callerId = (): string | null => request().principal?.accountId ?? null;

/** Whether the caller holds a permission, at the scope it is asked for. */
export const mayCaller = (check: string): boolean => holds(request().principal?.grants ?? [], check);

/** @throws 403 for a caller who may not see every client: what it makes here would (conventions §5) */
export function requireUnrestricted(principal: Principal | null): void {
  if (!principal || principal.selection !== null) throw forbidden();
}

/** @throws 403 while a client's login is looked into: what it makes here would outlive that (access §6.2) */
export function requireNoImpersonation(principal: Principal | null): void {
  if (principal?.impersonation) throw forbidden();
}

/** The name of the member who looks into the caller's login; null where the caller is who signed in (conventions §12). */
export const impersonatorName = (): string | null => request().principal?.impersonation?.name ?? null;

/** How far a scoped permission of the caller reaches. */
export function scopeOf(permission: string): Scope {
  if (mayCaller(`${permission}:any`)) return "any";
  return mayCaller(`${permission}:own`) ? "own" : null;
}

/**
 * What staff and client logins see by conditions of their own: both are compiled once, and each request takes the caller's.
 * @param make what to compile; `clients` for client logins
 */
export function byCaller<T>(make: (clients: boolean) => T): () => T {
  const staff = make(false);
  const client = make(true);
  return () => (request().principal?.isClientLogin ? client : staff);
}

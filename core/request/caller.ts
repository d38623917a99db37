import { holds } from "../declare/permissions.ts";
import type { Scope } from "../values/scope.ts";
import { request } from "./context.ts";

/** An id that no row has: whose rows a caller without a person asks for. */
export const NO_PERSON = "00000000-0000-0000-0000-000000000000";

/** The account of the caller; null for a service account and for the system. */
export const callerId = (): string | null => request().principal?.accountId ?? null;

/** Whether the caller holds a permission, at the scope it is asked for. */
export const mayCaller = (check: string): boolean => holds(request().principal?.grants ?? [], check);

/** How far a scoped permission of the caller reaches. */
export function scopeOf(permission: string): Scope {
  if (mayCaller(`${permission}:any`)) return "any";
  return mayCaller(`${permission}:own`) ? "own" : null;
}

import { holds } from "../declare/permissions.ts";
import { request } from "./context.ts";

/** How far a held permission reaches: one's own rows, every person's, or not held. */
export type Scope = "own" | "any" | null;

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

/** Whether a scope reaches a person's rows. */
export function reaches(scope: Scope, callerId: string | null, ownerId: string): boolean {
  return scope === "any" || (scope === "own" && callerId === ownerId);
}

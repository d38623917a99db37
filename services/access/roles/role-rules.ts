import { isStoredForm, WILDCARD } from "../../../core/declare/permissions.ts";
import { invalid } from "../../../core/errors/errors.ts";

/** Its holder administers access: it can put any permission on any role except the owner's (conventions §4.4). */
export const ROLE_MANAGEMENT = "settings.roles.manage";

/** The grants that make a member an administrator of access. */
export const ADMINISTRATION: readonly string[] = [WILDCARD, ROLE_MANAGEMENT];

const KEY = /^[a-z0-9][a-z0-9_-]{0,62}$/;

/**
 * The key of a new role, trimmed and in lower case (access §5).
 * @throws 422 `{key}`
 */
export function roleKey(typed: string): string {
  const key = typed.trim().toLowerCase();
  if (!KEY.test(key)) throw invalid({ key: "errors.validation" });
  return key;
}

/**
 * The permissions of a role as stored: unique and sorted.
 * @throws 422 `{permissions}` if one is not in the catalogue in stored form; the wildcard is not
 */
export function storedPermissions(asked: readonly string[]): string[] {
  if (!asked.every(isStoredForm)) throw invalid({ permissions: "errors.validation" });
  return [...new Set(asked)].sort();
}

/** Whether assigning a role requires role management: it contains that right, or is the owner or admin role (access §4.1). */
export function isGuarded({ key, is_system, permissions }: { key: string; is_system: boolean; permissions: string[] }): boolean {
  return (is_system && (key === "owner" || key === "admin")) || ADMINISTRATION.some((grant) => permissions.includes(grant));
}

/** The combined grants of several roles, sorted; the wildcard stands for everything (access §4.5). */
export function unionOf(roles: readonly { permissions: string[] }[]): string[] {
  const all = new Set(roles.flatMap(({ permissions }) => permissions));
  return all.has(WILDCARD) ? [WILDCARD] : [...all].sort();
}

/** The difference between two sets of permissions. */
export function permissionChanges(before: readonly string[], after: readonly string[]): { granted: string[]; revoked: string[] } {
  return {
    granted: after.filter((grant) => !before.includes(grant)),
    revoked: before.filter((grant) => !after.includes(grant)),
  };
}

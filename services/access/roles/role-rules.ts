import { invalid } from "../../../core/declare/errors.ts";
import { isStoredForm, WILDCARD } from "../../../core/declare/permissions.ts";

/** A member who holds this administers access: it may put any permission on any role but the owner's (conventions §4.4). */
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
 * The permissions of a role as they are stored: each once, sorted.
 * @throws 422 `{permissions}` for one that is not in the catalogue in stored form, the wildcard included
 */
export function storedPermissions(asked: readonly string[]): string[] {
  if (!asked.every(isStoredForm)) throw invalid({ permissions: "errors.validation" });
  return [...new Set(asked)].sort();
}

/** Whether handing out a role takes the right to manage roles: it holds that right, or is one of the two that are meant to (access §4.1). */
export function isGuarded({ key, is_system, permissions }: { key: string; is_system: boolean; permissions: string[] }): boolean {
  return (is_system && (key === "owner" || key === "admin")) || ADMINISTRATION.some((grant) => permissions.includes(grant));
}

/** What several roles grant together, sorted; the wildcard stands for everything (access §4.5). */
export function unionOf(roles: readonly { permissions: string[] }[]): string[] {
  const all = new Set(roles.flatMap(({ permissions }) => permissions));
  return all.has(WILDCARD) ? [WILDCARD] : [...all].sort();
}

/** What changes between two sets of permissions. */
export function permissionChanges(before: readonly string[], after: readonly string[]): { granted: string[]; revoked: string[] } {
  return {
    granted: after.filter((grant) => !before.includes(grant)),
    revoked: before.filter((grant) => !after.includes(grant)),
  };
}

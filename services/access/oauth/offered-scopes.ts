import { findPermission, grantsThatMeet, permissions, WILDCARD } from "../../../core/declare/permissions.ts";

/** Scopes that stand for many permissions. */
export const WHOLE_SCOPES = ["mcp:read", "mcp:full"] as const;

/** A permission that a consent may give, as its page offers it. */
export interface OfferedScope {
  /** Stored form. */
  value: string;
  label_key: string;
  /** Whether its last segment is `read`. */
  read: boolean;
  /** Whether the page ticks it beforehand. */
  preselected: boolean;
}

const NEVER_BEFOREHAND = /^(settings|members|apikeys)\./;
const bareOf = (scope: string): string => scope.replace(/:(own|any)$/, "");
const isRead = (key: string): boolean => key.endsWith(".read");

/** Whether a request asks for everything: it names nothing, or says so. */
export function asksForAll(scope: string): boolean {
  const asked = scopesIn(scope);
  return asked.length === 0 || asked.includes("mcp:full");
}

/** The scopes of a request, which are separated by spaces (RFC 6749 §3.3). */
export const scopesIn = (scope: string): string[] => scope.split(" ").filter(Boolean);

/** The broadest stored form of a permission that is held, null where none is. */
function broadest(grants: readonly string[], key: string, onlyOwn: boolean): string | null {
  const { scopes } = findPermission(key) ?? { scopes: [] };
  if (scopes.length === 0) return grants.includes(WILDCARD) || grants.includes(key) ? key : null;
  if (!onlyOwn && (grants.includes(WILDCARD) || grants.includes(`${key}:any`))) return `${key}:any`;
  return grantsThatMeet(`${key}:own`).some((grant) => grants.includes(grant)) ? `${key}:own` : null;
}

/**
 * What a consent offers of what a request asks for (access §8.3): permissions that the person holds, each at the broadest scope held and never
 * broader than it was asked for by name. What the catalogue does not know is dropped.
 * @param grants what the person holds, in stored form or the wildcard
 * @param scope as sent; empty asks for everything
 */
export function offeredScopes(grants: readonly string[], scope: string): OfferedScope[] {
  const asked = scopesIn(scope);
  const all = asksForAll(scope);
  const reads = asked.includes("mcp:read");
  const named = Map.groupBy(asked, bareOf);
  return permissions().flatMap(({ key, scopes }) => {
    // A suffix that the permission does not have makes another word of it.
    const forms = (named.get(key) ?? []).filter((form) => form === key || scopes.some((one) => form === `${key}:${one}`));
    if (forms.length === 0 && !all && !(reads && isRead(key))) return [];
    const onlyOwn = forms.length > 0 && forms.every((form) => form === `${key}:own`);
    const value = broadest(grants, key, onlyOwn);
    if (value === null) return [];
    const read = isRead(key);
    return [{ value, label_key: `permissions.${key}`, read, preselected: read && !NEVER_BEFOREHAND.test(key) }];
  });
}

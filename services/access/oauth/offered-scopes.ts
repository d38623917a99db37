import { findPermission, grantsThatMeet, permissions, WILDCARD } from "../../../core/declare/permissions.ts";

/** Scopes that stand for many permissions. */
export const WHOLE_SCOPES = ["mcp:read", "mcp:full"] as const;

/** A permission offered on the consent page. */
export interface OfferedScope {
  /** Stored form. */
  value: string;
  label_key: string;
  /** Whether its last segment is `read`. */
  read: boolean;
  /** Whether the page ticks it by default. */
  preselected: boolean;
}

const NEVER_BEFOREHAND = /^(settings|members|apikeys)\./;
const bareOf = (scope: string): string => scope.replace(/:(own|any)$/, "");
const isRead = (key: string): boolean => key.endsWith(".read");

/** Whether a request asks for everything: with no scope, or with `mcp:full`. */
export function asksForAll(scope: string): boolean {
  const asked = scopesIn(scope);
  return asked.length === 0 || asked.includes("mcp:full");
}

/** The space-separated scopes of a request (RFC 6749 §3.3). */
export const scopesIn = (scope: string): string[] => scope.split(" ").filter(Boolean);

/** The broadest stored form of a held permission, or null if it is not held. */
function broadest(grants: readonly string[], key: string, onlyOwn: boolean): string | null {
  const { scopes } = findPermission(key) ?? { scopes: [] };
  if (scopes.length === 0) return grants.includes(WILDCARD) || grants.includes(key) ? key : null;
  if (!onlyOwn && (grants.includes(WILDCARD) || grants.includes(`${key}:any`))) return `${key}:any`;
  return grantsThatMeet(`${key}:own`).some((grant) => grants.includes(grant)) ? `${key}:own` : null;
}

/**
 * The permissions a consent offers for a request (access §8.3): held by the person, at the broadest scope held, but never broader than a
 * named scope. Scopes outside the catalogue are dropped.
 * @param grants the person's grants, in stored form or the wildcard
 * @param scope as sent; empty requests everything
 */
export function offeredScopes(grants: readonly string[], scope: string): OfferedScope[] {
  const asked = scopesIn(scope);
  const all = asksForAll(scope);
  const reads = asked.includes("mcp:read");
  const named = Map.groupBy(asked, bareOf);
  return permissions().flatMap(({ key, scopes }) => {
    // A suffix the permission does not have makes it an unknown scope.
    const forms = (named.get(key) ?? []).filter((form) => form === key || scopes.some((one) => form === `${key}:${one}`));
    if (forms.length === 0 && !all && !(reads && isRead(key))) return [];
    const onlyOwn = forms.length > 0 && forms.every((form) => form === `${key}:own`);
    const value = broadest(grants, key, onlyOwn);
    if (value === null) return [];
    const read = isRead(key);
    return [{ value, label_key: `permissions.${key}`, read, preselected: read && !NEVER_BEFOREHAND.test(key) }];
  });
}

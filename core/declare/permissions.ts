import catalogue from "./catalogue/permissions.json" with { type: "json" };

/** The stored grant that answers every check; held only by the owner role. */
export const WILDCARD = "*";

/** One permission of the catalogue; `scopes` is empty or `["own", "any"]`; `sku` is the licensed module, null when unlicensed. */
export interface Permission {
  key: string;
  group: string;
  position: number;
  scopes: string[];
  sku: string | null;
}

export interface SystemRole {
  key: string;
  position: number;
  name: Record<string, string>;
  grants: string[];
}

export const permissions: readonly Permission[] = catalogue.permissions;
export const systemRoles: readonly SystemRole[] = catalogue.roles;
/** Every module with its kind, licence (`sku`) and the modules it needs. */
export const modules: readonly { module: string; kind: string; sku: string | null; requires: string[] }[] = catalogue.modules;

const byKey = new Map(permissions.map((permission) => [permission.key, permission]));
/** Every grant in the form in which roles and keys store it. */
export const storedGrants: ReadonlySet<string> = new Set(
  permissions.flatMap(({ key, scopes }) => (scopes.length === 0 ? [key] : scopes.map((scope) => `${key}:${scope}`))),
);

/** The catalogue entry of a key without suffix, or undefined. */
export const findPermission = (key: string): Permission | undefined => byKey.get(key);

/** True when `grant` may be stored on a role or key: a scoped permission only with its suffix, an unscoped one only bare. */
export const isStoredForm = (grant: string): boolean => storedGrants.has(grant);

/** True when an action may declare `check`: a catalogue key, or a scoped one with `:own` or `:any`. */
export const isDeclarable = (check: string): boolean => byKey.has(check) || storedGrants.has(check);

/**
 * The stored grants that satisfy a check, widest first (conventions §4.1): `x` is met at any scope, `x:own` by `:own` or `:any`,
 * `x:any` only by itself; an unscoped key meets every check of itself, the wildcard every check at all.
 */
export function grantsThatMeet(check: string): string[] {
  const bare = check.replace(/:(own|any)$/, "");
  if (byKey.get(bare)?.scopes.length === 0) return [WILDCARD, bare];
  if (check.endsWith(":any")) return [WILDCARD, check];
  if (check.endsWith(":own")) return [WILDCARD, `${check.slice(0, -4)}:any`, check];
  const scopes = byKey.get(check)?.scopes ?? [];
  return [WILDCARD, ...scopes.map((scope) => `${check}:${scope}`).toReversed(), check];
}

/** Whether the held grants answer the check. */
export function holds(grants: readonly string[], check: string): boolean {
  return grantsThatMeet(check).some((grant) => grants.includes(grant));
}

/**
 * What a personal key may do now (access §6.3): its scopes that the owner still holds at that breadth.
 * A key never holds the wildcard, whatever its owner holds.
 */
export function narrowed(scopes: readonly string[], ownerGrants: readonly string[]): string[] {
  return scopes.filter((scope) => scope !== WILDCARD && holds(ownerGrants, scope));
}

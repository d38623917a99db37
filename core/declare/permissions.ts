import { catalogue } from "./catalogue/catalogue.ts";
import { type NamedModule, type Permission, type SystemRole, WILDCARD } from "./catalogue/entries.ts";

export { type NamedModule, type Permission, type SystemRole, WILDCARD };

/** Every permission, in display order. */
export const permissions = (): readonly Permission[] => catalogue().permissions;
/** The initial roles of every organisation, and their default permissions. */
export const systemRoles = (): readonly SystemRole[] => catalogue().systemRoles;
/** Every module with its kind, licence (`sku`) and the modules it needs. */
export const modules = (): readonly NamedModule[] => catalogue().modules;
/** Every module an organisation can switch on or off. */
export const switchable = (): readonly NamedModule[] => modules().filter(({ kind }) => kind !== "core");

/** Everything a licence can list (conventions §7). */
export const licensable = (): readonly string[] =>
  [...new Set([...modules(), ...permissions()].flatMap(({ sku }) => sku ?? []))].sort();

interface Index {
  byKey: ReadonlyMap<string, Permission>;
  stored: ReadonlySet<string>;
}

let known: Index | undefined;

function index(): Index {
  if (known) return known;
  const all = permissions();
  const stored = all.flatMap(({ key, scopes }) => (scopes.length === 0 ? [key] : scopes.map((scope) => `${key}:${scope}`)));
  known = { byKey: new Map(all.map((one) => [one.key, one])), stored: new Set(stored) };
  return known;
}

const bareOf = (check: string): string => check.replace(/:(own|any)$/, "");

/** Every grant in the form that roles and keys store. */
export const storedGrants = (): ReadonlySet<string> => index().stored;

/** The catalogue entry of a key without suffix, or undefined. */
export const findPermission = (key: string): Permission | undefined => index().byKey.get(key);

/** True when a role or key may store `grant`: a scoped permission only with its suffix, an unscoped one only without. */
export const isStoredForm = (grant: string): boolean => index().stored.has(grant);

/**
 * Why no action may require `check`, or null if one may: a catalogue key, or a scoped one with `:own` or `:any`, of a built module.
 * @param standIns planned modules that count as built, for actors in tests
 */
export function undeclarable(check: string, standIns: readonly string[] = []): string | null {
  const found = findPermission(check) ?? (isStoredForm(check) ? findPermission(bareOf(check)) : undefined);
  if (!found) return "which is not in the permission catalogue";
  return found.built || standIns.includes(found.module)
    ? null
    : `a permission of '${found.module}', which no module.ts declares yet`;
}

/**
 * The stored grants that satisfy a check, widest first (conventions §4.1). Any scope of `x` satisfies `x`; `:own` or `:any` satisfies
 * `x:own`; only `x:any` satisfies `x:any`. An unscoped key satisfies every check of itself, the wildcard every check at all.
 */
export function grantsThatMeet(check: string): string[] {
  const bare = bareOf(check);
  if (findPermission(bare)?.scopes.length === 0) return [WILDCARD, bare];
  if (check.endsWith(":any")) return [WILDCARD, check];
  if (check.endsWith(":own")) return [WILDCARD, `${check.slice(0, -4)}:any`, check];
  const scopes = findPermission(check)?.scopes ?? [];
  return [WILDCARD, ...scopes.map((scope) => `${check}:${scope}`).toReversed(), check];
}

/** Whether the grants satisfy the check. */
export function holds(grants: readonly string[], check: string): boolean {
  return grantsThatMeet(check).some((grant) => grants.includes(grant));
}

/** How broadly the grants satisfy a permission: 2 fully, 1 at scope `own`, 0 not at all. */
function breadthOf({ key, scopes }: Permission, grants: readonly string[]): 0 | 1 | 2 {
  if (holds(grants, scopes.length === 0 ? key : `${key}:any`)) return 2;
  return scopes.length > 0 && holds(grants, `${key}:own`) ? 1 : 0;
}

/**
 * The grants in an impersonated login (access §11.4): the permissions that both hold, each at the narrower scope, and never the wildcard.
 */
export function capped(ownGrants: readonly string[], impersonatorGrants: readonly string[]): string[] {
  return permissions().flatMap((permission) => {
    const breadth = Math.min(breadthOf(permission, ownGrants), breadthOf(permission, impersonatorGrants));
    if (breadth === 0) return [];
    return permission.scopes.length === 0 ? [permission.key] : [`${permission.key}:${breadth === 2 ? "any" : "own"}`];
  });
}

/**
 * The grants of a personal key (access §6.3): those of its scopes that the owner still holds at that scope. A key never holds the wildcard,
 * whatever its owner holds.
 */
export function narrowed(scopes: readonly string[], ownerGrants: readonly string[]): string[] {
  return scopes.filter((scope) => scope !== WILDCARD && holds(ownerGrants, scope));
}

import type { Locale } from "../../../../core/config/defaults.ts";
import { catalogue } from "../../../../core/declare/catalogue/catalogue.ts";
import { permissions, storedGrants, WILDCARD } from "../../../../core/declare/permissions.ts";
import { groupNames, type Names, permissionNames } from "./permission-names.ts";

/** A group of scopes on offer for a key. */
export interface ScopeGroup {
  group: string;
  scopes: string[];
}

const groupOf = new Map(permissions().map(({ key, group }) => [key, group]));
const groups = [...new Set(permissions().map(({ group }) => group))];
const bare = (scope: string): string => scope.replace(/:(own|any)$/, "");
const manifests = catalogue().built.map(({ manifest }) => manifest);
/** Names of permissions, by key: those of this folder, and those that modules declare. */
export const namedPermissions: ReadonlyMap<string, Names> = new Map([
  ...Object.entries(permissionNames),
  ...manifests
    .flatMap((manifest) => Object.entries(manifest.permissions ?? {}))
    .flatMap(([key, { names }]) => (names ? [[key, names] as const] : [])),
]);
/** Names of permission groups, from the same two places. */
export const namedGroups: ReadonlyMap<string, Names> = new Map([
  ...Object.entries(groupNames),
  ...manifests.flatMap(({ permissionGroups }) => Object.entries(permissionGroups ?? {})),
]);
const nameOf = (names: ReadonlyMap<string, Names>, key: string, locale: Locale): string =>
  names.get(key)?.[locale === "nl" ? 0 : 1] ?? key;

/** The scopes this person can grant to a key, in groups: their permissions, or every permission for an owner. */
export function scopeGroups(held: readonly string[]): ScopeGroup[] {
  const offered = held.includes(WILDCARD) ? [...storedGrants()] : held;
  return groups.flatMap((group) => {
    const scopes = offered.filter((scope) => groupOf.get(bare(scope)) === group);
    return scopes.length === 0 ? [] : [{ group, scopes }];
  });
}

/**
 * The ticked scopes, single ones and whole groups. A whole group grants each permission with the broadest scope on offer.
 * @param wholes names of groups
 */
export function chosenScopes(offered: readonly ScopeGroup[], ticked: readonly string[], wholes: readonly string[]): string[] {
  const whole = offered.filter(({ group }) => wholes.includes(group)).flatMap(({ scopes }) => scopes);
  const broadest = whole.filter((scope) => !(scope.endsWith(":own") && whole.includes(`${bare(scope)}:any`)));
  return [...new Set([...ticked, ...broadest])];
}

export const groupName = (locale: Locale, group: string): string => nameOf(namedGroups, group, locale);

/** A scope in words, with its reach if it has one. */
export function scopeName(locale: Locale, scope: string, reach: { own: string; any: string }): string {
  const name = nameOf(namedPermissions, bare(scope), locale);
  if (scope.endsWith(":own")) return `${name} (${reach.own})`;
  return scope.endsWith(":any") ? `${name} (${reach.any})` : name;
}

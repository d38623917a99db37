import { capped, WILDCARD } from "../../core/declare/permissions.ts";
import type { Impersonation, Principal } from "../../core/declare/principal.ts";

/** Marks a selection that intersects two others; the grant's id follows. `selected_companies` knows it (migration 0034). */
export const MEETING = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/** Intersects the two selections; null is unrestricted (access §11.4). */
function meeting(own: string[] | null, impersonators: string[] | null, grantId: string): string[] | null {
  if (own === null) return impersonators;
  return impersonators === null ? own : [MEETING, grantId];
}

const sideOf = ({ membershipId, selection }: Principal): Impersonation["sides"][number] => ({
  membershipId: membershipId as string,
  selection,
});

/**
 * A client login as impersonated by a member (access §11.4): the client, limited by the member's own permissions and selection. It never
 * includes instance administrator rights.
 * @param target the client login as its own session would be
 * @param person the impersonating member, with their session
 */
export function impersonated(target: Principal, person: Principal, grant: { id: string; expiresAt: string }): Principal {
  const grants = capped(target.grants, person.grants);
  const whole = new Set(capped(target.grants, [WILDCARD]));
  return {
    ...target,
    credential: person.credential,
    grants,
    selection: meeting(target.selection, person.selection, grant.id),
    isSuperuser: false,
    impersonation: {
      accountId: person.accountId as string,
      name: person.name as string,
      expiresAt: grant.expiresAt,
      isNarrowed: person.selection !== null || grants.length < whole.size || grants.some((grant) => !whole.has(grant)),
      sides: [sideOf(target), sideOf(person)],
    },
  };
}

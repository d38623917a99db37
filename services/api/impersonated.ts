import { capped, WILDCARD } from "../../core/declare/permissions.ts";
import type { Impersonation, Principal } from "../../core/request/context.ts";

/** What a selection begins with in which two meet; the id of the grant follows. `selected_companies` knows it (migration 0034). */
export const MEETING = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/** Who sees only what both see; null is unrestricted and narrows nothing (access §11.4). */
function meeting(own: string[] | null, impersonators: string[] | null, grantId: string): string[] | null {
  if (own === null) return impersonators;
  return impersonators === null ? own : [MEETING, grantId];
}

const sideOf = ({ membershipId, selection }: Principal): Impersonation["sides"][number] => ({
  membershipId: membershipId as string,
  selection,
});

/**
 * A client's login as a member looks into it (access §11.4): the client, as far as the member's own permissions and selection go. Whatever
 * an instance administrator may do is not among it.
 * @param target the login, as it would be signed in
 * @param person who looks into it, with the session it happens in
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

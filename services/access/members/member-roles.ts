import { queryAll } from "../../../core/database/query.ts";
import { invalid, notFound } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { withoutWidening } from "../../../mixins/widening.ts";
import { audit } from "../audit.ts";
import { requireAnAdministrator } from "../roles/last-administrator.ts";
import { unionOf } from "../roles/role-rules.ts";
import {
  type HeldRole,
  isSelf,
  type Member,
  requireMayHandOut,
  requireNotOwnRoles,
  requireRoleManagement,
  setRoles,
} from "./memberships.ts";

const MEMBER = statement("select m.account_id from memberships m where m.organisation_id = $1 and m.id = $2");
const HELD = statement(`select r.id, r.permissions from membership_roles mr
  join roles r on r.organisation_id = mr.organisation_id and r.id = mr.role_id
  where mr.organisation_id = $1 and mr.membership_id = $2 order by r.position, r.key`);

type GrantingRole = Pick<HeldRole, "id" | "permissions">;

const effective = (id: string, accountId: string, roles: readonly GrantingRole[]) => ({
  membership_id: id,
  permissions: unionOf(roles),
  role_ids: roles.map((role) => role.id),
  user_id: accountId,
});

/** The combined permissions of a member's roles. @throws 404 */
export async function effectivePermissions(id: string) {
  const place = [request().organisation.id, id];
  const [[member] = [], held = []] = await queryAll([MEMBER, place], [HELD, place]);
  if (!member) throw notFound();
  return effective(id, member["account_id"] as string, held as unknown as GrantingRole[]);
}

/**
 * Gives a locked member another system role; custom roles stay.
 * @throws 403, 409 for the last administrator, and 422 for a key that no system role has
 */
export async function changeSystemRole(member: Member, key: string): Promise<void> {
  const role = member.roles.find((one) => one.is_system && one.key === key);
  if (!role) throw invalid({ role: "errors.validation" });
  const former = member.held.find(({ is_system }) => is_system);
  if (role === former) return;
  requireMayHandOut(role);
  requireNotOwnRoles(member);
  // Leaving the client role would show it every client, and no caller may widen its own view (conventions §5).
  if (isSelf(member.account_id) && former?.key === "client") requireRoleManagement();
  const wanted = [...member.held.filter(({ is_system }) => !is_system), role];
  await withoutWidening({ memberships: [member.id] }, () => setRoles(member, wanted));
  const detail = { from: former?.key ?? null, to: role.key };
  audit("membership.roles_changed", { role, targetAccountId: member.account_id, detail });
  await requireAnAdministrator();
}

/**
 * Replaces the roles of a locked member and returns its permissions.
 * @throws 403, 404 for an unknown role, 409 for the last administrator, and 422 unless exactly one is a system role
 */
export async function replaceRoles(member: Member, roleIds: readonly string[]) {
  const asked = new Set(roleIds.map((id) => id.toLowerCase()));
  const wanted = member.roles.filter(({ id }) => asked.has(id));
  if (wanted.length < asked.size) throw notFound();
  if (wanted.filter(({ is_system }) => is_system).length !== 1) throw invalid({ role_ids: "errors.validation" });
  const isChanged = wanted.length !== member.held.length || wanted.some((role) => !member.held.includes(role));
  if (isChanged) requireNotOwnRoles(member);
  for (const role of wanted) if (!member.held.includes(role)) requireMayHandOut(role);
  const { added, removed } = await withoutWidening({ memberships: [member.id] }, () => setRoles(member, wanted));
  if (added.length + removed.length > 0) {
    audit("membership.roles_changed", { targetAccountId: member.account_id, detail: { added, removed } });
    await requireAnAdministrator();
  }
  return effective(member.id, member.account_id, wanted);
}

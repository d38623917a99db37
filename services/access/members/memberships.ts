import type { RowOf } from "../../../core/database/model.ts";
import { enqueue, queryAll } from "../../../core/database/query.ts";
import { type Row, statement } from "../../../core/database/statement.ts";
import { explainConstraints, touch } from "../../../core/database/write.ts";
import { conflict, forbidden, notFound } from "../../../core/declare/errors.ts";
import { holds } from "../../../core/declare/permissions.ts";
import { requireMatch } from "../../../core/http/etag.ts";
import { requireUnrestricted } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { Membership, type Role } from "../models.ts";
import { isGuarded, ROLE_MANAGEMENT } from "../roles/role-rules.ts";

explainConstraints({ memberships_organisation_id_account_id_key: () => conflict() });

/** A role as far as memberships look at it. */
export type HeldRole = Pick<RowOf<typeof Role>, "id" | "key" | "is_system" | "permissions">;

/** A membership with its account and roles, locked until the transaction ends. */
export interface Member {
  id: string;
  version: number;
  account_id: string;
  deactivated_at: string | null;
  email: string;
  full_name: string | null;
  locale: string | null;
  is_active: boolean;
  password_hash: string | null;
  hand_disabled_at: string | null;
  /** The account is at home in another organisation too (access §4.6). */
  elsewhere: boolean;
  /** Every role of the organisation, and the ones this member holds. */
  roles: HeldRole[];
  held: HeldRole[];
}

const LOCK =
  statement(`select m.id, m.account_id, m.deactivated_at, m.version, a.email, a.full_name, a.locale, a.is_active, a.password_hash, a.hand_disabled_at,
    is_live_elsewhere(a.id, $1) as elsewhere
  from memberships m join accounts a on a.id = m.account_id where m.organisation_id = $1 and m.id = $2 for update of m`);
const ROLES = statement(`select r.id, r.key, r.is_system, r.permissions,
    exists (select 1 from membership_roles mr where mr.organisation_id = r.organisation_id and mr.role_id = r.id and mr.membership_id = $2) as held
  from roles r where r.organisation_id = $1 order by r.position, r.key`);
const ADD = statement("insert into membership_roles (organisation_id, membership_id, role_id) values ($1, $2, $3)");
const DROP = statement("delete from membership_roles where organisation_id = $1 and membership_id = $2 and role_id = $3");

/**
 * The membership of a write. @throws 404, 412
 * @param permit the row's own permission, which is refused before the tag is looked at (conventions §3.3)
 */
export async function lockMember(id: string, permit?: (member: Member) => void): Promise<Member> {
  const member = await lockedMember(id);
  permit?.(member);
  requireMatch(member.version);
  return member;
}

/** The same where the tag of the request is another row's. @throws 404 */
export async function lockedMember(id: string): Promise<Member> {
  const place = [request().organisation.id, id];
  const [[found] = [], roles = []] = await queryAll([LOCK, place], [ROLES, place]);
  if (!found) throw notFound();
  const all = roles as unknown as (HeldRole & Row)[];
  return { ...(found as unknown as Member), roles: all, held: all.filter((role) => role["held"]) };
}

/** The roles of the organisation that the host belongs to. */
export async function organisationRoles(): Promise<HeldRole[]> {
  const [roles = []] = await queryAll([ROLES, [request().organisation.id, null]]);
  return roles as unknown as HeldRole[];
}

/** @throws 403 for a caller who may not manage roles */
export function requireRoleManagement(): void {
  if (!holds(request().principal?.grants ?? [], ROLE_MANAGEMENT)) throw forbidden();
}

/**
 * @throws 403 when a role that carries administration is handed out by a caller who may not manage roles (access §4.1), or who sees some
 * clients only: its holder is bound to no selection, or could undo its own (conventions §5)
 */
export function requireMayHandOut(role: HeldRole): void {
  if (!isGuarded(role)) return;
  requireRoleManagement();
  requireUnrestricted(request().principal);
}

/** @throws 403 for a caller who sees some clients only, when it changes its own roles or those of the member who looks into its login */
export function requireNotOwnRoles({ id }: Pick<Member, "id">): void {
  const { principal } = request();
  if (!principal || principal.selection === null) return;
  const sides = principal.impersonation?.sides ?? [{ membershipId: principal.membershipId }];
  if (sides.some(({ membershipId }) => membershipId === id)) throw forbidden();
}

/**
 * What every change to another person's membership or account asks for: a caller who may not hand out a role may not take it from its holder
 * either, by whichever door (access §4.6).
 * @throws 403 for a member with a guarded role, when the caller may not manage roles
 */
export const requireMayChange = ({ held }: Member): void => {
  if (held.some(isGuarded)) requireRoleManagement();
};

/** Gives a membership a role; it is sent with the commit. */
export const addRole = (membershipId: string, roleId: string): void =>
  enqueue(ADD, [request().organisation.id, membershipId, roleId]);

/** Replaces the roles of a member. Gives the keys that came and went; both are empty when nothing changes. */
export function setRoles(member: Member, wanted: readonly HeldRole[]): { added: string[]; removed: string[] } {
  const added = wanted.filter((role) => !member.held.includes(role));
  const removed = member.held.filter((role) => !wanted.includes(role));
  for (const { id } of removed) enqueue(DROP, [request().organisation.id, member.id, id]);
  for (const { id } of added) addRole(member.id, id);
  if (added.length + removed.length > 0) touch(Membership, member.id);
  return { added: added.map(({ key }) => key), removed: removed.map(({ key }) => key) };
}

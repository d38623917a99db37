import type { RowOf } from "../../../core/database/model.ts";
import { enqueue, queryAll } from "../../../core/database/query.ts";
import { touch } from "../../../core/database/write.ts";
import { holds } from "../../../core/declare/permissions.ts";
import { forbidden, notFound } from "../../../core/errors/errors.ts";
import { requireMatch } from "../../../core/http/etag.ts";
import { requireUnrestricted } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { type Row, statement } from "../../../core/sql/statement.ts";
import { Membership, type Role } from "../models.ts";
import { isGuarded, ROLE_MANAGEMENT } from "../roles/role-rules.ts";

/** A role with the fields that memberships need. */
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
  /** The account also has a live membership in another organisation (access §4.6). */
  elsewhere: boolean;
  /** Every role of the organisation; `held` has the member's own. */
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
 * Locks a membership for a write. @throws 404, 412
 * @param permit the row's own permission check, which precedes the tag check (conventions §3.3)
 */
export async function lockMember(id: string, permit?: (member: Member) => void): Promise<Member> {
  const member = await lockedMember(id);
  permit?.(member);
  requireMatch(member.version);
  return member;
}

/** The same without the tag check, for requests whose tag belongs to another row. @throws 404 */
export async function lockedMember(id: string): Promise<Member> {
  const place = [request().organisation.id, id];
  const [[found] = [], roles = []] = await queryAll([LOCK, place], [ROLES, place]);
  if (!found) throw notFound();
  const all = roles as unknown as (HeldRole & Row)[];
  return { ...(found as unknown as Member), roles: all, held: all.filter((role) => role["held"]) };
}

/** The roles of the request's organisation. */
export async function organisationRoles(): Promise<HeldRole[]> {
  const [roles = []] = await queryAll([ROLES, [request().organisation.id, null]]);
  return roles as unknown as HeldRole[];
}

/** Whether an account is the caller's own. */
export const isSelf = (accountId: string): boolean => request().principal?.accountId === accountId;

/** @throws 403 for a caller who may not manage roles */
export function requireRoleManagement(): void {
  if (!holds(request().principal?.grants ?? [], ROLE_MANAGEMENT)) throw forbidden();
}

/**
 * @throws 403 for a guarded role, if the caller may not manage roles (access §4.1) or has a selection: the role's holder has none, or could
 * remove its own (conventions §5)
 */
export function requireMayHandOut(role: HeldRole): void {
  if (!isGuarded(role)) return;
  requireRoleManagement();
  requireUnrestricted(request().principal);
}

/** @throws 403 for a caller with a selection who changes its own roles, or those of the member impersonating it */
export function requireNotOwnRoles({ id }: Pick<Member, "id">): void {
  const { principal } = request();
  if (!principal || principal.selection === null) return;
  const sides = principal.impersonation?.sides ?? [{ membershipId: principal.membershipId }];
  if (sides.some(({ membershipId }) => membershipId === id)) throw forbidden();
}

/**
 * Guards every change to another person's membership or account: a caller who may not assign a role may not take it from its holder either,
 * on any endpoint (access §4.6).
 * @throws 403 for a member with a guarded role, if the caller may not manage roles
 */
export const requireMayChange = ({ held }: Member): void => {
  if (held.some(isGuarded)) requireRoleManagement();
};

/** Adds a role to a membership; the statement runs with the commit. */
export const addRole = (membershipId: string, roleId: string): void =>
  enqueue(ADD, [request().organisation.id, membershipId, roleId]);

/** Replaces the roles of a member. Returns the keys added and removed; both are empty if nothing changes. */
export function setRoles(member: Member, wanted: readonly HeldRole[]): { added: string[]; removed: string[] } {
  const added = wanted.filter((role) => !member.held.includes(role));
  const removed = member.held.filter((role) => !wanted.includes(role));
  for (const { id } of removed) enqueue(DROP, [request().organisation.id, member.id, id]);
  for (const { id } of added) addRole(member.id, id);
  if (added.length + removed.length > 0) touch(Membership, member.id);
  return { added: added.map(({ key }) => key), removed: removed.map(({ key }) => key) };
}

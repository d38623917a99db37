import { sinceQuery } from "../../../core/database/lists/list.ts";
import { newId } from "../../../core/database/model.ts";
import { enqueue, query } from "../../../core/database/query.ts";
import { queueInsert, queueRemove, queueUpdate, touch } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { runHooks } from "../../../core/declare/catalogue/catalogue.ts";
import { openAction } from "../../../core/declare/makers/open-action.ts";
import { findPermission, grantsThatMeet } from "../../../core/declare/permissions.ts";
import { conflict, forbidden, invalid, notFound, rateLimited, refusal } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { flag, list, optional, readInstant, text } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { resource } from "../../../mixins/resource.ts";
import { withoutWidening } from "../../../mixins/widening.ts";
import { endSessions, storedName } from "../accounts/account-changes.ts";
import { mailOwner } from "../accounts/account-news.ts";
import { mailToken } from "../accounts/mailed-tokens.ts";
import { audit } from "../audit.ts";
import { Membership } from "../models.ts";
import { requireAnAdministrator } from "../roles/last-administrator.ts";
import { EffectivePermissions, MembershipRolesUpdate } from "../roles/role-schemas.ts";
import { MemberAccountUpdate, MemberInvite, MemberLookup, MemberRead, MemberRoleUpdate } from "../schemas.ts";
import { invitedAccount } from "./invited-account.ts";
import { listMembers, lookUpMembers, writtenMember } from "./member-projection.ts";
import { changeSystemRole, effectivePermissions, replaceRoles } from "./member-roles.ts";
import { addRole, isSelf, lockMember, organisationRoles, requireMayChange, requireMayHandOut } from "./memberships.ts";
import { resendWait } from "./resend-rule.ts";

const REVOKE_KEYS = statement(
  "update api_keys set revoked_at = now(), updated_at = now() where organisation_id = $1 and account_id = $2 and revoked_at is null",
);
const RENAME = statement("update accounts set full_name = $2, updated_at = statement_timestamp() where id = $1");
const DROP_FACTOR = statement("delete from two_factors where account_id = $1 returning confirmed_at is not null as was_on");

const RESENT = statement(`select extract(epoch from statement_timestamp() - created_at)::float8 as age from access_audit
  where organisation_id = $1 and target_account_id = $2 and action = 'membership.invited' and detail @> '{"resent": true}'
    and created_at > statement_timestamp() - interval '1 day'`);

/** Call with the membership locked. @throws 429 if an invite was resent too recently or too often */
async function requireMayResend(accountId: string): Promise<void> {
  const resent = await query<{ age: number }>(RESENT, [request().organisation.id, accountId]);
  const wait = resendWait(resent.map(({ age }) => age));
  if (wait > 0) throw rateLimited(wait);
}

export default resource("members", {
  model: Membership,
  actions: {
    list: action({
      rest: "GET /members",
      summary: "List the staff and directly invited clients",
      permission: "members.member.read",
      query: sinceQuery,
      returns: list(MemberRead),
      handler: (ctx) => listMembers(ctx.params.updated_since === undefined ? null : readInstant(ctx.params.updated_since)),
    }),

    lookup: openAction({
      rest: "GET /members/lookup",
      verb: "lookup",
      summary: "Names of colleagues for pickers and old records",
      open: "every member may know who works here",
      query: {
        permission: optional(text(100, { description: "Only holders of this permission, at any scope" })),
        include_clients: optional(flag(false)),
        ...sinceQuery,
      },
      returns: list(MemberLookup),
      async handler(ctx) {
        const { permission, include_clients: includeClients = false, updated_since: since } = ctx.params;
        if (permission !== undefined && !findPermission(permission)) throw invalid({ permission: "errors.validation" });
        return lookUpMembers({
          includeClients,
          holding: permission === undefined ? null : grantsThatMeet(permission),
          since: since === undefined ? null : readInstant(since),
        });
      },
    }),

    invite: action({
      rest: "POST /members/invite",
      summary: "Invite a person by e-mail",
      description:
        "The membership is valid even if the mail fails; the link in the mail works for seven days. Unless it has the client role, a new member joins the company groups of an inviter with a restricted view.",
      permission: "members.member.write",
      body: MemberInvite,
      returns: MemberRead,
      errors: ["conflict"],
      async handler(ctx) {
        const { email, full_name, role: key = "member", send_email: sends = true } = ctx.params.body;
        const role = (await organisationRoles()).find((known) => known.is_system && known.key === key);
        if (!role) throw invalid({ role: "errors.validation" });
        requireMayHandOut(role);
        const account = await invitedAccount(email.toLowerCase(), storedName(full_name?.trim()) ?? null);
        const id = newId();
        await withoutWidening({ memberships: [id] }, async () => {
          queueInsert(Membership, { id, account_id: account.id });
          addRole(id, role.id);
          const { membershipId: inviter, selection } = request().principal ?? {};
          if (inviter && selection && role.key !== "client")
            await runHooks("membership.invited", { membership_id: id, inviter_membership_id: inviter });
        });
        audit("membership.invited", { role, targetAccountId: account.id });
        if (sends) await mailToken("invite", account);
        return writtenMember(id, sends);
      },
    }),

    resend: action({
      rest: "POST /members/:membership_id/resend",
      summary: "Send a new invite; the old link stops working at once",
      description: "At most one mail a minute and ten a day for each membership.",
      permission: "members.member.write",
      returns: MemberRead,
      status: 200,
      errors: ["conflict"],
      async handler(ctx) {
        const member = await lockMember(ctx.params.membership_id);
        if (member.deactivated_at !== null || !member.is_active) throw conflict();
        await requireMayResend(member.account_id);
        audit("membership.invited", { targetAccountId: member.account_id, detail: { resent: true } });
        await mailToken("invite", { ...member, id: member.account_id });
        return writtenMember(member.id, true);
      },
    }),

    changeRole: action({
      rest: "PATCH /members/:membership_id",
      summary: "Change the system role of a member; custom roles stay",
      description: "A change to or from a role that can manage roles also requires `settings.roles.manage`.",
      permission: "members.member.write",
      body: MemberRoleUpdate,
      returns: MemberRead,
      errors: ["last_role_manager"],
      async handler(ctx) {
        const member = await lockMember(ctx.params.membership_id, requireMayChange);
        await changeSystemRole(member, ctx.params.body.role);
        return writtenMember(member.id);
      },
    }),

    setRoles: action({
      rest: "PUT /members/:membership_id/roles",
      summary: "Replace the roles of a member: one system role and any number of others",
      permission: "settings.roles.manage",
      body: MembershipRolesUpdate,
      returns: EffectivePermissions,
      errors: ["last_role_manager"],
      handler: async (ctx) => replaceRoles(await lockMember(ctx.params.membership_id), ctx.params.body.role_ids),
    }),

    permissions: action({
      rest: "GET /members/:membership_id/permissions",
      summary: "The combined permissions of a member's roles",
      permission: "members.member.read",
      returns: EffectivePermissions,
      handler: (ctx) => effectivePermissions(ctx.params.membership_id),
    }),

    account: action({
      rest: "PATCH /members/:membership_id/account",
      summary: "Deactivate, reactivate or rename a member",
      description:
        "Deactivating keeps roles and history but ends access. An account that also belongs to another organisation cannot be renamed here.",
      permission: "members.member.write",
      body: MemberAccountUpdate,
      returns: MemberRead,
      errors: ["cannot_deactivate_self", "last_role_manager"],
      async handler(ctx) {
        const { active } = ctx.params.body;
        const member = await lockMember(ctx.params.membership_id, requireMayChange);
        const name = storedName(ctx.params.body.full_name?.trim() ?? ctx.params.body.full_name);
        const renames = name !== undefined && name !== member.full_name;
        if (active === false && isSelf(member.account_id)) throw refusal("cannot_deactivate_self");
        if (name !== undefined && member.elsewhere) throw forbidden();
        if (active && !member.is_active && (member.hand_disabled_at !== null || member.elsewhere)) throw forbidden();
        if (renames) {
          enqueue(RENAME, [member.account_id, name]);
          // A name is part of the member as read, so its tag changes too (conventions §11).
          touch(Membership, member.id);
          audit("membership.renamed", { targetAccountId: member.account_id, detail: { from: member.full_name, to: name } });
        }
        if (active === false && member.deactivated_at === null) {
          queueUpdate(Membership, member.id, { deactivated_at: new Date().toISOString() });
          await runHooks("membership.leaving", { account_id: member.account_id, is_removed: false });
          audit("membership.deactivated", { targetAccountId: member.account_id });
          await requireAnAdministrator();
        }
        if (active && member.deactivated_at !== null) {
          queueUpdate(Membership, member.id, { deactivated_at: null });
          audit("membership.activated", { targetAccountId: member.account_id });
        }
        return writtenMember(member.id);
      },
    }),

    remove: action({
      rest: "DELETE /members/:membership_id",
      summary: "Revoke a membership permanently",
      description: "Deletes the member's roles, group assignments and personal keys in this organisation; past work stays.",
      permission: "members.member.write",
      errors: ["cannot_remove_self", "last_role_manager"],
      async handler(ctx) {
        const member = await lockMember(ctx.params.membership_id, requireMayChange);
        if (isSelf(member.account_id)) throw refusal("cannot_remove_self");
        enqueue(REVOKE_KEYS, [ctx.meta.organisation.id, member.account_id]);
        await runHooks("membership.leaving", { account_id: member.account_id, is_removed: true });
        queueRemove(Membership, member.id);
        const detail = { email: member.email, roles: member.held.map(({ key }) => key) };
        audit("membership.revoked", { targetAccountId: member.account_id, detail });
        await requireAnAdministrator();
      },
    }),

    resetTwoFactor: action({
      rest: "DELETE /members/:membership_id/two-factor",
      summary: "Remove the second factor of a member who has lost it",
      description: "All sessions of the account end. Not for an account that also belongs to another organisation.",
      permission: "members.member.write",
      async handler(ctx) {
        const member = await lockMember(ctx.params.membership_id, requireMayChange);
        if (member.elsewhere) throw forbidden();
        const [dropped] = await query<{ was_on: boolean }>(DROP_FACTOR, [member.account_id]);
        if (!dropped) throw notFound();
        endSessions(member.account_id, null);
        if (dropped.was_on)
          await mailOwner({ ...member, id: member.account_id }, { kind: "second-factor-change", variables: { change: "off" } });
        audit("membership.two_factor_reset", { targetAccountId: member.account_id });
      },
    }),
  },
});

import { action } from "../../core/action.ts";
import { request } from "../../core/context.ts";
import { statement } from "../../core/database.ts";
import { invalid } from "../../core/errors.ts";
import { JsonText } from "../../core/json-text.ts";
import { sinceQuery } from "../../core/list.ts";
import { findPermission, grantsThatMeet } from "../../core/permissions.ts";
import { jsonArray } from "../../core/projection.ts";
import { query } from "../../core/query.ts";
import { flag, list, optional, readInstant, text } from "../../core/schema.ts";
import { resource } from "../../mixins/resource.ts";
import { Membership } from "./models.ts";
import { MemberLookup, MemberRead } from "./schemas.ts";

/** Roles of a membership as one row: ids, whether it is a client login, whether it holds the wildcard. */
const roles = (asked = "null::text[]") => `left join lateral (
    select coalesce(json_agg(r.id order by r.position, r.key), '[]') as ids, coalesce(bool_or(r.is_system and r.key = 'client'), false) as is_client,
           coalesce(bool_or(not (r.is_system and r.key = 'client')), false) as is_staff, coalesce(bool_or('*' = any(r.permissions)), false) as is_owner,
           coalesce(bool_or(r.permissions && ${asked}), false) as holds
      from membership_roles mr join roles r on r.organisation_id = mr.organisation_id and r.id = mr.role_id
     where mr.organisation_id = m.organisation_id and mr.membership_id = m.id) held on true`;

const LIST = statement(
  `select ${jsonArray(`
  select a.avatar_url, held.is_client and not held.is_owner and not exists (
           select 1 from company_group_memberships gm join company_group_companies gc
               on gc.organisation_id = gm.organisation_id and gc.group_id = gm.group_id
            where gm.organisation_id = m.organisation_id and gm.membership_id = m.id) as company_scope_empty,
         m.deactivated_at, a.email, a.full_name, null as invite_email_error, null as invite_email_sent,
         a.is_active and m.deactivated_at is null as is_active, a.id = $2::uuid as is_self, m.id as membership_id,
         held.ids as role_ids, false as two_factor_enabled, a.id as user_id
    from memberships m join accounts a on a.id = m.account_id ${roles()}
   where m.organisation_id = $1 and ($3::timestamptz is null or greatest(m.updated_at, a.updated_at) >= $3::timestamptz)
     and not exists (select 1 from contacts c where c.organisation_id = m.organisation_id and c.account_id = m.account_id)
   order by a.email`)} as items`,
);

const LOOKUP = statement(
  `select ${jsonArray(`
  select a.avatar_url, case when $2 then null else a.email end as email, a.full_name, a.is_active and m.deactivated_at is null as is_active, a.id as user_id
    from memberships m join accounts a on a.id = m.account_id ${roles("$4::text[]")}
   where m.organisation_id = $1 and ($3 or held.is_staff) and ($4::text[] is null or held.holds)
     and ($5::timestamptz is null or greatest(m.updated_at, a.updated_at) >= $5::timestamptz)
   order by nullif(a.full_name, '') collate kantoor_text nulls last, a.email`)} as items`,
);

export default resource("members", {
  model: Membership,
  actions: {
    list: action({
      rest: "GET /members",
      summary: "List the staff and directly invited clients",
      permission: "members.member.read",
      query: sinceQuery,
      returns: list(MemberRead),
      async handler(ctx) {
        const since = ctx.params.updated_since === undefined ? null : readInstant(ctx.params.updated_since);
        const [row] = await query<{ items: string }>(LIST, [
          ctx.meta.organisation.id,
          ctx.meta.principal?.accountId ?? null,
          since,
        ]);
        return new JsonText(row?.items ?? "[]");
      },
    }),

    lookup: action({
      rest: "GET /members/lookup",
      summary: "Names of colleagues for pickers and old records",
      open: "every member may know who works here",
      query: {
        permission: optional(text(100, { description: "Only holders of this permission, at any scope" })),
        include_clients: optional(flag(false)),
        ...sinceQuery,
      },
      returns: list(MemberLookup),
      async handler(ctx) {
        const { permission, include_clients: includeClients, updated_since: since } = ctx.params;
        if (permission !== undefined && !findPermission(permission)) throw invalid({ permission: "errors.validation" });
        const { organisation, principal } = request();
        const [row] = await query<{ items: string }>(LOOKUP, [
          organisation.id,
          principal?.isClientLogin ?? true,
          includeClients,
          permission === undefined ? null : grantsThatMeet(permission),
          since === undefined ? null : readInstant(since),
        ]);
        return new JsonText(row?.items ?? "[]");
      },
    }),
  },
});

import { query } from "../../../core/database/query.ts";
import { touch } from "../../../core/database/write.ts";
import type { Hook } from "../../../core/declare/hooks.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { trail } from "../../../core/trail/trail.ts";
import { CompanyGroup } from "../models.ts";

const JOIN = statement(`with joined as (
    insert into company_group_memberships (organisation_id, group_id, membership_id)
    select g.organisation_id, g.group_id, $3 from company_group_memberships g where g.organisation_id = $1 and g.membership_id = $2
    on conflict do nothing returning group_id)
  select g.id, g.name, (select count(*)::int from company_group_memberships m where m.organisation_id = $1 and m.group_id = g.id) + 1 as count
    from company_groups g where g.organisation_id = $1 and g.id in (select group_id from joined) order by g.position, g.name, g.id`);

/** A member invited by a restricted member joins the inviter's groups, and so sees the same clients (conventions §5). */
export const joinGroupsOfInviter: Hook<"membership.invited"> = async ({ membership_id, inviter_membership_id }) => {
  const groups = await query<{ id: string; name: string; count: number }>(JOIN, [
    request().organisation.id,
    inviter_membership_id,
    membership_id,
  ]);
  for (const { id, name, count } of groups) {
    touch(CompanyGroup, id);
    trail("company_group", id, "memberships_changed", { name, count });
  }
};

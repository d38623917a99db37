import { query } from "../../../core/database/query.ts";
import type { Hook } from "../../../core/declare/hooks.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { trailEach } from "../../../core/trail/trail.ts";

const NOT_BILLABLE =
  statement(`update projects p set billable_default = false, version = p.version + 1, updated_at = statement_timestamp()
    from (select id from projects where organisation_id = $1 and id = any($2::uuid[]) and billable_default order by id for update) n
   where p.organisation_id = $1 and p.id = n.id returning p.id`);

/**
 * Makes new hours on projects non-billable by default once an agreement bills them. Only the moment of linking does this, so members can
 * switch it back (work chapter §2.4).
 */
export const billedByAgreement: Hook<"subscription.projects_linked"> = async ({ project_ids: ids }) => {
  const changed = await query<{ id: string }>(NOT_BILLABLE, [request().organisation.id, ids]);
  const payload = { changes: { billable_default: { from: true, to: false } } };
  trailEach(
    "project",
    "updated",
    changed.map(({ id }) => ({ entityId: id, payload })),
  );
};

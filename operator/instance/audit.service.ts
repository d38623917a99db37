import { service } from "../../mixins/resource.ts";
import { instanceAction } from "./action.ts";
import { AuditPage, AuditQuery } from "./schemas/audit.ts";

const LINES = `select id, created_at, action, actor, administrator_id, key_id, organisation as organisation_id, slug as organisation_slug, address,
    request_id, detail
  from operator_audit
  where ($1::uuid is null or organisation = $1) and ($2::uuid[] is null or organisation = any($2))
    and ($3::uuid is null or (created_at, id) < (select l.created_at, l.id from operator_audit l where l.id = $3))
  order by created_at desc, id desc limit $4`;

/** What operators did, in all organisations and in the installation itself. */
export default service("instance.audit", {
  actions: {
    list: instanceAction({
      rest: "GET /instance/audit",
      summary: "List what operators did",
      description: "Lines are neither changed nor deleted, and outlive the organisations that they are about.",
      needs: "administrators",
      query: AuditQuery,
      returns: AuditPage,
      async handler({ client, caller, params: { organisation_id: about, limit = 50, cursor } }) {
        const { rows } = await client.query(LINES, [about ?? null, caller.organisations, cursor ?? null, limit + 1]);
        const items = rows.slice(0, limit);
        return { items, limit, next_cursor: rows.length > limit ? items.at(-1)?.id : null };
      },
    }),
  },
});

import { action } from "../../core/action.ts";
import { statement } from "../../core/database.ts";
import { JsonText } from "../../core/json-text.ts";
import { sinceQuery } from "../../core/list.ts";
import { jsonArray } from "../../core/projection.ts";
import { query } from "../../core/query.ts";
import { list, readInstant } from "../../core/schema.ts";
import { resource } from "../../mixins/resource.ts";
import { Role } from "./models.ts";
import { RoleRead } from "./schemas.ts";

const LIST = statement(
  `select ${jsonArray(`
  select r.description_i18n, r.id, r.is_system, r.key, r.name_i18n, array_to_json(r.permissions) as permissions, r.position,
         (select count(*)::int from membership_roles mr where mr.organisation_id = r.organisation_id and mr.role_id = r.id) as member_count
    from roles r where r.organisation_id = $1 and ($2::timestamptz is null or r.updated_at >= $2::timestamptz)
   order by r.position, r.key`)} as items`,
);

export default resource("roles", {
  model: Role,
  actions: {
    list: action({
      rest: "GET /roles",
      summary: "List roles with their permissions and member counts",
      permission: "settings.roles.manage",
      query: sinceQuery,
      returns: list(RoleRead),
      async handler(ctx) {
        const since = ctx.params.updated_since === undefined ? null : readInstant(ctx.params.updated_since);
        const [row] = await query<{ items: string }>(LIST, [ctx.meta.organisation.id, since]);
        return new JsonText(row?.items ?? "[]");
      },
    }),
  },
});

import { sinceQuery } from "../../../core/database/lists/list.ts";
import type { RowOf } from "../../../core/database/model.ts";
import { projection } from "../../../core/database/projection.ts";
import { queryOne } from "../../../core/database/query.ts";
import { differences, queueInsert, queueRemove, queueUpdate, withoutNulls } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { WILDCARD } from "../../../core/declare/permissions.ts";
import { notFound, refusal } from "../../../core/errors/errors.ts";
import { requireUnrestricted } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { list, optional, type Static, uuid } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { resource, rowsOf } from "../../../mixins/resource.ts";
import { audit } from "../audit.ts";
import { Role } from "../models.ts";
import { requireAnAdministrator } from "./last-administrator.ts";
import { isGuarded, permissionChanges, roleKey, storedPermissions } from "./role-rules.ts";
import { RoleCreate, RoleRead, RoleUpdate } from "./role-schemas.ts";

const shown = projection({
  model: Role,
  schema: RoleRead,
  columns: {
    member_count: `(select count(*)::int from membership_roles mr where mr.organisation_id = t.organisation_id and mr.role_id = t.id)`,
  },
});
const roles = rowsOf({ model: Role, projection: shown, whole: { order: "t.position, t.key" } });

const PERMISSIONS = statement("select permissions from roles where organisation_id = $1 and id = $2");

/** A new role's permissions: the given list, or a copy of another role's, without the wildcard. */
async function startingPermissions(given: readonly string[] | null | undefined, from: string | undefined): Promise<string[]> {
  if (given) return storedPermissions(given);
  if (from === undefined) return [];
  const source = await queryOne<{ permissions: string[] }>(PERMISSIONS, [request().organisation.id, from]);
  if (!source) throw notFound();
  return source.permissions.filter((grant) => grant !== WILDCARD);
}

/** The sent values of a PATCH that differ. */
function changedValues(before: RowOf<typeof Role>, sent: Static<typeof RoleUpdate>) {
  const { permissions, ...rest } = withoutNulls(sent);
  const stored = { ...before, permissions: before.permissions.toSorted() };
  return differences(stored, { ...rest, permissions: permissions && storedPermissions(permissions) });
}

export default resource("roles", {
  model: Role,
  actions: {
    list: action({
      rest: "GET /roles",
      summary: "List roles with their permissions and member counts",
      permission: "settings.roles.manage",
      query: sinceQuery,
      returns: list(RoleRead),
      handler: ({ params: { updated_since } }) => roles.all({ updated_since }),
    }),

    create: action({
      rest: "POST /roles",
      summary: "Create a role",
      description: "Without `permissions` it copies the role named by `from`, or has none.",
      permission: "settings.roles.manage",
      query: { from: optional(uuid()) },
      body: RoleCreate,
      returns: RoleRead,
      errors: ["conflict", "not_found"],
      async handler(ctx) {
        const { key: typed, permissions: given, ...rest } = ctx.params.body;
        const key = roleKey(typed);
        const permissions = await startingPermissions(given, ctx.params.from);
        const id = queueInsert(Role, { ...rest, key, permissions });
        const detail = { permissions, duplicated_from: given ? null : (ctx.params.from ?? null) };
        audit("role.create", { role: { id, key }, detail });
        return roles.answerWith(id);
      },
    }),

    update: action({
      rest: "PATCH /roles/:role_id",
      summary: "Change names, position or the whole set of permissions of a role",
      description: "Applies from the next request of everyone with the role, including open sessions and keys.",
      permission: "settings.roles.manage",
      body: RoleUpdate,
      returns: RoleRead,
      errors: ["system_role_immutable", "last_role_manager"],
      async handler(ctx) {
        const { role_id: id, body } = ctx.params;
        if (body.permissions) storedPermissions(body.permissions);
        const role = await roles.forWrite(id);
        if (body.permissions && role.permissions.includes(WILDCARD)) throw refusal("system_role_immutable");
        // Every holder of the role would gain administration (conventions §5).
        const becomes = { ...role, permissions: body.permissions ?? role.permissions };
        if (!isGuarded(role) && isGuarded(becomes)) requireUnrestricted(ctx.meta.principal);
        const changed = changedValues(role, body);
        if (changed) {
          queueUpdate(Role, id, changed);
          audit("role.update", { role, detail: permissionChanges(role.permissions, changed.permissions ?? role.permissions) });
          if (changed.permissions) await requireAnAdministrator();
        }
        return roles.answerWith(id);
      },
    }),

    remove: action({
      rest: "DELETE /roles/:role_id",
      summary: "Delete a custom role",
      description: "Its holders keep their other roles.",
      permission: "settings.roles.manage",
      errors: ["system_role_immutable", "last_role_manager"],
      async handler(ctx) {
        const id = ctx.params.role_id;
        const role = await roles.forWrite(id);
        if (role.is_system) throw refusal("system_role_immutable");
        queueRemove(Role, id);
        audit("role.delete", { role, detail: { permissions: role.permissions } });
        await requireAnAdministrator();
      },
    }),
  },
});

import { JsonText } from "../../../core/database/json-text.ts";
import { action } from "../../../core/declare/action.ts";
import { permissions } from "../../../core/declare/permissions.ts";
import { service } from "../../../mixins/resource.ts";
import { PermissionCatalog } from "../schemas.ts";

const groups = [...new Set(permissions.map(({ group }) => group))];
const catalogue = {
  permissions: permissions.map(({ key, scopes, group, position }) => ({
    key,
    scopes,
    label_key: `permissions.${key}`,
    group,
    position,
  })),
  groups,
};
const text = JSON.stringify(catalogue);

export default service("permissions", {
  actions: {
    catalog: action({
      rest: "GET /permissions/catalog",
      summary: "Every permission that can be granted",
      open: "code-defined, holds no organisation data",
      returns: PermissionCatalog,
      handler: () => new JsonText(text),
    }),
  },
});

import { openAction } from "../../../core/declare/makers/open-action.ts";
import { permissions } from "../../../core/declare/permissions.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { service } from "../../../mixins/resource.ts";
import { PermissionCatalog } from "../schemas.ts";

/** The answer, serialised once: the catalogue does not change while the process runs. */
let text: JsonText | undefined;

function written(): JsonText {
  const all = permissions();
  const shown = all.map(({ key, scopes, group, position }) => ({
    key,
    scopes,
    label_key: `permissions.${key}`,
    group,
    position,
  }));
  return new JsonText(JSON.stringify({ permissions: shown, groups: [...new Set(all.map(({ group }) => group))] }));
}

export default service("permissions", {
  actions: {
    catalog: openAction({
      rest: "GET /permissions/catalog",
      summary: "Every permission that can be granted",
      open: "code-defined, contains no organisation data",
      returns: PermissionCatalog,
      handler: () => (text ??= written()),
    }),
  },
});

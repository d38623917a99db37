import { JsonText } from "../../../core/database/json-text.ts";
import { sinceQuery } from "../../../core/database/lists/list.ts";
import { columns } from "../../../core/database/model.ts";
import { jsonArray, projection } from "../../../core/database/projection.ts";
import { queryOne } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import { differing, insert, remove, update } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { invalid } from "../../../core/declare/errors.ts";
import { choice, flag, list, optional, readInstant } from "../../../core/declare/schema.ts";
import { resource, rowsOf } from "../../../mixins/resource.ts";
import { Provider } from "./models.ts";
import { PROVIDER_KINDS, ProviderCreate, ProviderRead, ProviderUpdate } from "./provider-schemas.ts";

const shown = projection({ model: Provider, schema: ProviderRead });
const providers = rowsOf({ model: Provider, projection: shown });

const LIST = statement(
  `select ${jsonArray(
    shown.rows(`(select ${columns(Provider)} from providers where organisation_id = $1 and (active or $2)
      and ($3::text is null or kind = $3) and ($4::timestamptz is null or updated_at >= $4::timestamptz)
      order by position, name collate kantoor_text, id)`),
  )} as items`,
);

/** @throws 422 `name` if blank */
function requireName(name: string | undefined): void {
  if (name?.trim() === "") throw invalid({ name: "errors.validation" });
}

export default resource("providers", {
  model: Provider,
  actions: {
    list: action({
      rest: "GET /providers",
      summary: "List providers, by position and name",
      permission: "settings.providers.read",
      query: { kind: optional(choice(PROVIDER_KINDS)), include_inactive: optional(flag(false)), ...sinceQuery },
      returns: list(ProviderRead),
      async handler(ctx) {
        const { kind = null, include_inactive: all = false, updated_since: since } = ctx.params;
        const values = [ctx.meta.organisation.id, all, kind, since === undefined ? null : readInstant(since)];
        return new JsonText((await queryOne<{ items: string }>(LIST, values))?.items ?? "[]");
      },
    }),

    get: action({
      rest: "GET /providers/:provider_id",
      summary: "Read one provider",
      permission: "settings.providers.read",
      returns: ProviderRead,
      handler: (ctx) => providers.one(ctx.params.provider_id),
    }),

    create: action({
      rest: "POST /providers",
      summary: "Add a provider",
      permission: "settings.providers.manage",
      body: ProviderCreate,
      example: { kind: "hosting", name: "Polderhost" },
      returns: ProviderRead,
      async handler(ctx) {
        requireName(ctx.params.body.name);
        return providers.written(insert(Provider, ctx.params.body));
      },
    }),

    update: action({
      rest: "PATCH /providers/:provider_id",
      summary: "Change a provider; its kind stays",
      permission: "settings.providers.manage",
      body: ProviderUpdate,
      example: { active: false },
      returns: ProviderRead,
      async handler(ctx) {
        const { provider_id: id, body } = ctx.params;
        requireName(body.name);
        const before = await providers.forWrite(id);
        const changed = differing(before, { ...body, config: body.config === null ? {} : body.config });
        if (changed) update(Provider, id, changed);
        return providers.written(id);
      },
    }),

    remove: action({
      rest: "DELETE /providers/:provider_id",
      summary: "Delete a provider; records that named it name none",
      permission: "settings.providers.manage",
      async handler(ctx) {
        const id = ctx.params.provider_id;
        await providers.forWrite(id);
        remove(Provider, id);
      },
    }),
  },
});

import { sinceQuery } from "../../../core/database/lists/list.ts";
import { projection } from "../../../core/database/projection.ts";
import { differences, queueInsert, queueRemove, queueUpdate } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { choice, flag, list, optional } from "../../../core/schema/schema.ts";
import { reportLostReferences } from "../../../core/trail/lost-references.ts";
import { resource, rowsOf } from "../../../mixins/resource.ts";
import { Provider } from "./models.ts";
import { PROVIDER_KINDS, ProviderCreate, ProviderRead, ProviderUpdate } from "./provider-schemas.ts";

const shown = projection({ model: Provider, schema: ProviderRead });
const providers = rowsOf({
  model: Provider,
  projection: shown,
  whole: { order: "t.position, t.name collate kantoor_text, t.id", by: { active: "boolean", kind: "text" } },
});

export default resource("providers", {
  model: Provider,
  actions: {
    list: action({
      rest: "GET /providers",
      summary: "List providers, by position and name",
      permission: "settings.providers.read",
      query: { kind: optional(choice(PROVIDER_KINDS)), include_inactive: optional(flag(false)), ...sinceQuery },
      returns: list(ProviderRead),
      handler({ params: { kind, include_inactive: all, updated_since } }) {
        return providers.all({ active: all ? undefined : true, kind, updated_since });
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
        return providers.answerWith(queueInsert(Provider, ctx.params.body));
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
        const before = await providers.forWrite(id);
        const changed = differences(before, { ...body, config: body.config === null ? {} : body.config });
        if (changed) queueUpdate(Provider, id, changed);
        return providers.answerWith(id);
      },
    }),

    remove: action({
      rest: "DELETE /providers/:provider_id",
      summary: "Delete a provider; records that named it name none",
      permission: "settings.providers.manage",
      async handler(ctx) {
        const id = ctx.params.provider_id;
        await providers.forWrite(id);
        await reportLostReferences(Provider, [id]);
        queueRemove(Provider, id);
      },
    }),
  },
});

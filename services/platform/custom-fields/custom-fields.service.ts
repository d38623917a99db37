import { customEntityTypes } from "../../../core/custom-fields/definitions.ts";
import { sinceQuery } from "../../../core/database/lists/list.ts";
import { columns, type RowOf } from "../../../core/database/model.ts";
import { jsonArray, projection } from "../../../core/database/projection.ts";
import { queryOne } from "../../../core/database/query.ts";
import { differences, queueInsert, queueRemove, queueUpdate } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { flag, label, list, map, optional, Type } from "../../../core/schema/schema.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { statement } from "../../../core/sql/statement.ts";
import { changesOf, trail } from "../../../core/trail/trail.ts";
import { resource, rowsOf } from "../../../mixins/resource.ts";
import { Definition } from "./custom-field-model.ts";
import { definitionValues } from "./custom-field-rules.ts";
import { CustomFieldDefinitionCreate, CustomFieldDefinitionRead, CustomFieldDefinitionUpdate } from "./custom-field-schemas.ts";

const shown = projection({ model: Definition, schema: CustomFieldDefinitionRead });
const definitions = rowsOf({
  model: Definition,
  projection: shown,
  whole: { order: "t.position, t.key", of: { entity_type: "text" }, by: { active: "boolean" } },
});

const BATCH = statement(
  `select json_object_agg(w.entity_type, ${jsonArray(
    shown.rows(`(select ${columns(Definition)} from custom_field_definitions where organisation_id = $1 and entity_type = w.entity_type and (active or $3)
      order by position, key)`),
  )}::json)::text as items from (select distinct unnest($2::text[])) w(entity_type)`,
);

const includeInactive = { include_inactive: optional(flag(false)) };
const nameOf = ({ entity_type, key }: Pick<RowOf<typeof Definition>, "entity_type" | "key">) => ({ entity_type, key });

export default resource("custom-fields", {
  model: Definition,
  actions: {
    list: action({
      rest: "GET /custom-fields/definitions",
      summary: "List the custom fields of an entity type",
      permission: "settings.customfields.read",
      query: { entity_type: label(64), ...includeInactive, ...sinceQuery },
      returns: list(CustomFieldDefinitionRead),
      handler({ params: { entity_type, include_inactive: all, updated_since } }) {
        return definitions.all({ entity_type, active: all ? undefined : true, updated_since });
      },
    }),

    batch: action({
      rest: "GET /custom-fields/definitions/batch",
      summary: "List the custom fields of several entity types",
      description: "Every requested type is in the answer, with an empty list if it has no fields.",
      permission: "settings.customfields.read",
      query: { entity_type: Type.Array(label(64), { minItems: 1, maxItems: 100 }), ...includeInactive },
      returns: map(list(CustomFieldDefinitionRead)),
      async handler(ctx) {
        const { entity_type: entityTypes, include_inactive: all = false } = ctx.params;
        const row = await queryOne<{ items: string }>(BATCH, [ctx.meta.organisation.id, entityTypes, all]);
        return new JsonText(row?.items ?? "{}");
      },
    }),

    entityTypes: action({
      rest: "GET /custom-fields/entity-types",
      summary: "The kinds of record that can have custom fields",
      permission: "settings.customfields.read",
      returns: list(Type.String()),
      handler: () => customEntityTypes(),
    }),

    create: action({
      rest: "POST /custom-fields/definitions",
      summary: "Add a custom field",
      description: "A field of a kind of record without custom fields is stored but applies nowhere.",
      permission: "settings.customfields.write",
      body: CustomFieldDefinitionCreate,
      example: {
        entity_type: "company",
        key: "account_tier",
        data_type: "select",
        label_i18n: { nl: "Pakket", en: "Tier" },
        options_json: [{ value: "basic" }, { value: "pro" }],
      },
      returns: CustomFieldDefinitionRead,
      errors: ["conflict"],
      async handler(ctx) {
        const { body } = ctx.params;
        const { entity_type, key } = body;
        const id = queueInsert(Definition, { ...definitionValues(body), entity_type, key });
        trail("custom_field", id, "created", { entity_type, key });
        return definitions.answerWith(id);
      },
    }),

    update: action({
      rest: "PATCH /custom-fields/definitions/:definition_id",
      summary: "Change a custom field; its key and entity type stay",
      description: "Stored values stay unchanged: one that no longer fits is refused when it is sent again.",
      permission: "settings.customfields.write",
      body: CustomFieldDefinitionUpdate,
      returns: CustomFieldDefinitionRead,
      async handler(ctx) {
        const id = ctx.params.definition_id;
        const before = await definitions.forWrite(id);
        const changed = differences(before, definitionValues(ctx.params.body));
        if (!changed) return definitions.answerWith(id);
        queueUpdate(Definition, id, changed);
        trail("custom_field", id, "updated", { ...nameOf(before), changes: changesOf(Definition.tracked, before, changed) });
        return definitions.answerWith(id);
      },
    }),

    remove: action({
      rest: "DELETE /custom-fields/definitions/:definition_id",
      summary: "Delete a custom field",
      description: "Stored values stay readable.",
      permission: "settings.customfields.write",
      async handler(ctx) {
        const id = ctx.params.definition_id;
        const before = await definitions.forWrite(id);
        queueRemove(Definition, id);
        trail("custom_field", id, "deleted", nameOf(before));
      },
    }),
  },
});

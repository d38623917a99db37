import { sinceQuery } from "../../../../core/database/lists/list.ts";
import { projection } from "../../../../core/database/projection.ts";
import { queryOne } from "../../../../core/database/query.ts";
import { differences, queueInsert, queueRemove, queueUpdate } from "../../../../core/database/write.ts";
import { action } from "../../../../core/declare/action.ts";
import { flag, list, optional } from "../../../../core/schema/schema.ts";
import { JsonText } from "../../../../core/sql/json-text.ts";
import { resource, rowsOf } from "../../../../mixins/resource.ts";
import { TimeEntryType } from "../models.ts";
import { TimeEntryTypeCreate, TimeEntryTypeRead, TimeEntryTypeUpdate } from "./entry-type-schemas.ts";
import { SEEDED, seedEntryTypes } from "./entry-types.ts";

const shown = projection({ model: TimeEntryType, schema: TimeEntryTypeRead });
const types = rowsOf({
  model: TimeEntryType,
  projection: shown,
  whole: { order: "t.position, t.key", by: { active: "boolean" }, also: SEEDED },
});

type Listed = { seeded: boolean; items: string };

export default resource("time.entry-types", {
  model: TimeEntryType,
  actions: {
    list: action({
      rest: "GET /time/entry-types",
      summary: "List the types of entries, by position",
      description: "The first use creates the types `work` and `email`.",
      permission: "time.entry_type.read",
      query: { include_inactive: optional(flag(false)), ...sinceQuery },
      returns: list(TimeEntryTypeRead),
      writes: true,
      async handler(ctx) {
        const { include_inactive: all, updated_since } = ctx.params;
        const listed = types.allBound({ active: all ? undefined : true, updated_since });
        let found = await queryOne<Listed>(...listed);
        if (!found?.seeded) {
          seedEntryTypes();
          found = await queryOne<Listed>(...listed);
        }
        return new JsonText(found?.items ?? "[]");
      },
    }),

    create: action({
      rest: "POST /time/entry-types",
      summary: "Create a type of entry",
      permission: "time.entry_type.manage",
      body: TimeEntryTypeCreate,
      returns: TimeEntryTypeRead,
      errors: ["conflict"],
      handler(ctx) {
        seedEntryTypes();
        return types.answerWith(queueInsert(TimeEntryType, ctx.params.body));
      },
    }),

    update: action({
      rest: "PATCH /time/entry-types/:type_id",
      summary: "Change a type of entry; its key stays",
      description: "Entries keep an inactive type; new ones cannot use it.",
      permission: "time.entry_type.manage",
      body: TimeEntryTypeUpdate,
      returns: TimeEntryTypeRead,
      async handler(ctx) {
        const id = ctx.params.type_id;
        const before = await types.forWrite(id);
        const { label_i18n: labels, ...sent } = ctx.params.body;
        const changed = differences(before, { ...sent, label_i18n: labels === null ? {} : labels });
        if (changed) queueUpdate(TimeEntryType, id, changed);
        return types.answerWith(id);
      },
    }),

    remove: action({
      rest: "DELETE /time/entry-types/:type_id",
      summary: "Delete a type of entry",
      description: "Refused while any entry uses it.",
      permission: "time.entry_type.manage",
      errors: ["conflict errors.time_entry_type_in_use"],
      async handler(ctx) {
        const id = ctx.params.type_id;
        await types.forWrite(id);
        queueRemove(TimeEntryType, id);
      },
    }),
  },
});

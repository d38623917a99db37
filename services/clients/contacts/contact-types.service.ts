import { sinceQuery } from "../../../core/database/lists/list.ts";
import { projection } from "../../../core/database/projection.ts";
import { differences, queueInsert, queueRemove, queueUpdate } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { flag, list, optional } from "../../../core/schema/schema.ts";
import { reportLostReferences } from "../../../core/trail/lost-references.ts";
import { resource, rowsOf } from "../../../mixins/resource.ts";
import { ContactType } from "../models.ts";
import { ContactTypeCreate, ContactTypeRead, ContactTypeUpdate } from "./contact-schemas.ts";

const shown = projection({ model: ContactType, schema: ContactTypeRead });
const types = rowsOf({ model: ContactType, projection: shown, whole: { order: "t.position, t.key", by: { active: "boolean" } } });

export default resource("contacts.types", {
  model: ContactType,
  actions: {
    list: action({
      rest: "GET /contacts/types",
      summary: "List the types of links to contacts",
      permission: "contacts.type.read",
      query: { include_inactive: optional(flag(false)), ...sinceQuery },
      returns: list(ContactTypeRead),
      handler({ params: { include_inactive: all, updated_since } }) {
        return types.all({ active: all ? undefined : true, updated_since });
      },
    }),

    create: action({
      rest: "POST /contacts/types",
      summary: "Create a contact type",
      permission: "contacts.type.manage",
      body: ContactTypeCreate,
      returns: ContactTypeRead,
      errors: ["conflict"],
      handler: (ctx) => types.answerWith(queueInsert(ContactType, ctx.params.body)),
    }),

    update: action({
      rest: "PATCH /contacts/types/:type_id",
      summary: "Change a contact type; its key stays",
      description: "Links keep an inactive type, and can still be set to it.",
      permission: "contacts.type.manage",
      body: ContactTypeUpdate,
      returns: ContactTypeRead,
      async handler(ctx) {
        const id = ctx.params.type_id;
        const before = await types.forWrite(id);
        const { label_i18n: labels, ...sent } = ctx.params.body;
        const changed = differences(before, { ...sent, label_i18n: labels === null ? {} : labels });
        if (changed) queueUpdate(ContactType, id, changed);
        return types.answerWith(id);
      },
    }),

    remove: action({
      rest: "DELETE /contacts/types/:type_id",
      summary: "Delete a contact type; links lose it",
      permission: "contacts.type.manage",
      async handler(ctx) {
        const id = ctx.params.type_id;
        await types.forWrite(id);
        await reportLostReferences(ContactType, [id]);
        queueRemove(ContactType, id);
      },
    }),
  },
});

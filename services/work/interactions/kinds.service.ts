import { sinceQuery } from "../../../core/database/lists/list.ts";
import { projection } from "../../../core/database/projection.ts";
import { differences, queueInsert, queueRemove, queueUpdate } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { conflict } from "../../../core/errors/errors.ts";
import { flag, list, optional } from "../../../core/schema/schema.ts";
import { resource, rowsOf } from "../../../mixins/resource.ts";
import { InteractionKindCreate, InteractionKindRead, InteractionKindUpdate } from "./interaction-schemas.ts";
import { seedKinds } from "./kinds.ts";
import { InteractionKind } from "./models.ts";

const shown = projection({ model: InteractionKind, schema: InteractionKindRead });
const kinds = rowsOf({
  model: InteractionKind,
  projection: shown,
  whole: { order: "t.position, t.key", by: { active: "boolean" } },
});

const protectedKind = () => conflict("errors.interactions_kind_protected");

export default resource("interactions.kinds", {
  model: InteractionKind,
  actions: {
    list: action({
      rest: "GET /interactions/kinds",
      summary: "List the kinds of contact moments",
      description: "The first read makes the kinds an organisation starts with.",
      permission: "interactions.kind.read",
      query: { include_inactive: optional(flag(false)), ...sinceQuery },
      returns: list(InteractionKindRead),
      writes: true,
      licenceExempt: "a read that seeds",
      async handler(ctx) {
        const { include_inactive: all, updated_since } = ctx.params;
        seedKinds();
        return kinds.all({ active: all ? undefined : true, updated_since });
      },
    }),

    create: action({
      rest: "POST /interactions/kinds",
      summary: "Add a kind of contact moment",
      permission: "interactions.kind.manage",
      body: InteractionKindCreate,
      returns: InteractionKindRead,
      errors: ["conflict"],
      handler(ctx) {
        seedKinds();
        return kinds.answerWith(queueInsert(InteractionKind, ctx.params.body));
      },
    }),

    update: action({
      rest: "PATCH /interactions/kinds/:kind_id",
      summary: "Change a kind; its key stays",
      permission: "interactions.kind.manage",
      body: InteractionKindUpdate,
      returns: InteractionKindRead,
      errors: ["conflict errors.interactions_kind_protected"],
      async handler(ctx) {
        const id = ctx.params.kind_id;
        const before = await kinds.forWrite(id);
        const { label_i18n: labels, ...sent } = ctx.params.body;
        if (before.is_protected && sent.active === false) throw protectedKind();
        const changed = differences(before, { ...sent, label_i18n: labels === null ? {} : labels });
        if (changed) queueUpdate(InteractionKind, id, changed);
        return kinds.answerWith(id);
      },
    }),

    remove: action({
      rest: "DELETE /interactions/kinds/:kind_id",
      summary: "Delete a kind that no contact moment has",
      permission: "interactions.kind.manage",
      errors: ["conflict errors.interactions_kind_protected", "conflict errors.interactions_kind_in_use"],
      async handler(ctx) {
        const id = ctx.params.kind_id;
        if ((await kinds.forWrite(id)).is_protected) throw protectedKind();
        // The foreign key refuses to delete a kind in use.
        queueRemove(InteractionKind, id);
      },
    }),
  },
});

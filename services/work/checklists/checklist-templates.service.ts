import { sinceQuery } from "../../../core/database/lists/list.ts";
import { projection } from "../../../core/database/projection.ts";
import { differences, queueInsert, queueRemove, queueUpdate } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { list, type Static } from "../../../core/schema/schema.ts";
import { resource, rowsOf } from "../../../mixins/resource.ts";
import { ChecklistTemplate, type TemplateItem } from "../task-models.ts";
import {
  ChecklistTemplateCreate,
  ChecklistTemplateRead,
  ChecklistTemplateUpdate,
  type TemplateChecklistItem,
} from "./checklist-schemas.ts";
import { storedDescription } from "./checklist-writes.ts";

const shown = projection({ model: ChecklistTemplate, schema: ChecklistTemplateRead });
const templates = rowsOf({ model: ChecklistTemplate, projection: shown, whole: { order: "t.title collate kantoor_text, t.id" } });

/** Items as a template stores them. */
export const storedItems = (items: readonly Static<typeof TemplateChecklistItem>[]): TemplateItem[] =>
  items.map(({ title, description }) => ({ title, description: storedDescription(description) }));

export default resource("tasks.checklist_templates", {
  model: ChecklistTemplate,
  actions: {
    list: action({
      rest: "GET /tasks/checklist-templates",
      summary: "List checklist templates by title",
      permission: "tasks.task.write",
      query: sinceQuery,
      returns: list(ChecklistTemplateRead),
      handler: ({ params: { updated_since } }) => templates.all({ updated_since }),
    }),

    create: action({
      rest: "POST /tasks/checklist-templates",
      summary: "Create a checklist template",
      permission: "tasks.checklist_template.write",
      body: ChecklistTemplateCreate,
      returns: ChecklistTemplateRead,
      handler(ctx) {
        const { title, items = [] } = ctx.params.body;
        return templates.answerWith(queueInsert(ChecklistTemplate, { title, items: storedItems(items) }));
      },
    }),

    update: action({
      rest: "PATCH /tasks/checklist-templates/:template_id",
      summary: "Change a checklist template; items in the request replace all of them",
      permission: "tasks.checklist_template.write",
      body: ChecklistTemplateUpdate,
      returns: ChecklistTemplateRead,
      async handler(ctx) {
        const { template_id: id, body } = ctx.params;
        const before = await templates.forWrite(id);
        const changed = differences(before, { title: body.title, items: body.items && storedItems(body.items) });
        if (changed) queueUpdate(ChecklistTemplate, id, changed);
        return templates.answerWith(id);
      },
    }),

    remove: action({
      rest: "DELETE /tasks/checklist-templates/:template_id",
      summary: "Delete a checklist template; checklists made from it stay",
      permission: "tasks.checklist_template.write",
      async handler(ctx) {
        const id = ctx.params.template_id;
        await templates.forWrite(id);
        queueRemove(ChecklistTemplate, id);
      },
    }),
  },
});

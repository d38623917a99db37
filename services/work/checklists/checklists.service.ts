import { query, queryOne } from "../../../core/database/query.ts";
import { differences, queueRemove, queueUpdate } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { invalid, notFound } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { trail } from "../../../core/trail/trail.ts";
import { resource } from "../../../mixins/resource.ts";
import { lockTaskForPart } from "../task-access.ts";
import { Checklist, type TemplateItem } from "../task-models.ts";
import { insertedAfter, reordered } from "./checklist-order.ts";
import { CHECKLISTS, idsInOrder, putInOrder } from "./checklist-order-writes.ts";
import { checklists, lockChecklist, touchHolders } from "./checklist-rows.ts";
import {
  ChecklistCreate,
  ChecklistDuplicate,
  ChecklistOrder,
  ChecklistOrderRead,
  ChecklistRead,
  ChecklistUpdate,
} from "./checklist-schemas.ts";
import { addChecklist, type NewItem, placeChecklist, storedDescription } from "./checklist-writes.ts";

const TEMPLATE = statement("select title, items from task_checklist_templates where organisation_id = $1 and id = $2");
const ITEMS_OF = statement(`select title, description from task_checklist_items where organisation_id = $1 and checklist_id = $2
  order by position, created_at, id`);

interface Template {
  title: string;
  items: TemplateItem[];
}

async function templateOf(id: string): Promise<Template> {
  const template = await queryOne<Template>(TEMPLATE, [request().organisation.id, id]);
  if (!template) throw notFound();
  return template;
}

/** The items of a checklist, in order, for a copy. */
const itemsOf = (checklistId: string): Promise<NewItem[]> =>
  query<{ title: string; description: string | null }>(ITEMS_OF, [request().organisation.id, checklistId]);

export default resource("tasks.checklists", {
  model: Checklist,
  actions: {
    create: action({
      rest: "POST /tasks/:task_id/checklists",
      summary: "Add a checklist to a task",
      description: "With a title, or from a template, whose items are added unticked.",
      permission: "tasks.task.write",
      body: ChecklistCreate,
      returns: ChecklistRead,
      async handler(ctx) {
        const { task_id: taskId, body } = ctx.params;
        if (!body.title && !body.template_id) throw invalid({ title: "errors.required" });
        await lockTaskForPart(taskId);
        const template = body.template_id ? await templateOf(body.template_id) : null;
        const title = body.title ?? (template as Template).title;
        const id = addChecklist(taskId, { title, description: body.description, items: template?.items ?? [] });
        touchHolders(taskId);
        return checklists.answerWith(id);
      },
    }),

    order: action({
      rest: "POST /tasks/:task_id/checklists/order",
      summary: "Put the checklists of a task in order",
      description: "Those named come first in that order, the others follow in the order they have.",
      permission: "tasks.task.write",
      body: ChecklistOrder,
      returns: ChecklistOrderRead,
      status: 200,
      async handler(ctx) {
        const { task_id: taskId, body } = ctx.params;
        await lockTaskForPart(taskId);
        const ids = reordered(await idsInOrder(CHECKLISTS, taskId), body.checklist_ids);
        putInOrder(CHECKLISTS, ids);
        touchHolders(taskId);
        return { ids };
      },
    }),

    update: action({
      rest: "PATCH /tasks/:task_id/checklists/:checklist_id",
      summary: "Change a checklist",
      permission: "tasks.task.write",
      body: ChecklistUpdate,
      returns: ChecklistRead,
      async handler(ctx) {
        const { task_id: taskId, checklist_id: id, body } = ctx.params;
        await lockTaskForPart(taskId);
        const before = await lockChecklist(taskId, id);
        const described = body.description === undefined ? {} : { description: storedDescription(body.description) };
        const changed = differences(before, { title: body.title, position: body.position, ...described });
        if (changed) {
          queueUpdate(Checklist, id, changed);
          touchHolders(taskId);
          if (changed.title !== undefined) trail("task", taskId, "checklist_renamed", { from: before.title, to: changed.title });
        }
        return checklists.answerWith(id);
      },
    }),

    remove: action({
      rest: "DELETE /tasks/:task_id/checklists/:checklist_id",
      summary: "Remove a checklist with its items",
      permission: "tasks.task.write",
      async handler(ctx) {
        const { task_id: taskId, checklist_id: id } = ctx.params;
        await lockTaskForPart(taskId);
        const { title } = await lockChecklist(taskId, id);
        queueRemove(Checklist, id);
        touchHolders(taskId);
        trail("task", taskId, "checklist_deleted", { title });
      },
    }),

    duplicate: action({
      rest: "POST /tasks/:task_id/checklists/:checklist_id/duplicate",
      summary: "Copy a checklist within its task",
      description: "The copy is placed directly after its source, with the same items, unticked.",
      permission: "tasks.task.write",
      body: ChecklistDuplicate,
      returns: ChecklistRead,
      async handler(ctx) {
        const { task_id: taskId, checklist_id: sourceId, body } = ctx.params;
        await lockTaskForPart(taskId);
        const source = await lockChecklist(taskId, sourceId);
        const [items, order] = await Promise.all([itemsOf(sourceId), idsInOrder(CHECKLISTS, taskId)]);
        const title = body.title ?? source.title;
        const id = placeChecklist(taskId, { title, description: source.description, items });
        putInOrder(CHECKLISTS, insertedAfter(order, sourceId, id));
        touchHolders(taskId);
        trail("task", taskId, "checklist_duplicated", { from: source.title, to: title });
        return checklists.answerWith(id);
      },
    }),
  },
});

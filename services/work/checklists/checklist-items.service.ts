import { newId } from "../../../core/database/model.ts";
import { enqueue } from "../../../core/database/query.ts";
import { differences, queueRemove, queueUpdate } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { trail } from "../../../core/trail/trail.ts";
import { resource } from "../../../mixins/resource.ts";
import { lockTaskForPart } from "../task-access.ts";
import { ChecklistItem } from "../task-models.ts";
import { reordered } from "./checklist-order.ts";
import { ITEMS, idsInOrder, LAST_PLACE, putInOrder } from "./checklist-order-writes.ts";
import { items, lockItem, requireChecklist, touchHolders } from "./checklist-rows.ts";
import {
  ChecklistItemCreate,
  ChecklistItemOrder,
  ChecklistItemRead,
  ChecklistItemUpdate,
  ChecklistOrderRead,
} from "./checklist-schemas.ts";
import { storedDescription } from "./checklist-writes.ts";

const ADD = statement(`insert into task_checklist_items (id, organisation_id, checklist_id, title, description, position)
  select $1, $2, $3, $4, $5, ${LAST_PLACE} from task_checklist_items t
   where t.organisation_id = $2 and t.checklist_id = $3`);

/** Records an item's rename and completion in the trail; changes of position and description are not recorded (work chapter §3.7). */
function emitChange(
  taskId: string,
  before: { title: string },
  { title = before.title, done }: { title?: string | undefined; done?: boolean | undefined },
): void {
  if (title !== before.title) trail("task", taskId, "checklist_item_renamed", { title, from: before.title, to: title });
  if (done !== undefined) trail("task", taskId, done ? "checklist_item_completed" : "checklist_item_reopened", { title });
}

export default resource("tasks.checklist_items", {
  model: ChecklistItem,
  actions: {
    create: action({
      rest: "POST /tasks/:task_id/checklists/:checklist_id/items",
      summary: "Add an item to a checklist",
      permission: "tasks.task.write",
      body: ChecklistItemCreate,
      returns: ChecklistItemRead,
      async handler(ctx) {
        const { task_id: taskId, checklist_id: checklistId, body } = ctx.params;
        await lockTaskForPart(taskId);
        await requireChecklist(taskId, checklistId);
        const id = newId();
        const { title, description } = body;
        enqueue(ADD, [id, request().organisation.id, checklistId, title, storedDescription(description)]);
        touchHolders(taskId, checklistId);
        trail("task", taskId, "checklist_item_added", { title });
        return items.answerWith(id);
      },
    }),

    order: action({
      rest: "POST /tasks/:task_id/checklists/:checklist_id/items/order",
      summary: "Put the items of a checklist in order",
      description: "Those named come first in that order, the others follow in the order they have.",
      permission: "tasks.task.write",
      body: ChecklistItemOrder,
      returns: ChecklistOrderRead,
      status: 200,
      async handler(ctx) {
        const { task_id: taskId, checklist_id: checklistId, body } = ctx.params;
        await lockTaskForPart(taskId);
        await requireChecklist(taskId, checklistId);
        const ids = reordered(await idsInOrder(ITEMS, checklistId), body.item_ids);
        putInOrder(ITEMS, ids);
        touchHolders(taskId, checklistId);
        return { ids };
      },
    }),

    update: action({
      rest: "PATCH /tasks/:task_id/checklists/:checklist_id/items/:item_id",
      summary: "Change an item, tick it or open it again",
      permission: "tasks.task.write",
      body: ChecklistItemUpdate,
      returns: ChecklistItemRead,
      async handler(ctx) {
        const { task_id: taskId, checklist_id: checklistId, item_id: id, body } = ctx.params;
        await lockTaskForPart(taskId);
        const before = await lockItem(taskId, checklistId, id);
        const { description, ...rest } = body;
        const described = description === undefined ? {} : { description: storedDescription(description) };
        const changed = differences(before, { ...rest, ...described });
        if (changed) {
          queueUpdate(ChecklistItem, id, changed);
          touchHolders(taskId, checklistId);
          emitChange(taskId, before, changed);
        }
        return items.answerWith(id);
      },
    }),

    remove: action({
      rest: "DELETE /tasks/:task_id/checklists/:checklist_id/items/:item_id",
      summary: "Remove an item",
      permission: "tasks.task.write",
      async handler(ctx) {
        const { task_id: taskId, checklist_id: checklistId, item_id: id } = ctx.params;
        await lockTaskForPart(taskId);
        const { title } = await lockItem(taskId, checklistId, id);
        queueRemove(ChecklistItem, id);
        touchHolders(taskId, checklistId);
        trail("task", taskId, "checklist_item_deleted", { title });
      },
    }),
  },
});

import { sinceQuery } from "../../../core/database/lists/list.ts";
import { projection } from "../../../core/database/projection.ts";
import { enqueue } from "../../../core/database/query.ts";
import { differences, queueInsert, queueRemove, queueUpdate } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { request } from "../../../core/request/context.ts";
import { list } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { reportLostReferences } from "../../../core/trail/lost-references.ts";
import { resource, rowsOf } from "../../../mixins/resource.ts";
import { lockTask } from "../task-access.ts";
import { TaskLabel } from "../task-models.ts";
import { LabelCreate, LabelRead, LabelUpdate, TaskLabelsSet } from "./label-schemas.ts";
import { relabel } from "./label-writes.ts";

const shown = projection({ model: TaskLabel, schema: LabelRead });
const labels = rowsOf({
  model: TaskLabel,
  projection: shown,
  whole: {
    order: "t.position, t.name collate kantoor_text, t.id",
    by: {
      task: {
        type: "uuid",
        when: (slot) =>
          `t.id in (select o.label_id from task_label_links o where o.organisation_id = $1 and o.task_id = ${slot})`,
      },
    },
  },
});

/** A task shows its labels, so deleting a label changes it. */
const TOUCH_TASKS =
  statement(`update tasks set version = version + 1, updated_at = statement_timestamp() where organisation_id = $1
  and id in (select task_id from task_label_links where organisation_id = $1 and label_id = $2)`);

export default resource("tasks.labels", {
  model: TaskLabel,
  actions: {
    list: action({
      rest: "GET /tasks/labels",
      summary: "List the labels of tasks, in their order",
      permission: "tasks.task.read",
      query: { ...sinceQuery },
      returns: list(LabelRead),
      handler: ({ params: { updated_since } }) => labels.all({ updated_since }),
    }),

    create: action({
      rest: "POST /tasks/labels",
      summary: "Add a label",
      permission: "tasks.label.write",
      body: LabelCreate,
      returns: LabelRead,
      errors: ["conflict"],
      handler: (ctx) => labels.answerWith(queueInsert(TaskLabel, ctx.params.body)),
    }),

    update: action({
      rest: "PATCH /tasks/labels/:label_id",
      summary: "Change a label",
      permission: "tasks.label.write",
      body: LabelUpdate,
      returns: LabelRead,
      errors: ["conflict"],
      async handler(ctx) {
        const id = ctx.params.label_id;
        const changed = differences(await labels.forWrite(id), ctx.params.body);
        if (changed) queueUpdate(TaskLabel, id, changed);
        return labels.answerWith(id);
      },
    }),

    remove: action({
      rest: "DELETE /tasks/labels/:label_id",
      summary: "Delete a label; it comes off the tasks that have it",
      permission: "tasks.label.write",
      async handler(ctx) {
        const id = ctx.params.label_id;
        await labels.forWrite(id);
        await reportLostReferences(TaskLabel, [id]);
        enqueue(TOUCH_TASKS, [request().organisation.id, id]);
        queueRemove(TaskLabel, id);
      },
    }),

    set: action({
      rest: "PUT /tasks/:task_id/labels",
      summary: "Set exactly these labels on a task",
      permission: "tasks.task.write",
      body: TaskLabelsSet,
      returns: list(LabelRead),
      async handler(ctx) {
        const { id } = await lockTask(ctx.params.task_id);
        await relabel(id, ctx.params.body.label_ids);
        return labels.all({ task: id });
      },
    }),
  },
});

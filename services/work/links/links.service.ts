import { projection } from "../../../core/database/projection.ts";
import { lock, queueRemove, touch } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { requireMatch } from "../../../core/http/etag.ts";
import { trail } from "../../../core/trail/trail.ts";
import { resource, rowsOf } from "../../../mixins/resource.ts";
import { lockTaskForPart } from "../task-access.ts";
import { Task, TaskLink } from "../task-models.ts";
import { TaskLinkCreate, TaskLinkRead } from "./link-schemas.ts";
import { readLinkUrl } from "./link-url.ts";
import { addLink } from "./link-writes.ts";

const links = rowsOf({ model: TaskLink, projection: projection({ model: TaskLink, schema: TaskLinkRead }) });

export default resource("tasks.links", {
  model: TaskLink,
  actions: {
    create: action({
      rest: "POST /tasks/:task_id/links",
      summary: "Add a link to a task",
      description: "An address without a scheme gets `https://`.",
      permission: "tasks.task.write",
      body: TaskLinkCreate,
      returns: TaskLinkRead,
      async handler(ctx) {
        const { task_id: taskId, body } = ctx.params;
        const url = readLinkUrl(body.url);
        await lockTaskForPart(taskId);
        const id = addLink(taskId, { url, title: body.title });
        touch(Task, taskId);
        return links.answerWith(id);
      },
    }),

    remove: action({
      rest: "DELETE /tasks/:task_id/links/:link_id",
      summary: "Remove a link from a task",
      permission: "tasks.task.write",
      async handler(ctx) {
        const { task_id: taskId, link_id: id } = ctx.params;
        await lockTaskForPart(taskId);
        const link = await lock(TaskLink, id, "t.task_id = $3", [taskId]);
        if (!link) throw notFound();
        requireMatch(link.version);
        queueRemove(TaskLink, id);
        touch(Task, taskId);
        trail("task", taskId, "link_deleted", { title: link.title ?? link.url });
      },
    }),
  },
});

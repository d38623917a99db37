import { action } from "../../../core/declare/action.ts";
import { resource } from "../../../mixins/resource.ts";
import { lockTask } from "../task-access.ts";
import { Task } from "../task-models.ts";
import { blockersOf } from "./blocker-rows.ts";
import { TaskBlockersRead, TaskBlockersSet } from "./blocker-schemas.ts";
import { setBlockers } from "./blocker-writes.ts";

export default resource("tasks.blockers", {
  model: Task,
  actions: {
    get: action({
      rest: "GET /tasks/:task_id/blockers",
      summary: "What a task waits for, and what waits for it",
      description: "Tasks that the caller does not see are left out; the filter `blocked` of the list counts them.",
      permission: "tasks.task.read",
      returns: TaskBlockersRead,
      handler: (ctx) => blockersOf().one(ctx.params.task_id),
    }),

    set: action({
      rest: "PUT /tasks/:task_id/blockers",
      summary: "Set the tasks that a task waits for",
      description:
        "Replaces those that the caller sees; the rest stays. The tasks can be of any project and client, but a task cannot wait for itself, directly or through others. When the last of them is finished or deleted, the event `task.unblocked` tells the roster of the waiting task. Nothing keeps a blocked task from being finished.",
      permission: "tasks.task.write",
      body: TaskBlockersSet,
      returns: TaskBlockersRead,
      async handler(ctx) {
        const { id } = await lockTask(ctx.params.task_id);
        await setBlockers(id, ctx.params.body.task_ids);
        return blockersOf().answerWith(id);
      },
    }),
  },
});

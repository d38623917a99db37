import { sinceQuery } from "../../../core/database/lists/list.ts";
import { projection } from "../../../core/database/projection.ts";
import { enqueue, queryOne } from "../../../core/database/query.ts";
import { differences, queueRemove, queueUpdate } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { conflict } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { list } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { resource, rowsOf } from "../../../mixins/resource.ts";
import { TaskStatus } from "../task-models.ts";
import { addStatus, lockStatuses, seedStatuses, storedStatuses } from "./status-rows.ts";
import { StatusCreate, StatusRead, StatusUpdate } from "./status-schemas.ts";

const shown = projection({ model: TaskStatus, schema: StatusRead });
const statuses = rowsOf({ model: TaskStatus, projection: shown, whole: { order: "t.position, t.key" } });

const UNMARK = statement(`update task_statuses set is_default = false, version = version + 1, updated_at = statement_timestamp()
  where organisation_id = $1 and is_default and id is distinct from $2`);
const IN_USE = statement(`select 1 from tasks t join task_statuses s on s.organisation_id = t.organisation_id and s.key = t.status
  where s.organisation_id = $1 and s.id = $2 limit 1`);

/**
 * When a status becomes finished or open, so do its tasks (work chapter §3.2, `completed_at`). Reopened ones lose their closing moment, so
 * that the next close needs its own, unless the status itself requires one (work chapter §3.4).
 */
const COMPLETE = statement(`update tasks set completed_at = case when $3::boolean then statement_timestamp() end,
    closing_interaction_id = case when $3::boolean or $4::boolean then closing_interaction_id end,
    version = version + 1, updated_at = statement_timestamp()
  where organisation_id = $1 and status = $2 and (completed_at is null) = $3::boolean`);

/** Unmarks the current default status. @param id the new default, if it exists already */
const unmarkOthers = (id: string | null): void => enqueue(UNMARK, [request().organisation.id, id]);

export default resource("tasks.statuses", {
  model: TaskStatus,
  actions: {
    list: action({
      rest: "GET /tasks/statuses",
      summary: "List the statuses of tasks, in their order",
      description: "An organisation starts with three; the first read makes them.",
      permission: "tasks.task.read",
      query: { ...sinceQuery },
      returns: list(StatusRead),
      writes: true,
      async handler(ctx) {
        const { updated_since } = ctx.params;
        const [rules, listed] = await Promise.all([storedStatuses(), statuses.all({ updated_since })]);
        if (rules.length > 0) return listed;
        seedStatuses();
        return statuses.all({ updated_since });
      },
    }),

    create: action({
      rest: "POST /tasks/statuses",
      summary: "Add a status; setting it as default unsets the others",
      permission: "tasks.status.write",
      body: StatusCreate,
      returns: StatusRead,
      errors: ["conflict"],
      async handler(ctx) {
        const { body } = ctx.params;
        seedStatuses();
        if (body.is_default) {
          await lockStatuses();
          unmarkOthers(null);
        }
        return statuses.answerWith(addStatus(body));
      },
    }),

    update: action({
      rest: "PATCH /tasks/statuses/:status_id",
      summary: "Change a status; its key stays",
      description: "When a status becomes finished, its tasks are completed now; when it becomes open, they are reopened.",
      permission: "tasks.status.write",
      body: StatusUpdate,
      returns: StatusRead,
      async handler(ctx) {
        const id = ctx.params.status_id;
        const { body } = ctx.params;
        if (body.is_default) await lockStatuses();
        const before = await statuses.forWrite(id);
        const changed = differences(before, body);
        if (changed?.is_default) unmarkOthers(id);
        if (changed) queueUpdate(TaskStatus, id, changed);
        if (changed?.is_terminal !== undefined) {
          const { is_terminal, requires_interaction } = { ...before, ...changed };
          enqueue(COMPLETE, [request().organisation.id, before.key, is_terminal, requires_interaction]);
        }
        return statuses.answerWith(id);
      },
    }),

    remove: action({
      rest: "DELETE /tasks/statuses/:status_id",
      summary: "Delete a status",
      description: "Refused while a task has it, and for the last one.",
      permission: "tasks.status.write",
      errors: ["conflict errors.status_in_use", "conflict errors.status_last"],
      async handler(ctx) {
        const id = ctx.params.status_id;
        const all = await lockStatuses();
        await statuses.forWrite(id);
        const used = await queryOne(IN_USE, [request().organisation.id, id]);
        if (used) throw conflict("errors.status_in_use");
        if (all.length === 1) throw conflict("errors.status_last");
        queueRemove(TaskStatus, id);
      },
    }),
  },
});

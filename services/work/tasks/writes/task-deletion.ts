import { query } from "../../../../core/database/query.ts";
import { queueRemove } from "../../../../core/database/write.ts";
import { runHooks } from "../../../../core/declare/catalogue/catalogue.ts";
import { emitAll } from "../../../../core/jobs/outbox.ts";
import { request } from "../../../../core/request/context.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { reportLostReferences } from "../../../../core/trail/lost-references.ts";
import { reportChange } from "../../../../core/trail/record-changes.ts";
import { releaseWaiting } from "../../blockers/blocker-writes.ts";
import type { Block } from "../../planning/block-rows.ts";
import { blockPayload } from "../../planning/block-writes.ts";
import { Task } from "../../task-models.ts";
import { taskRows } from "../task-rows.ts";

const BLOCKS = statement(`select id, task_id, user_id, starts_at, ends_at, note from task_schedules
  where organisation_id = $1 and task_id = $2 order by starts_at, id`);

/**
 * Deletes a task with its parts, and notifies the calendar mirror of the deleted blocks; time entries remain, without a task.
 * @throws 404, 412
 */
export async function removeTask(id: string): Promise<void> {
  const { title } = await taskRows().forWrite(id);
  const blocks = await query<Block>(BLOCKS, [request().organisation.id, id]);
  emitAll(
    "schedule.gone",
    "task_schedule",
    blocks.map((block) => ({ entityId: block.id, payload: blockPayload(block, title) })),
  );
  await releaseWaiting(id);
  await reportLostReferences(Task, [id]);
  queueRemove(Task, id);
  reportChange("task", [id], "deleted");
  await runHooks("task.date_dropped", { task_id: id });
}

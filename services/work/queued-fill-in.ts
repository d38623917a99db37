import { enqueue } from "../../core/database/query.ts";
import { schedule } from "../../core/jobs/jobs.ts";
import { request } from "../../core/request/context.ts";
import { statement } from "../../core/sql/statement.ts";
import type { LockedTask } from "./task-access.ts";
import type { AiStatus } from "./task-models.ts";

/** The job that fills in a task. */
export const FILL_IN = "tasks.fill-in";

const STATUS = statement(`update tasks set ai_status = $3, ai_status_at = statement_timestamp()
  where organisation_id = $1 and id = $2 and ai_status is distinct from $3`);

/** Sets where the fill-in of a task stands, and since when; the same value again keeps its moment. */
export const setFillIn = (id: string, status: AiStatus): void => enqueue(STATUS, [request().organisation.id, id, status]);

/**
 * Queues the fill-in of a task from a message filed to it, scheduled when this transaction commits. Does nothing if a fill-in is already
 * queued or running.
 * @param task locked by a caller with permission to change it
 */
export function queueFillIn({ id, ai_status }: LockedTask, interactionId: string): void {
  if (ai_status === "queued" || ai_status === "running") return;
  setFillIn(id, "queued");
  schedule(FILL_IN, { task_id: id, interaction_id: interactionId }, { key: id });
}

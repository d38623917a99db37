import { query, queryOne } from "../../../core/database/query.ts";
import { invalid } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { reportChange } from "../../../core/trail/record-changes.ts";
import { forStaffAndClients } from "../visibility.ts";
import { inSelection } from "./interaction.list.ts";

const CLOSING = forStaffAndClients((clients) =>
  statement(`select t.id, t.subject from interactions t where t.organisation_id = $1 and t.id = $3 and t.task_id = $2 and t.status = 'logged'
    and ($4::uuid[] is null or ${inSelection(clients, "$4::uuid[]")}) for share of t`),
);
/** Waits for a task that is being finished, and then sees its new status. */
const RELEASE = statement(`with released as (
    update tasks set closing_interaction_id = null, version = version + 1, updated_at = statement_timestamp()
     where organisation_id = $1 and closing_interaction_id = any($2::uuid[]) returning organisation_id, id, status)
  select r.id, s.is_terminal from released r join task_statuses s on s.organisation_id = r.organisation_id and s.key = r.status`);

/**
 * Takes contact moments that move to another task off the open tasks that designated them, which then need one of their own to close (work
 * chapter §3.4). Refuses to move them away from the tasks they closed.
 * @param ids locked moments that move to another task
 * @throws 422 `task_id: errors.tasks_closing_interaction_required`
 */
export async function releaseFromTasks(ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const released = await query<{ id: string; is_terminal: boolean }>(RELEASE, [request().organisation.id, ids]);
  if (released.some(({ is_terminal }) => is_terminal)) throw invalid({ task_id: "errors.tasks_closing_interaction_required" });
  const tasks = released.map(({ id }) => id);
  if (tasks.length > 0) reportChange("task", tasks, "updated", ["closing_interaction_id"]);
}

/**
 * A contact moment that can close a task: linked to it and visible to the team (work chapter §3.4). Undefined for any other, and for one
 * outside the caller's selection, because the trail would show its subject. Locks the moment against refiling until the request ends.
 */
export const closingMoment = (
  taskId: string,
  interactionId: string,
): Promise<{ id: string; subject: string | null } | undefined> =>
  queryOne(CLOSING(), [request().organisation.id, taskId, interactionId, request().principal?.selection ?? null]);

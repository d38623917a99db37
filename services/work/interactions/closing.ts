import { queryOne } from "../../../core/database/query.ts";
import { invalid } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { byCaller } from "../visibility.ts";
import { inSelection } from "./interaction.list.ts";

const CLOSING = byCaller((clients) =>
  statement(`select t.id, t.subject from interactions t where t.organisation_id = $1 and t.id = $3 and t.task_id = $2 and t.status = 'logged'
    and ($4::uuid[] is null or ${inSelection(clients, "$4::uuid[]")}) for share of t`),
);
const CLOSED_BY = statement(`select 1 from tasks k
    join task_statuses s on s.organisation_id = k.organisation_id and s.key = k.status and s.is_terminal
   where k.organisation_id = $1 and k.closing_interaction_id = any($2::uuid[]) limit 1`);

/**
 * Refuses to move contact moments away from the tasks they closed (work chapter §3.4).
 * @param ids locked moments that move to another task
 * @throws 422 `task_id: errors.tasks_closing_interaction_required`
 */
export async function requireNotClosing(ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  if (await queryOne(CLOSED_BY, [request().organisation.id, ids]))
    throw invalid({ task_id: "errors.tasks_closing_interaction_required" });
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

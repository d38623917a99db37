import { queryOne } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import { request } from "../../../core/request/context.ts";
import { byCaller } from "../visibility.ts";
import { inSelection } from "./interaction.list.ts";

const CLOSING = byCaller((clients) =>
  statement(`select t.id, t.subject from interactions t where t.organisation_id = $1 and t.id = $3 and t.task_id = $2 and t.status = 'logged'
    and ($4::uuid[] is null or ${inSelection(clients, "$4::uuid[]")})`),
);

/**
 * A contact moment that may close a task: linked to it, and visible to the team (work chapter §3.4). Undefined for any other, and for one
 * that the caller's selection hides, whose subject would stand in the trail.
 */
export const closingMoment = (
  taskId: string,
  interactionId: string,
): Promise<{ id: string; subject: string | null } | undefined> =>
  queryOne(CLOSING(), [request().organisation.id, taskId, interactionId, request().principal?.selection ?? null]);

import { queryOne } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import { request } from "../../../core/request/context.ts";

const CLOSING = statement(
  "select id, subject from interactions where organisation_id = $1 and id = $3 and task_id = $2 and status = 'logged'",
);

/** A contact moment that may close a task: linked to it and visible to the team. Undefined for any other (work chapter §3.4). */
export const closingMoment = (
  taskId: string,
  interactionId: string,
): Promise<{ id: string; subject: string | null } | undefined> =>
  queryOne(CLOSING, [request().organisation.id, taskId, interactionId]);

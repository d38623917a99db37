import type { IsoDate } from "../../../core/calendar/calendar.ts";
import { enqueue, query, queryOne } from "../../../core/database/query.ts";
import { queueInsert, touch } from "../../../core/database/write.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { addChecklist } from "../checklists/checklist-writes.ts";
import { addLink } from "../links/link-writes.ts";
import { setFillIn } from "../queued-fill-in.ts";
import { lockTask } from "../task-access.ts";
import { Comment, Task } from "../task-models.ts";
import { changeTask } from "../tasks/writes/task-changes.ts";
import { additionsTo, addsNothing, type Suggested } from "./generated.ts";

/** The input of a fill-in: the message and the current task. */
export interface Material {
  title: string;
  description: string | null;
  subject: string | null;
  text: string;
  participants: readonly { readonly email: string | null; readonly name: string | null; readonly role: string }[];
  occurred_at: string;
}

const FAIL = statement(`update tasks set ai_status = 'failed', ai_status_at = statement_timestamp()
  where organisation_id = $1 and id = $2 and ai_status in ('queued', 'running')`);
/** Starts only if the message is logged and still belongs to the task. */
const BEGIN = statement(`update tasks t set ai_status = 'running', ai_status_at = statement_timestamp()
  from interactions i
  where t.organisation_id = $1 and t.id = $2 and t.ai_status in ('queued', 'running')
    and i.organisation_id = $1 and i.id = $3 and i.task_id = t.id and i.status = 'logged'
  returning t.title, t.description, i.subject, coalesce(i.body_text, i.snippet, '') as text, i.participants, i.occurred_at`);
const LINKS = statement("select url from task_links where organisation_id = $1 and task_id = $2");

const place = (id: string): [string, string] => [request().organisation.id, id];

/** Marks a fill-in as running and returns its input; undefined if it is over or the message no longer belongs to the task. */
export const beginFillIn = (id: string, interactionId: string): Promise<Material | undefined> =>
  queryOne<Material>(BEGIN, [...place(id), interactionId]);

/** Marks an unfinished fill-in as failed. */
export const failFillIn = (id: string): void => enqueue(FAIL, place(id));

/**
 * Writes the allowed additions of a suggestion as the system, without notifying anyone. Writes nothing if the fill-in has since been given
 * up.
 * @param message the text that the suggestion was made from
 * @throws 404 if the task is gone
 */
export async function finishFillIn(id: string, suggested: Suggested, message: string, today: IsoDate): Promise<void> {
  const task = await lockTask(id);
  if (task.ai_status !== "running") return;
  const links = (await query<{ url: string }>(LINKS, place(id))).map(({ url }) => url);
  const additions = additionsTo({ ...task, links }, suggested, { message, today });
  if (addsNothing(additions)) return setFillIn(id, "skipped");
  const { description, due_date, requires_interaction, checklist, comment } = additions;
  const isChanged = await changeTask(
    task,
    {
      ...(description !== null && { description }),
      ...(due_date !== null && { due_date }),
      ...(requires_interaction !== null && { requires_interaction }),
    },
    undefined,
    { isAutomated: true },
  );
  if (checklist) addChecklist(id, checklist);
  for (const link of additions.links) addLink(id, link);
  if (comment !== null) queueInsert(Comment, { task_id: id, body: comment });
  if (!isChanged) touch(Task, id);
  setFillIn(id, "done");
}

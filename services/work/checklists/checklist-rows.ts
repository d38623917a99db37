import { projection } from "../../../core/database/projection.ts";
import { query } from "../../../core/database/query.ts";
import { lock, touch } from "../../../core/database/write.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { requireMatch } from "../../../core/http/etag.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { rowsOf } from "../../../mixins/resource.ts";
import { Checklist, ChecklistItem, Task } from "../task-models.ts";
import { ChecklistItemRead, ChecklistRead } from "./checklist-schemas.ts";

const checklistShown = projection({
  model: Checklist,
  schema: ChecklistRead,
  columns: { items: "held.items" },
  joins: `left join lateral (
    select coalesce(json_agg(json_build_object('id', i.id, 'title', i.title, 'description', i.description, 'done', i.done,
                                               'position', i.position) order by i.position, i.created_at, i.id), '[]') as items
      from task_checklist_items i where i.organisation_id = t.organisation_id and i.checklist_id = t.id) held on true`,
});

/**
 * SQL that selects the checklists of task `id` as response rows, by position, then age (work chapter §3.6).
 * @param organisation SQL for the organisation
 * @param id SQL for the task
 */
export const checklistsOf = (organisation: string, id: string): string =>
  checklistShown.rows(`(select c.id, c.organisation_id, c.title, c.description, c.position from task_checklists c
    where c.organisation_id = ${organisation} and c.task_id = ${id} order by c.position, c.created_at, c.id)`);

export const checklists = rowsOf({ model: Checklist, projection: checklistShown });
export const items = rowsOf({
  model: ChecklistItem,
  projection: projection({ model: ChecklistItem, schema: ChecklistItemRead }),
});

/** Locks a checklist of this task and checks `If-Match`. @throws 404 for a checklist of another task, 412 */
export async function lockChecklist(taskId: string, id: string) {
  const row = await lock(Checklist, id, "t.task_id = $3", [taskId]);
  if (!row) throw notFound();
  requireMatch(row.version);
  return row;
}

const HAS_CHECKLIST = statement("select 1 from task_checklists where organisation_id = $1 and id = $2 and task_id = $3");

/** @throws 404 for a checklist of another task */
export async function requireChecklist(taskId: string, id: string): Promise<void> {
  const found = await query(HAS_CHECKLIST, [request().organisation.id, id, taskId]);
  if (found.length === 0) throw notFound();
}

/** Locks an item of this task's checklist and checks `If-Match`. @throws 404 for an item of another parent, 412 */
export async function lockItem(taskId: string, checklistId: string, id: string) {
  const row = await lock(
    ChecklistItem,
    id,
    `t.checklist_id = $3 and exists (select 1 from task_checklists c
      where c.organisation_id = t.organisation_id and c.id = t.checklist_id and c.task_id = $4)`,
    [checklistId, taskId],
  );
  if (!row) throw notFound();
  requireMatch(row.version);
  return row;
}

/** Marks the task, and the given checklist, as changed: both include the changed rows. */
export function touchHolders(taskId: string, checklistId?: string): void {
  if (checklistId !== undefined) touch(Checklist, checklistId);
  touch(Task, taskId);
}

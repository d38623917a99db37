import { columns, newId, type OwnOf } from "../../../core/database/model.ts";
import { projection } from "../../../core/database/projection.ts";
import { enqueue, query } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { blankToNull } from "../../../core/values/text.ts";
import { rowsOf } from "../../../mixins/resource.ts";
import { storedDescription } from "../checklists/checklist-writes.ts";
import { TaskTemplate, TaskTemplateItem } from "../task-models.ts";
import { TaskTemplateRead, type TemplateItemBase } from "./template-schemas.ts";

/** A task of a template as stored, without its template and position. */
export type TemplateTask = Omit<OwnOf<typeof TaskTemplateItem>, "template_id" | "position">;

const TASK = Object.keys(TaskTemplateItem.columns).filter(
  (name) => !["organisation_id", "version", "created_at", "updated_at", "template_id"].includes(name),
);

const shown = projection({
  model: TaskTemplate,
  schema: TaskTemplateRead,
  columns: { items: "held.items" },
  joins: `left join lateral (
    select coalesce(json_agg(json_build_object(${TASK.map((name) => `'${name}', i.${name}`).join(", ")}) order by i.position, i.id),
                    '[]') as items
      from task_template_items i where i.organisation_id = t.organisation_id and i.template_id = t.id) held on true`,
});

export const templates = rowsOf({
  model: TaskTemplate,
  projection: shown,
  whole: { order: "t.name collate kantoor_text, t.id" },
});

const TASKS_OF =
  statement(`select ${columns(TaskTemplateItem)} from task_template_items where organisation_id = $1 and template_id = $2
  order by position, id`);
const CLEAR = statement("delete from task_template_items where organisation_id = $1 and template_id = $2");
const PUT = statement(`insert into task_template_items (id, organisation_id, template_id, position, title, description, priority,
    relative_due_days, allocated_minutes, assignee_user_id, assign_responsible, requires_interaction, checklist_title, checklist_items)
  select i.id, $1, $2, i.position, i.title, i.description, i.priority, i.relative_due_days, i.allocated_minutes, i.assignee_user_id,
         i.assign_responsible, i.requires_interaction, i.checklist_title, i.checklist_items
    from jsonb_to_recordset($3::jsonb) i (id uuid, position int, title text, description text, priority text, relative_due_days int,
      allocated_minutes int, assignee_user_id uuid, assign_responsible boolean, requires_interaction boolean, checklist_title text,
      checklist_items jsonb)`);

/** The sent tasks of a template as stored. */
export const templateTasks = (sent: readonly Static<typeof TemplateItemBase>[]): TemplateTask[] =>
  sent.map((item) => ({
    title: item.title,
    description: storedDescription(item.description),
    priority: item.priority ?? "normal",
    relative_due_days: item.relative_due_days ?? null,
    allocated_minutes: item.allocated_minutes ?? null,
    assignee_user_id: item.assignee_user_id?.toLowerCase() ?? null,
    assign_responsible: item.assign_responsible ?? false,
    requires_interaction: item.requires_interaction ?? false,
    checklist_title: blankToNull(item.checklist_title) ?? null,
    checklist_items: (item.checklist_items ?? []).map(({ title, description }) => ({
      title,
      description: storedDescription(description),
    })),
  }));

/** The stored tasks of a template, in order. */
export async function tasksOf(templateId: string): Promise<TemplateTask[]> {
  const rows = await query<TemplateTask & { id: string }>(TASKS_OF, [request().organisation.id, templateId]);
  return rows.map((row) => pick(row));
}

const OWN = TASK.filter((name) => name !== "id" && name !== "position") as (keyof TemplateTask)[];
const pick = (row: TemplateTask): TemplateTask =>
  Object.fromEntries(OWN.map((name) => [name, row[name]])) as unknown as TemplateTask;

/** Replaces the tasks of a template, in the given order. @param isNew true for a template without tasks */
export function storeTasks(templateId: string, tasks: readonly TemplateTask[], isNew = false): void {
  const place = [request().organisation.id, templateId];
  if (!isNew) enqueue(CLEAR, place);
  const rows = tasks.map((task, position) => ({ ...task, id: newId(), position }));
  if (rows.length > 0) enqueue(PUT, [...place, JSON.stringify(rows)]);
}

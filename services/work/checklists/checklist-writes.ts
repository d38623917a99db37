import { newId } from "../../../core/database/model.ts";
import { enqueue } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { trail } from "../../../core/trail/trail.ts";
import { withoutHtml } from "../../../core/values/text.ts";
import { LAST_PLACE } from "./checklist-order-writes.ts";

/** A new item, from a request body, a template or another checklist. */
export interface NewItem {
  readonly title: string;
  readonly description?: string | null | undefined;
}

/** A new checklist with its items. */
export interface NewChecklist extends NewItem {
  readonly items: readonly NewItem[];
}

const ADD = statement(`insert into task_checklists (id, organisation_id, task_id, title, description, position)
  select $1, $2, $3, $4, $5, ${LAST_PLACE} from task_checklists t where t.organisation_id = $2 and t.task_id = $3`);
const ADD_ITEMS = statement(`insert into task_checklist_items (id, organisation_id, checklist_id, title, description, position)
  select i.id, $1, $2, i.title, i.description, (i.n - 1)::int
    from unnest($3::uuid[], $4::text[], $5::text[]) with ordinality i(id, title, description, n)`);

/** A description as stored: markdown without HTML, or null if blank. */
export const storedDescription = (text: string | null | undefined): string | null => {
  const kept = withoutHtml(text ?? "");
  return kept.trim() === "" ? null : kept;
};

/**
 * Appends a checklist with its items, unticked and in the given order, to a task. The caller locks the task and writes the trail.
 * @returns its id
 */
export function placeChecklist(taskId: string, { title, description, items }: NewChecklist): string {
  const id = newId();
  const organisationId = request().organisation.id;
  enqueue(ADD, [id, organisationId, taskId, title, storedDescription(description)]);
  if (items.length > 0)
    enqueue(ADD_ITEMS, [
      organisationId,
      id,
      items.map(() => newId()),
      items.map((item) => item.title),
      items.map((item) => storedDescription(item.description)),
    ]);
  return id;
}

/** Adds a checklist to a task that the caller has locked, and records it in the trail. @returns its id */
export function addChecklist(taskId: string, checklist: NewChecklist): string {
  trail("task", taskId, "checklist_created", { title: checklist.title });
  return placeChecklist(taskId, checklist);
}

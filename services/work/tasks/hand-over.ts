import { query } from "../../../core/database/query.ts";
import { queueUpdate, touch } from "../../../core/database/write.ts";
import type { Hook } from "../../../core/declare/hooks.ts";
import { request } from "../../../core/request/context.ts";
import { handedOver } from "../../../core/rules/roster.ts";
import { statement } from "../../../core/sql/statement.ts";
import { reportChange } from "../../../core/trail/record-changes.ts";
import { trail } from "../../../core/trail/trail.ts";
import { OPEN, onRoster } from "../open-tasks.ts";
import { type LockedTask, lockSeenTask } from "../task-access.ts";
import { Task, TaskTemplate } from "../task-models.ts";
import { carriesFor } from "./open-work.service.ts";
import { changeTask } from "./writes/task-changes.ts";

const TASKS = statement(`select t.id, ${OPEN} and ${onRoster("$2::uuid")} as is_task, ${carriesFor("$2::uuid")} as is_series
  from tasks t where t.organisation_id = $1 and (${OPEN} and ${onRoster("$2::uuid")} or ${carriesFor("$2::uuid")}) order by t.id`);
const TEMPLATES = statement(`with changed as (update task_template_items set assignee_user_id = $3, version = version + 1,
      updated_at = statement_timestamp()
    where organisation_id = $1 and assignee_user_id = $2 returning template_id)
  select distinct template_id as id from changed`);

/** A plan of a series for one person becomes one for another. */
function movePlan({ id, recurrence }: LockedTask, from: string, to: string): void {
  if (recurrence?.plan?.user_id !== from) return;
  queueUpdate(Task, id, { recurrence: { ...recurrence, plan: { ...recurrence.plan, user_id: to } } });
  trail("task", id, "updated", { changed: ["recurrence"] });
  reportChange("task", [id], "updated", ["recurrence"]);
}

/** Hands a member's open tasks, series and templates over; each task as an ordinary change of it. */
export const handOverTasks: Hook<"membership.handing_over"> = async ({ from, to, moved }) => {
  const place = [request().organisation.id, from];
  const found = await query<{ id: string; is_task: boolean; is_series: boolean }>(TASKS, place);
  for (const { id } of found) {
    const before = await lockSeenTask(id);
    const isNamed = before.roster.some(({ user_id }) => user_id === from);
    movePlan(before, from, to);
    if (isNamed) await changeTask(before, { assignees: handedOver(before.roster, from, to) });
  }
  const templates = await query<{ id: string }>(TEMPLATES, [...place, to]);
  for (const { id } of templates) touch(TaskTemplate, id);
  moved.push(
    { kind: "task", count: found.filter(({ is_task }) => is_task).length },
    { kind: "series", count: found.filter(({ is_series }) => is_series).length },
    { kind: "template", count: templates.length },
  );
};

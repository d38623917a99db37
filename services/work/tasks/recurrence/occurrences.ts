import { attempt } from "../../../../core/database/connection/savepoint.ts";
import { enqueue } from "../../../../core/database/query.ts";
import { request } from "../../../../core/request/context.ts";
import { organisationToday, organisationZone } from "../../../../core/request/today.ts";
import { type Assignee, primaryOf } from "../../../../core/rules/roster.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { trail } from "../../../../core/trail/trail.ts";
import { ableAmong, remainingRoster } from "../../../../mixins/assignees.ts";
import { planBlock } from "../../planning/block-writes.ts";
import { plannedBlock } from "../../planning/planned-blocks.ts";
import { defaultStatus, type StatusRules } from "../../statuses/status-moves.ts";
import type { StoredTask } from "../../task-access.ts";
import { storeTask } from "../new-task.ts";
import { hasNextDate, nextOccurrence, type Recurrence } from "./recurrence.ts";

/** The database generates the ids of copies, in the order of their originals. */
const COPY_LABELS = statement(`insert into task_label_links (organisation_id, task_id, label_id)
  select o.organisation_id, $3, o.label_id from task_label_links o where o.organisation_id = $1 and o.task_id = $2`);
const COPY_LINKS = statement(`insert into task_links (id, organisation_id, task_id, url, title)
  select uuidv7(), o.organisation_id, $3, o.url, o.title from task_links o
   where o.organisation_id = $1 and o.task_id = $2 order by o.created_at, o.id`);
const COPY_CHECKLISTS = statement(`with copies as materialized (
    select uuidv7() as id, o.id as source, o.title, o.description, o.position from task_checklists o
     where o.organisation_id = $1 and o.task_id = $2 order by o.position, o.created_at, o.id),
  made as (insert into task_checklists (id, organisation_id, task_id, title, description, position)
    select c.id, $1, $3, c.title, c.description, c.position from copies c)
  insert into task_checklist_items (id, organisation_id, checklist_id, title, description, position)
  select uuidv7(), $1, c.id, i.title, i.description, i.position
    from copies c join task_checklist_items i on i.organisation_id = $1 and i.checklist_id = c.source
   order by c.position, i.position, i.created_at, i.id`);

/** The fields that an occurrence copies from the previous task (work chapter §3.9). */
type Copied =
  | "title"
  | "unnamed"
  | "description"
  | "priority"
  | "company_id"
  | "project_id"
  | "assignee_contact_id"
  | "allocated_minutes"
  | "requires_interaction"
  | "visible_to_client";

/** A task that passes its rule on to the next occurrence. */
export type Carrier = Pick<StoredTask, "id" | "due_date" | Copied> & { readonly roster: readonly Assignee[] };

/** The rule of the next occurrence: a plan for a person who cannot get work any more is for the starred one from then on. */
async function ruleStill(rule: Recurrence): Promise<Recurrence> {
  const person = rule.plan?.user_id;
  if (!rule.plan || !person || (await ableAmong([person])).has(person)) return rule;
  return { ...rule, plan: { ...rule.plan, user_id: null } };
}

/**
 * Creates the next occurrence of a recurring task, in a fixed number of statements however much it copies (work chapter §3.9). The caller
 * has locked the carrier and removes its rule in the same transaction.
 */
export async function makeOccurrence(carrier: Carrier, rule: Recurrence, statuses: readonly StatusRules[]): Promise<void> {
  const { id: source } = carrier;
  const people = await remainingRoster(carrier.roster);
  const recurrence = await ruleStill(rule);
  const today = organisationToday();
  const { due_date, recurrence_next_run } = nextOccurrence(recurrence, carrier.due_date, today);
  const { title, unnamed, description, priority, company_id, project_id } = carrier;
  const { assignee_contact_id, allocated_minutes, requires_interaction, visible_to_client } = carrier;
  const values = {
    title,
    unnamed,
    description,
    priority,
    company_id,
    project_id,
    assignee_contact_id,
    allocated_minutes,
    requires_interaction,
    visible_to_client,
    status: (defaultStatus(statuses) as StatusRules).key,
    due_date,
    recurrence,
    recurrence_next_run,
  };
  const id = await storeTask(values, people, { action: "recurrence_spawned", payload: { source_task_id: source } });
  for (const copy of [COPY_LABELS, COPY_LINKS, COPY_CHECKLISTS]) enqueue(copy, [request().organisation.id, source, id]);
  trail("task", source, "recurrence_spawned_next", { next_task_id: id, due_date });
  await bookPlan(id, recurrence, due_date, primaryOf(people.roster), today);
}

/** Creates the occurrence that follows a finished task; without a next date the series ends with the task. */
export async function continueSeries(carrier: Carrier, recurrence: Recurrence, statuses: readonly StatusRules[]): Promise<void> {
  if (hasNextDate(recurrence, carrier.due_date, organisationToday())) await makeOccurrence(carrier, recurrence, statuses);
}

/** Books the block that the rule plans, if possible; a failed booking never loses the occurrence. */
async function bookPlan(
  taskId: string,
  rule: Recurrence,
  due_date: string,
  starred: string | null,
  today: string,
): Promise<void> {
  const block = plannedBlock(rule, { due_date, assignee_user_id: starred }, today, organisationZone());
  if (!rule.plan || !block) return;
  const { start_time, duration_minutes } = rule.plan;
  await attempt(() => planBlock({ task_id: taskId, user_id: block.user_id, day: due_date, start_time, duration_minutes }));
}

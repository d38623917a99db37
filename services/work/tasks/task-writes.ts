import type { InsertOf } from "../../../core/database/model.ts";
import { queryOne } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import { trail } from "../../../core/database/trail.ts";
import { insert } from "../../../core/database/write.ts";
import type { Static } from "../../../core/declare/schema.ts";
import { emit } from "../../../core/jobs/outbox.ts";
import { request } from "../../../core/request/context.ts";
import { organisationToday } from "../../../core/request/today.ts";
import type { Assignee } from "../../../core/values/roster.ts";
import { addChecklist, storedDescription } from "../checklists/checklist-writes.ts";
import { giveLabels } from "../labels/label-writes.ts";
import { addLink } from "../links/link-writes.ts";
import { starredOf } from "../projects/project-defaults.ts";
import { requirePlanAllowed } from "../recurrence/plan-permission.ts";
import { requireReferences } from "../references.ts";
import { createdRoster, inheritedRoster } from "../rosters/roster.ts";
import { requireMembers } from "../rosters/roster-rows.ts";
import { statusRules } from "../statuses/status-rows.ts";
import { requireContactAssignee } from "./contact-assignee.ts";
import { Task } from "./models.ts";
import { nextRun, readRecurrence } from "./recurrence.ts";
import { initialStatus } from "./status-moves.ts";
import { requireWritable, taskRosters } from "./task-access.ts";
import type { TaskCreate } from "./task-schemas.ts";

/** Between two neighbours there is room for others. */
const STEP = 1024;
const LAST = statement("select max(position) as position from tasks where organisation_id = $1");

/** What the trail says about a new task in place of `created`. */
export interface Origin {
  action: string;
  payload: Record<string, unknown>;
}

/** The place behind every task of the organisation (work chapter §3.2). */
export async function lastPosition(): Promise<number> {
  const found = await queryOne<{ position: number | null }>(LAST, [request().organisation.id]);
  return (found?.position ?? 0) + STEP;
}

/** Writes a task whose values the rules have passed, with its roster, its line in the trail and its events. @returns its id */
export function storeTask(values: InsertOf<typeof Task>, roster: readonly Assignee[], origin?: Origin): string {
  const id = insert(Task, values);
  taskRosters.store(id, roster, true);
  trail("task", id, origin?.action ?? "created", origin?.payload);
  const { title, status, company_id = null, project_id = null } = values;
  emit("task.created", "task", id, { task_id: id, title, status, company_id, project_id });
  const recipients = roster.map(({ user_id }) => user_id);
  if (recipients.length > 0) emit("task.assigned", "task", id, { task_id: id, title, recipients });
  return id;
}

/** The roster of a new task: as sent, else, without a contact, the starred person of the project or the client (work chapter §3.3). */
async function rosterOf(body: Static<typeof TaskCreate>): Promise<Assignee[]> {
  const sent = createdRoster(body, body.assignee_user_id);
  await requireMembers((sent ?? []).map(({ user_id }) => user_id));
  await requireContactAssignee(body.assignee_contact_id ?? null, body.company_id ?? null, sent ?? []);
  return sent ?? (body.assignee_contact_id ? [] : inheritedRoster(await starredOf(body)));
}

/** Writes what a body holds beside the task itself. @throws 403 for a caller who may not change the new task; 404, 422 of the parts */
async function addParts(id: string, body: Static<typeof TaskCreate>, roster: readonly Assignee[], isOwn: boolean) {
  const { checklist, links = [], label_ids: labels = [], title } = body;
  const items = checklist?.items ?? [];
  const hasChecklist = Boolean(checklist?.title) || items.length > 0;
  if (!hasChecklist && links.length + labels.length === 0) return;
  if (isOwn) requireWritable(roster);
  if (hasChecklist) addChecklist(id, { title: checklist?.title ?? [...title].slice(0, 255).join(""), items });
  for (const link of links) addLink(id, link);
  await giveLabels(id, labels);
}

/**
 * Creates a task from a validated body, with its parts, in one transaction (work chapter §3.3). Every path that makes a task from a body
 * comes through here.
 * @param origin for a task that something else than a caller's own create makes: its parts need no write access then
 * @returns the new id
 * @throws 400, 403, 404, 422 of the rules; nothing is written then
 */
export async function createTask(body: Static<typeof TaskCreate>, origin?: Origin): Promise<string> {
  await requireReferences(body);
  const roster = await rosterOf(body);
  const statuses = await statusRules();
  const requires_interaction = body.requires_interaction ?? false;
  const now = new Date().toISOString();
  const first = initialStatus(body.status, requires_interaction, { statuses, now });
  const recurrence = body.recurrence ? readRecurrence(body.recurrence) : null;
  await requirePlanAllowed(recurrence?.plan ?? null);
  const due_date = body.due_date ?? null;
  const values = {
    ...first,
    title: body.title,
    unnamed: body.unnamed ?? false,
    description: storedDescription(body.description),
    company_id: body.company_id ?? null,
    project_id: body.project_id ?? null,
    priority: body.priority,
    due_date,
    assignee_contact_id: body.assignee_contact_id ?? null,
    allocated_minutes: body.allocated_minutes ?? null,
    requires_interaction,
    visible_to_client: body.visible_to_client ?? false,
    recurrence,
    recurrence_next_run: nextRun(recurrence, due_date, organisationToday()),
    position: await lastPosition(),
  };
  const id = storeTask(values, roster, origin);
  await addParts(id, body, roster, origin === undefined);
  return id;
}

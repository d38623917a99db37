import { newId } from "../../../../core/database/model.ts";
import { request } from "../../../../core/request/context.ts";
import { organisationToday } from "../../../../core/request/today.ts";
import type { Assignee } from "../../../../core/rules/roster.ts";
import type { Static } from "../../../../core/schema/schema.ts";
import { grantedRoster, type Inherited, NO_ONE } from "../../../../mixins/assignees.ts";
import { addChecklist, storedDescription } from "../../checklists/checklist-writes.ts";
import { giveLabels } from "../../labels/label-writes.ts";
import { addLink } from "../../links/link-writes.ts";
import { requireReferences } from "../../references.ts";
import { inheritedFrom } from "../../rosters/inheritance.ts";
import { createdRoster } from "../../rosters/roster.ts";
import { initialStatus } from "../../statuses/status-moves.ts";
import { statusRules } from "../../statuses/status-rows.ts";
import { requireOwnPlace, requireWritable } from "../../task-access.ts";
import { type Origin, storeTask } from "../new-task.ts";
import { continueSeries } from "../recurrence/occurrences.ts";
import { requirePlanAllowed } from "../recurrence/plan-permission.ts";
import { nextRun, readRecurrence } from "../recurrence/recurrence.ts";
import type { TaskCreate } from "../task-schemas.ts";
import { requireContactAssignee } from "./contact-assignee.ts";

/** The roster of a new task: as sent, else, without a contact, inherited from the project or client (work chapter §3.3). */
async function rosterOf(body: Static<typeof TaskCreate>): Promise<Inherited> {
  const sent = createdRoster(body, body.assignee_user_id);
  const roster = sent && (await grantedRoster([], sent, body.assignees ? "assignees" : "assignee_user_id"));
  await requireContactAssignee(body.assignee_contact_id ?? null, body.company_id ?? null, sent ?? []);
  if (roster) return { roster, isOrphaned: false };
  return body.assignee_contact_id ? NO_ONE : inheritedFrom(body);
}

/** Writes the parts in a body. @throws 403 for a caller without permission to change the new task; 404, 422 of the parts */
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
 * Creates a task from a validated body, with its parts, in one transaction (work chapter §3.3). Every path that creates a task from a body
 * goes through here.
 * @param origin if the task does not come from the caller's own create: its parts then need no write access
 * @param ownId the task's id
 * @param inherited its roster, if the body does not decide it
 * @returns that id
 * @throws 400, 403, 404, 422 of the rules, without writing anything
 */
export async function createTask(
  body: Static<typeof TaskCreate>,
  origin?: Origin,
  ownId = newId(),
  inherited?: Inherited,
): Promise<string> {
  await requireReferences(body);
  requireOwnPlace(body.company_id, body.project_id);
  const people = inherited ?? (await rosterOf(body));
  const { roster } = people;
  const statuses = await statusRules();
  request().retryableConstraints.add("tasks_status_fkey");
  const requires_interaction = body.requires_interaction ?? false;
  const now = new Date().toISOString();
  const first = initialStatus(body.status, requires_interaction, { statuses, now });
  const recurrence = body.recurrence ? readRecurrence(body.recurrence) : null;
  await requirePlanAllowed(recurrence?.plan ?? null);
  const due_date = body.due_date ?? null;
  // A task created in a finished status is completed immediately.
  const handsOn = first.completed_at !== null && recurrence?.mode === "after_completion" ? recurrence : null;
  const values = {
    ...first,
    id: ownId,
    title: body.title,
    unnamed: body.unnamed ?? false,
    description: storedDescription(body.description),
    company_id: body.company_id ?? null,
    project_id: body.project_id ?? null,
    priority: body.priority ?? "normal",
    due_date,
    assignee_contact_id: body.assignee_contact_id ?? null,
    allocated_minutes: body.allocated_minutes ?? null,
    requires_interaction,
    visible_to_client: body.visible_to_client ?? false,
    recurrence: handsOn ? null : recurrence,
    recurrence_next_run: nextRun(recurrence, due_date, organisationToday()),
  };
  const id = await storeTask(values, people, origin);
  await addParts(id, body, roster, origin === undefined);
  if (handsOn) await continueSeries({ ...values, roster }, handsOn, statuses);
  return id;
}

import { isDeepStrictEqual } from "node:util";
import type { UpdateOf } from "../../../../core/database/model.ts";
import { differences, queueUpdate } from "../../../../core/database/write.ts";
import { runHooks } from "../../../../core/declare/catalogue/catalogue.ts";
import { emit } from "../../../../core/jobs/outbox.ts";
import { request } from "../../../../core/request/context.ts";
import { organisationToday } from "../../../../core/request/today.ts";
import type { Assignee } from "../../../../core/rules/roster.ts";
import type { Static } from "../../../../core/schema/schema.ts";
import { reportChange } from "../../../../core/trail/record-changes.ts";
import { trail } from "../../../../core/trail/trail.ts";
import { grantedRoster, type ResolvedRoster } from "../../../../mixins/assignees.ts";
import { releaseWaiting } from "../../blockers/blocker-writes.ts";
import { storedDescription } from "../../checklists/checklist-writes.ts";
import { closingMoment } from "../../interactions/closing.ts";
import { requireReferences } from "../../references.ts";
import { rosterChange, taskRoster } from "../../rosters/roster.ts";
import { type StatusRules, type TaskMove, taskMove } from "../../statuses/status-moves.ts";
import { knownStatuses, statusRules } from "../../statuses/status-rows.ts";
import { type LockedTask, lockTask, requireOwnPlace, taskRosters } from "../../task-access.ts";
import { Task } from "../../task-models.ts";
import { requirePosition } from "../new-task.ts";
import { continueSeries } from "../recurrence/occurrences.ts";
import { requirePlanAllowed } from "../recurrence/plan-permission.ts";
import { nextRun, type Recurrence, readRecurrence } from "../recurrence/recurrence.ts";
import type { TaskUpdate } from "../task-schemas.ts";
import { requireContactAssignee } from "./contact-assignee.ts";
import { logFinishing, requireMayLog } from "./finishing-hours.ts";

type Body = Static<typeof TaskUpdate>;
type Changed = UpdateOf<typeof Task>;

/** The fields whose change the trail names (work chapter §3.4), except people, which are recorded separately. */
const NAMED = [
  "title",
  "description",
  "priority",
  "due_date",
  "allocated_minutes",
  "assignee_contact_id",
  "company_id",
  "project_id",
  "recurrence",
  "requires_interaction",
  "visible_to_client",
] as const;

/** Columns that no response shows, and the board position, which is not part of the task's state. */
const UNREPORTED = new Set(["position", "unnamed", "recurrence_next_run"]);

/** The new value of a reference, or undefined if unchanged. */
const moved = (sent: string | null | undefined, stored: string | null): string | null | undefined =>
  sent === undefined || sent?.toLowerCase() === stored ? undefined : sent;

/** The change of status, due date and closing moment, with the subject of the sent moment. */
async function moveOf(before: LockedTask, body: Body, statuses: readonly StatusRules[], isAutomated: boolean) {
  const sent = body.closing_interaction_id?.toLowerCase() ?? body.closing_interaction_id;
  const moment = sent ? await closingMoment(before.id, sent) : undefined;
  const now = new Date().toISOString();
  const move = taskMove(
    before,
    { ...body, closing_interaction_id: sent },
    { statuses, closing_moment_linked: moment !== undefined, now, is_automated: isAutomated },
  );
  return { move, closing: moment ? { closing_interaction_id: moment.id, closing_subject: moment.subject } : null };
}

/** The roster after the update, or null if unchanged. @throws 400, and 422 for employees together with a contact (work chapter §3.5) */
async function rosterOf(before: LockedTask, body: Body): Promise<ResolvedRoster | null> {
  const wanted = taskRoster(before.roster, body);
  const field = body.assignees === undefined ? "assignee_user_id" : "assignees";
  const roster = wanted && (await grantedRoster(before.roster, wanted, field));
  const contact = body.assignee_contact_id;
  const company = body.company_id;
  const isTouched =
    roster || moved(contact, before.assignee_contact_id) !== undefined || moved(company, before.company_id) !== undefined;
  if (isTouched)
    await requireContactAssignee(
      contact === undefined ? before.assignee_contact_id : contact,
      company === undefined ? before.company_id : company,
      roster ?? before.roster,
    );
  return roster;
}

/** The rule after the update. @throws 422, and 403 for a plan that the caller cannot store (work chapter §3.9) */
async function ruleOf({ recurrence: stored }: LockedTask, { recurrence: sent }: Body): Promise<Recurrence | null> {
  if (sent === undefined) return stored;
  const rule = sent && readRecurrence(sent);
  await requirePlanAllowed(rule?.plan ?? null, stored?.plan);
  return isDeepStrictEqual(rule, stored) ? stored : rule;
}

/** The columns that an update changes, or null if none. */
function changesIn(before: LockedTask, body: Body, { changes }: TaskMove, recurrence: Recurrence | null): Changed | null {
  const { title, priority, allocated_minutes, position, visible_to_client, company_id, project_id, assignee_contact_id } = body;
  const due_date = changes.due_date === undefined ? before.due_date : changes.due_date;
  const isRescheduled = recurrence !== before.recurrence || due_date !== before.due_date;
  return differences(before, {
    ...changes,
    title,
    unnamed: title === undefined ? undefined : false,
    description: body.description === undefined ? undefined : storedDescription(body.description),
    priority,
    allocated_minutes,
    position,
    visible_to_client,
    company_id: moved(company_id, before.company_id),
    project_id: moved(project_id, before.project_id),
    assignee_contact_id: moved(assignee_contact_id, before.assignee_contact_id),
    recurrence,
    recurrence_next_run: isRescheduled ? nextRun(recurrence, due_date, organisationToday()) : undefined,
  });
}

/** Records a change in the trail and emits its events. */
function recordChange(
  before: LockedTask,
  changed: Changed,
  roster: readonly Assignee[],
  move: TaskMove,
  closing: object | null,
): void {
  const { id } = before;
  const { status_changed, due_extended } = move;
  const people = rosterChange(before.roster, roster);
  const named: string[] = NAMED.filter((field) => field in changed);
  if (people.from !== people.to) named.push("assignee_user_id");
  else if (people.others_only) named.push("assignees");
  if (status_changed) trail("task", id, "status_changed", { from: status_changed.from, to: status_changed.to, ...closing });
  if (due_extended) trail("task", id, "due_extended", { ...due_extended });
  if (named.length > 0) trail("task", id, "updated", { changed: named });
  reportChange("task", [id], "updated", [
    ...Object.keys(changed).filter((name) => !UNREPORTED.has(name)),
    ...(people.added.length + people.removed.length > 0 ? ["assignees"] : []),
  ]);

  const title = changed.title ?? before.title;
  const { company_id, project_id } = { ...before, ...changed };
  const recipients = roster.map(({ user_id }) => user_id);
  if (status_changed)
    emit("task.status_changed", "task", id, { task_id: id, title, company_id, project_id, ...status_changed, recipients });
  if (people.added.length > 0) emit("task.assigned", "task", id, { task_id: id, title, recipients: people.added });
  if (people.removed.length > 0) emit("task.unassigned", "task", id, { task_id: id, title, recipients: people.removed });
}

/** Whether an update moves a due date later or clears it. */
const isDropped = (before: string | null, after: string | null | undefined): boolean =>
  before !== null && after !== undefined && (after === null || after > before);

/** Whether the rules of an update need the organisation's statuses. */
const asksStatuses = ({ status }: Body, before: LockedTask): boolean => status !== undefined && status !== before.status;

/**
 * Changes a task that the caller has locked and has permission to change (work chapter §3.4). Omitted fields stay; a write that changes
 * nothing leaves no trace.
 * @param statuses the organisation's statuses, if the caller has already read them
 * @param isAutomated for an automation rule, which needs no closing moment and passes no recurrence on (platform chapter §2.5)
 * @returns whether anything changed
 * @throws 400, 402, 403, 404, 409, 422 of the rules, without writing anything
 */
export async function changeTask(
  before: LockedTask,
  body: Body,
  statuses?: readonly StatusRules[],
  { isAutomated = false } = {},
): Promise<boolean> {
  const { id } = before;
  if (body.log_time) requireMayLog();
  const [company_id, project_id] = [moved(body.company_id, before.company_id), moved(body.project_id, before.project_id)];
  await requireReferences({ company_id, project_id });
  requireOwnPlace(
    company_id === undefined ? before.company_id : company_id,
    project_id === undefined ? before.project_id : project_id,
  );
  await requirePosition(body.position);
  const rules = asksStatuses(body, before) ? await statusRules(statuses) : [];
  request().retryableConstraints.add("tasks_status_fkey");
  const { move, closing } = await moveOf(before, body, rules, isAutomated);
  const wanted = await rosterOf(before, body);
  const recurrence = await ruleOf(before, body);
  const changed = changesIn(before, body, move, recurrence);
  if (!changed && !wanted) return false;

  const roster = wanted ?? before.roster;
  const handsOn = !isAutomated && move.status_changed?.finished && recurrence?.mode === "after_completion";
  const after = { ...before, ...changed };
  queueUpdate(Task, id, { ...changed, ...(handsOn && { recurrence: null, recurrence_next_run: null }) });
  if (wanted) taskRosters.store(id, wanted);
  recordChange(before, changed ?? {}, roster, move, closing);
  if (isDropped(before.due_date, changed?.due_date)) await runHooks("task.date_dropped", { task_id: id });
  if (move.status_changed?.finished) await releaseWaiting(id);
  if (body.log_time) await logFinishing(after, body.log_time);
  if (handsOn) await continueSeries({ ...after, roster }, recurrence, rules);
  return true;
}

/**
 * Changes a task by id from a validated body, for a single update and for each row of a bulk update.
 * @throws 404, 403, 412 of the task, and those of `changeTask`
 */
export async function updateTask(id: string, body: Body): Promise<void> {
  // Started in one turn, so that both queries leave in one message.
  const [before, statuses] = await Promise.all([lockTask(id), body.status === undefined ? undefined : knownStatuses()]);
  await changeTask(before, body, statuses);
}

import { dateIn, utcInstant } from "../../../core/calendar/calendar.ts";
import { queryOne } from "../../../core/database/query.ts";
import { lock, queueInsert, queueUpdate } from "../../../core/database/write.ts";
import { grantsThatMeet } from "../../../core/declare/permissions.ts";
import { forbidden, invalid, notFound, refusal } from "../../../core/errors/errors.ts";
import { emit } from "../../../core/jobs/outbox.ts";
import { callerId } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { organisationZone } from "../../../core/request/today.ts";
import { statement } from "../../../core/sql/statement.ts";
import { blankToNull } from "../../../core/values/text.ts";
import { Schedule } from "../task-models.ts";
import { ofVisibleTask } from "../visibility.ts";
import { type Block, lockBlock } from "./block-rows.ts";
import { type BlockInstants, blockInstants, type LocalBlock } from "./planned-blocks.ts";

const TITLE = statement("select title from tasks where organisation_id = $1 and id = $2");

/** The title of a task, part of every event about its blocks. @throws 404 */
export async function titleOf(taskId: string): Promise<string> {
  const task = await queryOne<{ title: string }>(TITLE, [request().organisation.id, taskId]);
  if (!task) throw notFound();
  return task.title;
}

type BlockFacts = Pick<Block, "id" | "task_id" | "user_id" | "starts_at" | "ends_at" | "note">;

/** The event payload about a block for the calendar mirror. */
export const blockPayload = ({ id, task_id, user_id, starts_at, ends_at, note }: BlockFacts, title: string) => ({
  schedule_id: id,
  task_id,
  title,
  user_id,
  starts_at,
  ends_at,
  note,
});

/** Notifies a person of a new block. Dates are the organisation's. */
export function emitScheduled({ id, task_id, user_id, starts_at }: BlockFacts, title: string): void {
  if (user_id === null) return;
  const scheduled_date = dateIn(organisationZone(), starts_at);
  emit("task.scheduled", "task", task_id, { task_id, title, schedule_id: id, scheduled_date, recipients: [user_id] });
}

/**
 * Plans a block of work for a member, and notifies the person and the calendar mirror (work chapter §3.10). The caller checks the
 * permission to plan for that person.
 * @returns its id
 * @throws 404 if the task is gone
 */
export async function planBlock({
  task_id,
  user_id,
  note,
  ...local
}: LocalBlock & { task_id: string; user_id: string; note?: string | null | undefined }): Promise<string> {
  const { principal } = request();
  const title = await titleOf(task_id);
  const block = { task_id, user_id, note: blankToNull(note) ?? null, ...blockInstants(local, organisationZone()) };
  const author = { created_by_account_id: principal?.accountId ?? null, created_by_name: principal?.name ?? null };
  const id = queueInsert(Schedule, { ...block, ...author });
  emitScheduled({ id, ...block }, title);
  emit("schedule.saved", "task_schedule", id, blockPayload({ id, ...block }, title));
  return id;
}

/**
 * Locks the caller's own block before its hours are logged (work chapter §3.4, §3.10); `logBlock` then closes it.
 * @param taskId the task of the hours
 * @throws 404 if the caller cannot read it, 422 `schedule_id` for another task's block, 403 for another person's, 409 if already logged
 */
export async function claimBlock(scheduleId: string, taskId: string): Promise<Block> {
  const block = await lockBlock(scheduleId, "tasks.schedule.read");
  if (block.task_id !== taskId) throw invalid({ schedule_id: "errors.validation" });
  requireOpen(block);
  return block;
}

/** @throws 403 for another person's block, 409 for a logged one */
export function requireOpen({ user_id, time_entry_id }: Pick<Block, "user_id" | "time_entry_id">): void {
  if (user_id === null || user_id !== callerId()) throw forbidden();
  if (time_entry_id !== null) throw refusal("schedule_already_logged");
}

/** Records the time entry that logs a block. */
export const logBlock = (scheduleId: string, entryId: string): void =>
  queueUpdate(Schedule, scheduleId, { time_entry_id: entryId });

/** Whether a person may move their own blocks: with a live membership that plans, and of a task that they see. */
const MAY_PLAN =
  statement(`select 1 from task_schedules t join member_access m on m.organisation_id = $1 and m.account_id = t.user_id
  where t.organisation_id = $1 and t.id = $2 and m.is_live and not m.is_client
    and m.membership_id in (select members_holding($1, $3::text[]))
    and (m.selection is null or ${ofVisibleTask(false)("m.selection")})`);
/** Longest block, in minutes. */
const MOST_MINUTES = 1440;

/**
 * Moves a person's planned block to other instants, as its event in their calendar was moved (workspace §2.3).
 * @returns false if the person may not move it, or a block cannot be there: 1 to 1440 whole minutes
 */
export async function moveBlock({
  schedule_id: id,
  user_id,
  ...sent
}: BlockInstants & { schedule_id: string; user_id: string }): Promise<boolean> {
  const before = await lock(Schedule, id);
  if (!before || before.user_id !== user_id) return false;
  const now = { starts_at: utcInstant(sent.starts_at), ends_at: utcInstant(sent.ends_at) };
  const minutes = (Date.parse(now.ends_at) - Date.parse(now.starts_at)) / 60_000;
  if (!Number.isInteger(minutes) || minutes < 1 || minutes > MOST_MINUTES) return false;
  const place = [request().organisation.id, id, grantsThatMeet("tasks.schedule.write:own")];
  if (!(await queryOne(MAY_PLAN, place))) return false;
  queueUpdate(Schedule, id, now);
  emit("schedule.saved", "task_schedule", id, blockPayload({ ...before, ...now }, await titleOf(before.task_id)));
  return true;
}

import { dateIn } from "../../../core/calendar/calendar.ts";
import { queryOne } from "../../../core/database/query.ts";
import { insert, update } from "../../../core/database/write.ts";
import { forbidden, invalid, notFound, refusal } from "../../../core/errors/errors.ts";
import { emit } from "../../../core/jobs/outbox.ts";
import { callerId } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { organisationZone } from "../../../core/request/today.ts";
import { statement } from "../../../core/sql/statement.ts";
import { blankToNull } from "../../../core/values/text.ts";
import { Schedule } from "../task-models.ts";
import { type Block, lockBlock } from "./block-rows.ts";
import { blockInstants, type LocalBlock } from "./planned-blocks.ts";

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
  const id = insert(Schedule, { ...block, ...author });
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
export const logBlock = (scheduleId: string, entryId: string): void => update(Schedule, scheduleId, { time_entry_id: entryId });

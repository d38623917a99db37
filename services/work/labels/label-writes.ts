import { enqueue, query } from "../../../core/database/query.ts";
import { touch } from "../../../core/database/write.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { trail } from "../../../core/trail/trail.ts";
import { Task } from "../task-models.ts";

const THERE = statement("select id from task_labels where organisation_id = $1 and id = any($2::uuid[]) for key share");
const HELD = statement("select label_id from task_label_links where organisation_id = $1 and task_id = $2");
const TAKE = statement(
  "delete from task_label_links where organisation_id = $1 and task_id = $2 and not label_id = any($3::uuid[])",
);
const GIVE = statement(`insert into task_label_links (organisation_id, task_id, label_id)
  select $1, $2, l.id from unnest($3::uuid[]) l(id) on conflict do nothing`);

/** @throws 404 for a label that the organisation does not have */
async function requireLabels(ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const found = await query(THERE, [request().organisation.id, ids]);
  if (found.length < ids.length) throw notFound();
}

const distinct = (ids: readonly string[]): string[] => [...new Set(ids.map((id) => id.toLowerCase()))];

/**
 * Adds labels to a new task.
 * @throws 404 for an unknown label, without writing anything
 */
export async function giveLabels(taskId: string, labelIds: readonly string[]): Promise<void> {
  const ids = distinct(labelIds);
  await requireLabels(ids);
  if (ids.length > 0) enqueue(GIVE, [request().organisation.id, taskId, ids]);
}

/** Adds one label to a locked task, which keeps its others. @returns whether it is new @throws 404 for an unknown label */
export const addLabel = (taskId: string, labelId: string): Promise<boolean> => changeLabels(taskId, [labelId], []);

/**
 * Adds labels to a locked task and takes others off; it keeps the rest.
 * @returns whether any label changed
 * @throws 404 for an unknown label to add
 */
export async function changeLabels(taskId: string, added: readonly string[], removed: readonly string[]): Promise<boolean> {
  const held = await query<{ label_id: string }>(HELD, [request().organisation.id, taskId]);
  const kept = held.map(({ label_id }) => label_id).filter((id) => !removed.includes(id));
  return relabel(taskId, [...kept, ...added]);
}

/**
 * Replaces the labels of a locked task and records the change in the trail (work chapter §3.1).
 * @returns whether any label changed
 * @throws 404 for an unknown label, without changing anything
 */
export async function relabel(taskId: string, labelIds: readonly string[]): Promise<boolean> {
  const ids = distinct(labelIds);
  await requireLabels(ids);
  const place = [request().organisation.id, taskId];
  const held = (await query<{ label_id: string }>(HELD, place)).map(({ label_id }) => label_id);
  if (held.length === ids.length && ids.every((id) => held.includes(id))) return false;
  enqueue(TAKE, [...place, ids]);
  enqueue(GIVE, [...place, ids]);
  touch(Task, taskId);
  trail("task", taskId, "updated", { changed: ["labels"] });
  return true;
}

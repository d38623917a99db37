import { columns, type RowOf } from "../../core/database/model.ts";
import { queryOne } from "../../core/database/query.ts";
import { lock } from "../../core/database/write.ts";
import { forbidden, notFound } from "../../core/errors/errors.ts";
import { requireMatch } from "../../core/http/etag.ts";
import { callerId, scopeOf } from "../../core/request/caller.ts";
import { request } from "../../core/request/context.ts";
import type { Assignee } from "../../core/rules/roster.ts";
import { statement } from "../../core/sql/statement.ts";
import { rosterRows } from "./rosters/roster-rows.ts";
import { Task } from "./task-models.ts";
import { forStaffAndClients, tasksOfClient, workOfStaff } from "./visibility.ts";

export type StoredTask = RowOf<typeof Task>;
/** A task locked until the request ends, with its roster: the starred person first. */
export type LockedTask = StoredTask & { readonly roster: readonly Assignee[] };

export const taskRosters = rosterRows("task_assignees", "task_id");

/** SQL for the tasks the caller sees, on alias `t`; `slot` holds the sources of its selection. */
export const visibleTask = forStaffAndClients((clients) => (clients ? tasksOfClient : workOfStaff));

const selected = (visible: string) =>
  statement(`select ${columns(Task, "t")} from tasks t where t.organisation_id = $1 and t.id = $2 and ${visible}`);
const ANY = selected("true");
const SELECTED = forStaffAndClients((clients) => selected((clients ? tasksOfClient : workOfStaff)("$3::uuid[]")));

/**
 * A task that the caller can read.
 * @throws 404 if the caller does not see it
 */
export async function requireTask(id: string): Promise<StoredTask> {
  const { organisation, principal } = request();
  const sources = principal?.selection ?? null;
  const place = [organisation.id, id];
  const task = await (sources === null
    ? queryOne<StoredTask>(ANY, place)
    : queryOne<StoredTask>(SELECTED(), [...place, sources]));
  if (!task) throw notFound();
  return task;
}

/** @throws 403 unless the caller has permission to change a task with this roster (work chapter §0: `:own` means being on it) */
export function requireWritable(roster: readonly Assignee[]): void {
  const scope = scopeOf("tasks.task.write");
  const id = callerId();
  if (scope === "any" || (scope === "own" && roster.some(({ user_id }) => user_id === id))) return;
  throw forbidden();
}

/**
 * Client logins see no task without a client, so they cannot create or move one there (conventions §6). `requireReferences` checks the
 * named records.
 * @throws 403
 */
export function requireOwnPlace(companyId: string | null | undefined, projectId: string | null | undefined): void {
  const { principal } = request();
  if (principal?.isClientLogin && !companyId && !projectId) throw forbidden();
}

/**
 * Locks a task that the caller sees until the request ends. Task and roster leave in one message, with any query issued in the same turn.
 * @throws 404
 */
export async function lockSeenTask(id: string): Promise<LockedTask> {
  const sources = request().principal?.selection ?? null;
  const [task, roster] = await Promise.all([
    sources === null ? lock(Task, id) : lock(Task, id, visibleTask()("$3::uuid[]"), [sources]),
    taskRosters.read(id),
  ]);
  if (!task) throw notFound();
  return { ...task, roster };
}

/**
 * Locks a task that the caller can change until the request ends, for a write to one of its parts: `If-Match` refers to the part.
 * @throws 404, 403
 */
export async function lockTaskForPart(id: string): Promise<LockedTask> {
  const task = await lockSeenTask(id);
  requireWritable(task.roster);
  return task;
}

/**
 * Locks a task that the caller can change until the request ends, and checks `If-Match`.
 * @throws 404 if the caller does not see it, 403 if the caller is not on its roster (`:own`), 412
 */
export async function lockTask(id: string): Promise<LockedTask> {
  const task = await lockTaskForPart(id);
  requireMatch(task.version);
  return task;
}

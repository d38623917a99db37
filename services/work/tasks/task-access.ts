import { columns, type RowOf } from "../../../core/database/model.ts";
import { queryOne } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import { lock } from "../../../core/database/write.ts";
import { forbidden, notFound } from "../../../core/declare/errors.ts";
import { requireMatch } from "../../../core/http/etag.ts";
import { callerId, scopeOf } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import type { Assignee } from "../../../core/values/roster.ts";
import { rosterRows } from "../rosters/roster-rows.ts";
import { byCaller, tasksOfClient, workOfStaff } from "../visibility.ts";
import { Task } from "./models.ts";

/** A task as it is stored. */
export type StoredTask = RowOf<typeof Task>;
/** A task that is locked until the request ends, with its roster: the starred person first. */
export type LockedTask = StoredTask & { readonly roster: readonly Assignee[] };

/** The rosters of tasks. */
export const taskRosters = rosterRows("task_assignees", "task_id");

/** Which tasks the caller sees, on alias `t`; `slot` holds the sources of its selection. */
export const visibleTask = byCaller((clients) => (clients ? tasksOfClient : workOfStaff));

const selected = (visible: string) =>
  statement(`select ${columns(Task, "t")} from tasks t where t.organisation_id = $1 and t.id = $2 and ${visible}`);
const ANY = selected("true");
const SELECTED = byCaller((clients) => selected((clients ? tasksOfClient : workOfStaff)("$3::uuid[]")));

/**
 * A task that the caller may read.
 * @throws 404 for one it does not see
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

/** @throws 403 for a caller who may not change a task of this roster (work chapter §0: `:own` is being on it) */
export function requireWritable(roster: readonly Assignee[]): void {
  const scope = scopeOf("tasks.task.write");
  const id = callerId();
  if (scope === "any" || (scope === "own" && roster.some(({ user_id }) => user_id === id))) return;
  throw forbidden();
}

/**
 * A task of no client is out of every client login's view, so that none may put one there (conventions §6). That what is named is within view
 * is asked of the references.
 * @throws 403
 */
export function requireOwnPlace(companyId: string | null | undefined, projectId: string | null | undefined): void {
  const { principal } = request();
  if (principal?.isClientLogin && principal.selection !== null && !companyId && !projectId) throw forbidden();
}

/**
 * A task that the caller sees, locked until the request ends. Task and roster are asked for in one message, so what is asked for in the
 * same turn leaves with them.
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
 * A task that the caller may change, locked until the request ends, for a write to one of its parts: `If-Match` is about the part.
 * @throws 404, 403
 */
export async function lockTaskForPart(id: string): Promise<LockedTask> {
  const task = await lockSeenTask(id);
  requireWritable(task.roster);
  return task;
}

/**
 * A task that the caller may change, locked until the request ends and compared with `If-Match`.
 * @throws 404 for one it does not see, 403 for one whose roster it is not on (`:own`), 412
 */
export async function lockTask(id: string): Promise<LockedTask> {
  const task = await lockTaskForPart(id);
  requireMatch(task.version);
  return task;
}

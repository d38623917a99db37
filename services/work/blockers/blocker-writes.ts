import { enqueue, query } from "../../../core/database/query.ts";
import { touch } from "../../../core/database/write.ts";
import { invalid, notFound } from "../../../core/errors/errors.ts";
import { emitAll } from "../../../core/jobs/outbox.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { reportChange } from "../../../core/trail/record-changes.ts";
import { trail } from "../../../core/trail/trail.ts";
import { OPEN } from "../open-tasks.ts";
import { Task } from "../task-models.ts";
import { forStaffAndClients, tasksOfClient, workOfStaff } from "../visibility.ts";
import { isBlocked } from "./blocker-rows.ts";
import { MOST_BLOCKERS } from "./blocker-schemas.ts";

/** Two writes that each close half of a circle would both find it open, so an organisation's writes of blockers take turns. */
const TAKE_TURNS = statement("select pg_advisory_xact_lock(hashtextextended('task blockers ' || $1::uuid, 0))");

/** The wanted tasks that the caller sees, and the present ones with whether it sees them. */
const seen = (clients: boolean) =>
  statement(`select t.id, b.blocker_id is not null as held, ($4::uuid[] is null or ${(clients ? tasksOfClient : workOfStaff)("$4::uuid[]")}) as seen
    from tasks t left join task_blockers b on b.organisation_id = t.organisation_id and b.task_id = $2 and b.blocker_id = t.id
   where t.organisation_id = $1 and (t.id = any($3::uuid[])
     or t.id in (select o.blocker_id from task_blockers o where o.organisation_id = $1 and o.task_id = $2))`);
const SEEN = forStaffAndClients(seen);

/** Whether a task is among those that the new ones wait for, directly or through others. */
const CIRCLE = statement(`with recursive before(id) as (select unnest($3::uuid[])
    union select b.blocker_id from before join task_blockers b on b.organisation_id = $1 and b.task_id = before.id)
  select id from before where id = $2`);

const TAKE = statement(
  "delete from task_blockers where organisation_id = $1 and task_id = $2 and not blocker_id = any($3::uuid[])",
);
const GIVE = statement(`insert into task_blockers (organisation_id, task_id, blocker_id)
  select $1, $2, w.id from unnest($3::uuid[]) w(id) on conflict do nothing`);

interface Candidate {
  id: string;
  held: boolean;
  seen: boolean;
}

/**
 * Replaces the tasks that a locked task waits for; those that the caller does not see stay (work chapter §3.4).
 * @throws 404 for a task that the caller does not see; 422 on `task_ids` for the task itself, for a circle and for too many
 */
export async function setBlockers(taskId: string, sent: readonly string[]): Promise<void> {
  const { organisation, principal } = request();
  const wanted = [...new Set(sent.map((id) => id.toLowerCase()))];
  if (wanted.includes(taskId)) throw invalid({ task_ids: "errors.task_blocks_itself" });
  await query(TAKE_TURNS, [organisation.id]);
  const found = await query<Candidate>(SEEN(), [organisation.id, taskId, wanted, principal?.selection ?? null]);
  const visible = new Set(found.filter((one) => one.seen).map(({ id }) => id));
  if (wanted.some((id) => !visible.has(id))) throw notFound();
  const held = found.filter((one) => one.held).map(({ id }) => id);
  const kept = [...wanted, ...found.filter((one) => one.held && !one.seen).map(({ id }) => id)];
  if (kept.length > MOST_BLOCKERS) throw invalid({ task_ids: "errors.validation" });
  if (kept.length === held.length && kept.every((id) => held.includes(id))) return;
  if ((await query(CIRCLE, [organisation.id, taskId, wanted])).length > 0) throw invalid({ task_ids: "errors.task_circle" });
  enqueue(TAKE, [organisation.id, taskId, kept]);
  enqueue(GIVE, [organisation.id, taskId, kept]);
  touch(Task, taskId);
  trail("task", taskId, "updated", { changed: ["waits_for"] });
  reportChange("task", [taskId], "updated", ["waits_for"]);
}

/** Locks what waits for a task: of two tasks that end at once, the second one sees that the first has ended. */
const LOCK_WAITING = statement(`select b.task_id from task_blockers b where b.organisation_id = $1
    and b.task_id in (select o.task_id from task_blockers o where o.organisation_id = $1 and o.blocker_id = $2)
  order by b.task_id, b.blocker_id for update`);
const RELEASED = statement(`select t.id, t.title, t.company_id, t.project_id,
    array(select a.account_id from task_assignees a where a.organisation_id = t.organisation_id and a.task_id = t.id
      order by a.is_primary desc, a.created_at, a.position) as recipients
  from tasks t where t.organisation_id = $1 and ${OPEN} and not ${isBlocked("$2")}
   and t.id in (select o.task_id from task_blockers o where o.organisation_id = $1 and o.blocker_id = $2)
  order by t.id`);

interface Released {
  id: string;
  title: string;
  company_id: string | null;
  project_id: string | null;
  recipients: string[];
}

/** Emits `task.unblocked` for the open tasks that waited for this one last, which ends now: it is finished, or about to be deleted. */
export async function releaseWaiting(taskId: string): Promise<void> {
  const place = [request().organisation.id, taskId];
  enqueue(LOCK_WAITING, place);
  const released = await query<Released>(RELEASED, place);
  emitAll(
    "task.unblocked",
    "task",
    released.map(({ id, ...task }) => ({ entityId: id, payload: { task_id: id, ...task } })),
  );
}

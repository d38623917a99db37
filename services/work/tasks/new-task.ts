import { joinTransaction } from "../../../core/database/connection/transaction.ts";
import type { InsertOf } from "../../../core/database/model.ts";
import { enqueue, queryOne } from "../../../core/database/query.ts";
import { queueInsert } from "../../../core/database/write.ts";
import { invalid } from "../../../core/errors/errors.ts";
import { emit } from "../../../core/jobs/outbox.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { trail } from "../../../core/trail/trail.ts";
import type { Inherited } from "../../../mixins/assignees.ts";
import { reportOrphan } from "../rosters/inheritance.ts";
import { taskRosters } from "../task-access.ts";
import { Task } from "../task-models.ts";
import { FARTHEST_POSITION } from "./task-schemas.ts";

/** Long transactions add their tasks one after another. */
const TAKE_TURNS = statement("select pg_advisory_xact_lock(hashtextextended('task positions ' || $1::uuid, 0))");
const LAST = statement("select max(position) as position from tasks where organisation_id = $1");
/** Leaves room between neighbours for tasks moved there later. */
const STEP = 1024;
/**
 * The position after every task of the organisation (work chapter §3.2). Who adds a task while another transaction does waits for nothing.
 * Neither sees the other's task, so the later one adds a fraction, which leaves room between the two.
 */
const NEXT = `next_task_position(${STEP})`;
/** In a long transaction, which must not hold the lock: see `moveBehindOthers`. */
const NEXT_FOR_NOW = `(select coalesce(max(n.position), 0) + ${STEP} from tasks n where n.organisation_id = current_organisation())`;

/** Moves the tasks of a long transaction, as they are ordered, behind those that others created meanwhile. */
const MOVE_BEHIND_OTHERS = statement(`update tasks t set position = t.position + o.last - m.first + ${STEP}
  from (select min(position) as first from tasks where organisation_id = $1 and id = any($2::uuid[])) m,
       (select max(position) as last from tasks where organisation_id = $1 and id <> all($2::uuid[])) o
 where t.organisation_id = $1 and t.id = any($2::uuid[]) and o.last >= m.first`);

/** Replaces `created` in the trail of a new task. */
export interface Origin {
  action: string;
  payload: Record<string, unknown>;
}

/** Stores a row behind every task of the organisation; that of a long transaction moves there again at its end. */
function insertLast(values: InsertOf<typeof Task>): string {
  const { runsLong } = request();
  const id = queueInsert(Task, values, { position: runsLong ? NEXT_FOR_NOW : NEXT });
  if (runsLong) joinTransaction().beforeCommit(moveBehindOthers, id);
  return id;
}

/**
 * New tasks come behind the last one, also when that has the farthest position, so a task can move as far as the last one is.
 * @throws 422 `position` for one behind the farthest position and behind every task
 */
export async function requirePosition(position: number | undefined): Promise<void> {
  if (position === undefined || position <= FARTHEST_POSITION) return;
  const last = await queryOne<{ position: number | null }>(LAST, [request().organisation.id]);
  if (position > (last?.position ?? 0)) throw invalid({ position: "errors.validation" });
}

/** Places the new tasks of a long transaction last, right before its commit. */
async function moveBehindOthers(ids: string[]): Promise<void> {
  const { id } = request().organisation;
  enqueue(TAKE_TURNS, [id]);
  enqueue(MOVE_BEHIND_OTHERS, [id, ids]);
}

/** Stores a task from validated values behind all others, with its roster, trail line and events. @returns its id */
export async function storeTask(
  values: InsertOf<typeof Task>,
  { roster, isOrphaned }: Inherited,
  origin?: Origin,
): Promise<string> {
  const id = insertLast(values);
  taskRosters.store(id, roster, true);
  trail("task", id, origin?.action ?? "created", origin?.payload);
  const { title, status, company_id = null, project_id = null } = values;
  emit("task.created", "task", id, { task_id: id, title, status, company_id, project_id });
  const recipients = roster.map(({ user_id }) => user_id);
  if (recipients.length > 0) emit("task.assigned", "task", id, { task_id: id, title, recipients });
  if (isOrphaned) await reportOrphan("task", id, { title, company_id, project_id });
  return id;
}

import { NOBODY_RESTRICTED, projection } from "../../../core/database/projection.ts";
import { rowsOf } from "../../../mixins/resource.ts";
import { OPEN } from "../open-tasks.ts";
import { Task } from "../task-models.ts";
import { forStaffAndClients, tasksOfClient, workOfStaff } from "../visibility.ts";
import { TaskBlockersRead } from "./blocker-schemas.ts";

/** Whether task `t` waits for an open task, seen by the caller or not. @param except a slot with a task that does not count */
export const isBlocked = (
  except?: string,
): string => `exists (select 1 from (select t.organisation_id as of_organisation, t.id as of_task) w
  join task_blockers b on b.organisation_id = w.of_organisation and b.task_id = w.of_task
  join tasks t on t.organisation_id = b.organisation_id and t.id = b.blocker_id
  where ${OPEN}${except === undefined ? "" : ` and t.id <> ${except}`})`;

/** The tasks at the other end of a link of task `w`, as JSON; they have the alias `t`, which the condition of visibility uses. */
function others(end: "task_id" | "blocker_id", sources: string, clients: boolean): string {
  const seen = (clients ? tasksOfClient : workOfStaff)(sources);
  const narrowed = sources === NOBODY_RESTRICTED ? "" : `and (${sources} is null or ${seen})`;
  return `(select coalesce(json_agg(json_build_object('id', t.id, 'title', t.title, 'status', t.status, 'finished', not ${OPEN},
      'due_date', t.due_date) order by t.title collate kantoor_text, t.id), '[]')
    from task_blockers b join tasks t on t.organisation_id = b.organisation_id and t.id = b.${end}
   where b.organisation_id = w.of_organisation and b.${end === "task_id" ? "blocker_id" : "task_id"} = w.of_task ${narrowed})`;
}

/** What task `t` waits for and holds up, as two columns with their join. */
export const WAITS_OF_TASK = {
  columns: { waits_for: "waits.waits_for", holds_up: "waits.holds_up" },
  joins: (sources: string, clients: boolean): string => `cross join lateral (
    select ${others("blocker_id", sources, clients)} as waits_for, ${others("task_id", sources, clients)} as holds_up
      from (select t.organisation_id as of_organisation, t.id as of_task) w) waits`,
};

/** The blockers of a task that the caller sees. */
export const blockersOf = forStaffAndClients((clients) =>
  rowsOf({
    model: Task,
    narrowed: true,
    visible: clients ? tasksOfClient : workOfStaff,
    projection: projection({
      model: Task,
      schema: TaskBlockersRead,
      columns: WAITS_OF_TASK.columns,
      joins: (sources) => WAITS_OF_TASK.joins(sources, clients),
    }),
  }),
);

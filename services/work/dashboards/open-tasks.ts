import { columns } from "../../../core/database/model.ts";
import { jsonArray, NOBODY_RESTRICTED } from "../../../core/database/projection.ts";
import { type Statement, statement } from "../../../core/sql/statement.ts";
import { CLIENT_OF } from "../clients-of-work.ts";
import { ON_ROSTER, OPEN } from "../open-tasks.ts";
import { Task } from "../task-models.ts";
import { itemProjection } from "../tasks/task.list.ts";
import { tasksOfClient, workOfStaff } from "../visibility.ts";

/** SQL that limits tasks on alias `t` to those the caller sees. */
function seen(sources: string, clients: boolean): string {
  if (sources === NOBODY_RESTRICTED) return "true";
  return (clients ? tasksOfClient : workOfStaff)(sources);
}

/**
 * The open tasks of person `$2`, at most `$3`, optionally only those changed since `$4`: by due date, undated tasks last, then newest first
 * (work chapter §3.6). They are found through the roster, in an array: any other form lets a plan read all tasks of the organisation.
 */
const ownOpen = (what: string, sources: string, clients: boolean): string => `(select ${what} from tasks t
  where t.organisation_id = $1 and t.id = any(array(${ON_ROSTER.ids("$2")})) and ${OPEN} and ($4::timestamptz is null or t.updated_at >= $4::timestamptz)
    and ${seen(sources, clients)}
  order by t.due_date, t.created_at desc, t.id desc limit $3)`;

/** The caller's own open tasks as rows of the list. */
export const mine = (sources: string, clients: boolean): Statement =>
  statement(
    `select ${jsonArray(
      itemProjection({ meta: true, hours: false }, clients).rows(ownOpen(columns(Task, "t"), sources, clients)),
    )} as items`,
  );

/** The same as dashboard rows; the client is the task's own, else its project's. */
export const mineOnDashboard = (sources: string, clients: boolean): Statement =>
  statement(
    `select ${jsonArray(`select o.id, o.title, o.priority, o.due_date, o.client as company_id, c.name as company_name
      from ${ownOpen(`t.id, t.title, t.priority, t.due_date, t.created_at, ${CLIENT_OF} as client`, sources, clients)} o
      left join companies c on c.organisation_id = $1 and c.id = o.client
     order by o.due_date, o.created_at desc, o.id desc`)} as items`,
  );

/**
 * Counts open and overdue tasks (due before `$2`) by project, else by client, else in one group. Groups of a project or client outside the
 * selection remain, without a name: a task of the caller's client can belong to another client's project. The names come from one look into
 * an index for all groups, by an array of ids: a join would read every client of the organisation, and a look per group starts at the
 * index's root each time. A `coalesce` instead of the `case` would read every task: row-level security keeps it from using an index.
 */
export const groups = (sources: string, clients: boolean): Statement => {
  const within = (id: string) =>
    sources === NOBODY_RESTRICTED ? "true" : `(${id} is null or ${id} in (select selected_companies(${sources})))`;
  return statement(
    `with g as materialized (select t.project_id, case when t.project_id is null then t.company_id end as company_id, count(*)::int as count,
          count(*) filter (where t.due_date < $2::date)::int as overdue
        from tasks t where t.organisation_id = $1 and ${OPEN} and ${seen(sources, clients)} group by 1, 2),
      p as materialized (select p.id, p.name, p.company_id from projects p
        where p.organisation_id = $1 and p.id = any(array(select g.project_id from g)) and ${within("p.company_id")}),
      c as materialized (select c.id, c.name from companies c
        where c.organisation_id = $1 and c.id = any(array(select g.company_id from g union all select p.company_id from p)))
    select ${jsonArray(`select o.* from (
      select case when g.project_id is not null then 'project' when g.company_id is not null then 'company' else 'none' end as entity_type,
        coalesce(g.project_id, g.company_id) as entity_id, case when g.project_id is not null then p.name else c.name end as label,
        p.company_id, case when p.company_id is not null then c.name end as company_name, g.count, g.overdue
      from g left join p on p.id = g.project_id
        left join c on c.id = case when g.project_id is null then g.company_id else p.company_id end
    ) o order by o.count desc, o.label collate kantoor_text, o.entity_id`)} as items`,
  );
};

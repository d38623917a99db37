import { NOBODY_RESTRICTED } from "../../../core/database/projection.ts";
import { entriesOfClient } from "../time/entry-visibility.ts";
import { throughTaskOfStaff } from "../visibility.ts";

/** The rows of a table that belong to task `t`, on alias `o`. */
const own = (table: string) => `${table} o where o.organisation_id = t.organisation_id and o.task_id = t.id`;

/** The roster of task `t`, the starred person first, then by age of the assignment; and the starred person. */
export const ROSTER = `left join lateral (
  select coalesce(json_agg(json_build_object('user_id', o.account_id, 'is_primary', o.is_primary)
                           order by o.is_primary desc, o.created_at, o.position), '[]') as people,
         (array_agg(o.account_id) filter (where o.is_primary))[1] as starred
    from ${own("task_assignees")}) roster on true`;

/** The starred person of task `t`. */
export const STARRED = `(select o.account_id from ${own("task_assignees")} and o.is_primary)`;

/** The labels of task `t`, by position, then name. */
export const LABELS = `(select coalesce(json_agg(json_build_object('id', l.id, 'name', l.name, 'color', l.color, 'position', l.position)
    order by l.position, l.name collate kantoor_text, l.id), '[]')
  from (select o.label_id from ${own("task_label_links")}) k
  join task_labels l on l.organisation_id = t.organisation_id and l.id = k.label_id)`;

/** The links of task `t`, oldest first. */
export const LINKS = `(select coalesce(json_agg(json_build_object('id', o.id, 'url', o.url, 'title', o.title)
    order by o.created_at, o.id), '[]') from ${own("task_links")})`;

/** The number of items in the checklists of task `t`, and of those done. */
export const TICKS = `left join lateral (
  select count(*)::int as total, count(*) filter (where i.done)::int as done
    from (select o.id from ${own("task_checklists")}) k
    join task_checklist_items i on i.organisation_id = t.organisation_id and i.checklist_id = k.id) ticks on true`;

/** The number of comments on task `t`. */
export const COMMENTS = `(select count(*)::int from ${own("task_comments")})`;

/** The finished minutes on task `w`; for a restricted caller only those on its clients (work chapter §0). */
const minutes = (sources: string, clients: boolean): string => {
  // The condition uses alias `t`, which is the task here.
  const seen = (clients ? entriesOfClient : throughTaskOfStaff)(sources).replaceAll(/\bt\./g, "e.");
  const narrowed = sources === NOBODY_RESTRICTED ? "" : ` and (${sources} is null or ${seen})`;
  return `(select coalesce(sum(e.minutes), 0)::bigint as minutes from (select t.organisation_id, t.id) w
    join time_entries e on e.organisation_id = w.organisation_id and e.task_id = w.id
   where e.ended_at is not null${narrowed})`;
};

/** The hours of task `t` as two columns, with their join. */
export const HOURS = {
  columns: { logged_minutes: "logged.minutes", remaining_minutes: "t.allocated_minutes - logged.minutes" },
  joins: (sources: string, clients: boolean): string => `left join lateral ${minutes(sources, clients)} logged on true`,
};

/** The same two columns if hours are not requested or not visible: null, never 0 (work chapter §3.2). */
export const NO_HOURS = { logged_minutes: "null::bigint", remaining_minutes: "null::bigint" };

import { columns } from "../../../core/database/model.ts";
import { jsonArray, projection } from "../../../core/database/projection.ts";
import { rowsOf } from "../../../mixins/resource.ts";
import { Comment } from "../task-models.ts";
import { CommentRead } from "./comment-schemas.ts";

/** Shows the author's current name, or the stored name if the account is gone (work chapter §3.8). */
const shown = projection({
  model: Comment,
  schema: CommentRead,
  columns: {
    author_user_id: "t.author_account_id",
    author_name: "coalesce(author.name, t.author_name)",
    author_deleted: "author.name is null and coalesce(t.author_account_id, t.author_service_account_id) is not null",
  },
  // `offset 0` keeps this a lookup per comment: PostgreSQL could reorder the comments in a join.
  joins: `left join lateral (
    select coalesce(nullif(a.full_name, ''), a.email) as name from accounts a where a.id = t.author_account_id
    union all
    select s.name from service_accounts s where s.organisation_id = t.organisation_id and s.id = t.author_service_account_id
    offset 0) author on true`,
});

export const comments = rowsOf({ model: Comment, projection: shown });

/** Maximum number of comments in a task's response. */
const MOST = 200;

/**
 * SQL for one row with a task's `comments` (JSON) and `comments_truncated` (work chapter §3.8): the newest 200, oldest thread first, each
 * opener followed by its replies. Truncation drops whole threads, oldest opener first; the newest thread is always complete.
 * @param organisation SQL for the organisation
 * @param id SQL for the task
 */
export const commentsOf = (organisation: string, id: string): string => `with threads as (
    select o.id, o.created_at,
           row_number() over newest = 1 or sum(1 + (select count(*) from task_comments r
             where r.organisation_id = ${organisation} and r.parent_id = o.id)) over newest <= ${MOST} as kept
      from (select f.id, f.created_at from task_comments f
             where f.organisation_id = ${organisation} and f.task_id = ${id} and f.parent_id is null
             order by f.created_at desc, f.id desc limit ${MOST + 1}) o
    window newest as (order by o.created_at desc, o.id desc))
  select ${jsonArray(
    shown.rows(`(select ${columns(Comment, "c")} from task_comments c join threads on threads.kept and threads.id = coalesce(c.parent_id, c.id)
      where c.organisation_id = ${organisation} and c.task_id = ${id}
      order by threads.created_at, threads.id, c.parent_id nulls first, c.created_at, c.id)`),
  )}::json as comments, exists (select 1 from threads where not threads.kept) as comments_truncated`;

import { columns } from "../../../core/database/model.ts";
import { jsonArray, projection } from "../../../core/database/projection.ts";
import { forStaffAndClients, mayCaller } from "../../../core/request/caller.ts";
import { rowsOf } from "../../../mixins/resource.ts";
import { namedContact } from "../named-contacts.ts";
import { Comment } from "../task-models.ts";
import { tasksOfClient, workOfStaff } from "../visibility.ts";
import { CommentRead } from "./comment-schemas.ts";

/** The records among a comment's mentions that a restricted reader sees; `table` on alias `t`. */
const seenAmong = (mentions: string, table: string, visible: string): string => `array(
  select u.id from (select t.organisation_id as of_organisation, t.${mentions} as ids) said
    cross join lateral unnest(said.ids) with ordinality u(id, n)
    join ${table} t on t.organisation_id = said.of_organisation and t.id = u.id and ${visible} order by u.n)`;

/**
 * Comments as one kind of reader sees them: with the author's current name, or the stored name if the account is gone, and with the ids of
 * those mentioned contacts and tasks that the reader sees (work chapter §3.8).
 */
const shownTo = (clients: boolean, readsContacts: boolean) =>
  projection({
    model: Comment,
    schema: CommentRead,
    columns: {
      mentioned_contact_ids: readsContacts ? "seen.contact_ids" : "'{}'::uuid[]",
      mentioned_task_ids: "seen.task_ids",
      author_user_id: "t.author_account_id",
      author_name: "coalesce(author.name, t.author_name)",
      author_deleted: "author.name is null and coalesce(t.author_account_id, t.author_service_account_id) is not null",
    },
    // `offset 0` keeps this a lookup per comment: PostgreSQL could reorder the comments in a join.
    joins: (sources) => `cross join lateral (select
      case when ${sources} is null then t.mentioned_contact_ids else ${seenAmong("mentioned_contact_ids", "contacts", namedContact(clients).visible(sources))} end as contact_ids,
      case when ${sources} is null then t.mentioned_task_ids else ${seenAmong("mentioned_task_ids", "tasks", (clients ? tasksOfClient : workOfStaff)(sources))} end as task_ids) seen
  left join lateral (
    select coalesce(nullif(a.full_name, ''), a.email) as name from accounts a where a.id = t.author_account_id
    union all
    select s.name from service_accounts s where s.organisation_id = t.organisation_id and s.id = t.author_service_account_id
    offset 0) author on true`,
  });

const compiled = forStaffAndClients((clients) => {
  const of = (readsContacts: boolean) => {
    const shown = shownTo(clients, readsContacts);
    return { shown, rows: rowsOf({ model: Comment, projection: shown, narrowed: true }) };
  };
  return { withContacts: of(true), without: of(false) };
});

/** Whether the caller reads contacts, so that mentions of them are shown. */
export const seesContacts = (): boolean => mayCaller("contacts.contact.read");

/** Comments as the caller sees them. */
export const comments = () => compiled()[seesContacts() ? "withContacts" : "without"].rows;

/** Maximum number of comments in a task's response. */
const MOST = 200;

/**
 * SQL for one row with a task's `comments` (JSON) and `comments_truncated` (work chapter §3.8): the newest 200, oldest thread first, each
 * opener followed by its replies. Truncation drops whole threads, oldest opener first; the newest thread is always complete.
 * @param organisation SQL for the organisation
 * @param id SQL for the task
 * @param sources SQL for the sources of the reader's selection
 */
export const commentsOf = (
  { organisation, id, sources }: { organisation: string; id: string; sources: string },
  { clients, readsContacts }: { clients: boolean; readsContacts: boolean },
): string => `with threads as (
    select o.id, o.created_at,
           row_number() over newest = 1 or sum(1 + (select count(*) from task_comments r
             where r.organisation_id = ${organisation} and r.parent_id = o.id)) over newest <= ${MOST} as kept
      from (select f.id, f.created_at from task_comments f
             where f.organisation_id = ${organisation} and f.task_id = ${id} and f.parent_id is null
             order by f.created_at desc, f.id desc limit ${MOST + 1}) o
    window newest as (order by o.created_at desc, o.id desc))
  select ${jsonArray(
    shownTo(clients, readsContacts).rows(
      `(select ${columns(Comment, "c")} from task_comments c join threads on threads.kept and threads.id = coalesce(c.parent_id, c.id)
      where c.organisation_id = ${organisation} and c.task_id = ${id}
      order by threads.created_at, threads.id, c.parent_id nulls first, c.created_at, c.id)`,
      sources,
    ),
  )}::json as comments, exists (select 1 from threads where not threads.kept) as comments_truncated`;

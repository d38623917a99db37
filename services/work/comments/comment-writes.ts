import { query, queryOne } from "../../../core/database/query.ts";
import { queueInsert, touch } from "../../../core/database/write.ts";
import { invalid, notFound } from "../../../core/errors/errors.ts";
import { emit } from "../../../core/jobs/outbox.ts";
import { callerId, impersonatorName, mayCaller } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { withoutHtml } from "../../../core/values/text.ts";
import { Comment, Task } from "../task-models.ts";
import { forStaffAndClients, tasksOfClient, workOfStaff } from "../visibility.ts";
import { audienceOf, type Participant } from "./audience.ts";
import { excerptOf, type Mentions, mentionsIn } from "./comment-text.ts";

/** Contacts on alias `c` in the selection `$5`; staff also see contacts without a company (clients chapter §2.5). */
const contactSeen = (clients: boolean): string =>
  `($5::uuid[] is null or c.id in (select selected_contacts($5::uuid[]))${
    clients
      ? ""
      : " or not exists (select 1 from contact_links l where l.organisation_id = c.organisation_id and l.contact_id = c.id)"
  })`;

/** The allowed mentions of a text, in its order: members, contacts and tasks that the writer sees. */
const MENTIONED = forStaffAndClients((clients) =>
  statement(`select
    array(select m.account_id from unnest($2::uuid[]) with ordinality u(id, n)
      join memberships m on m.organisation_id = $1 and m.account_id = u.id order by u.n) as mentioned_user_ids,
    array(select c.id from unnest($3::uuid[]) with ordinality u(id, n)
      join contacts c on c.organisation_id = $1 and c.id = u.id where ${contactSeen(clients)} order by u.n) as mentioned_contact_ids,
    array(select t.id from unnest($4::uuid[]) with ordinality u(id, n)
      join tasks t on t.organisation_id = $1 and t.id = u.id
      where $5::uuid[] is null or ${(clients ? tasksOfClient : workOfStaff)("$5::uuid[]")} order by u.n) as mentioned_task_ids`),
);

/** Members on a task's roster or among its commenters; `$3` is the thread. */
const PARTICIPANTS = statement(`select m.account_id as id, bool_or(p.in_thread) as in_thread
  from (select a.account_id, false as in_thread from task_assignees a where a.organisation_id = $1 and a.task_id = $2
    union all
    select c.author_account_id, coalesce(c.parent_id, c.id) = $3::uuid from task_comments c
     where c.organisation_id = $1 and c.task_id = $2) p
  join memberships m on m.organisation_id = $1 and m.account_id = p.account_id
  group by m.account_id order by m.account_id`);

const PARENT = statement(
  "select coalesce(parent_id, id) as thread from task_comments where organisation_id = $1 and id = $2 and task_id = $3",
);

interface Mentioned {
  mentioned_user_ids: string[];
  mentioned_contact_ids: string[];
  mentioned_task_ids: string[];
}

const none: Mentioned = { mentioned_user_ids: [], mentioned_contact_ids: [], mentioned_task_ids: [] };

const isEmpty = ({ user_ids, contact_ids, task_ids }: Mentions): boolean =>
  user_ids.length + contact_ids.length + task_ids.length === 0;

/** The body of a comment as stored. @throws 422 if it is blank without its HTML */
export function storedBody(sent: string): string {
  const body = withoutHtml(sent);
  if (body.trim() === "") throw invalid({ body: "errors.required" });
  return body;
}

/** Resolves the mentions of a comment and drops those that are not allowed (work chapter §3.8). */
export async function mentionedIn(body: string): Promise<Mentioned> {
  const named = mentionsIn(body);
  if (isEmpty(named)) return none;
  const { organisation, principal } = request();
  const contacts = mayCaller("contacts.contact.read") ? named.contact_ids : [];
  const values = [organisation.id, named.user_ids, contacts, named.task_ids, principal?.selection ?? null];
  return (await queryOne<Mentioned>(MENTIONED(), values)) as Mentioned;
}

/** The opener of the thread of `parentId`: threads are one level deep. @throws 404 for a comment of another task */
export async function threadOf(taskId: string, parentId: string): Promise<string> {
  const parent = await queryOne<{ thread: string }>(PARENT, [request().organisation.id, parentId, taskId]);
  if (!parent) throw notFound();
  return parent.thread;
}

/** The members involved before a new comment: the task's roster and earlier commenters. */
export const participantsOf = (taskId: string, thread: string | null): Promise<Participant[]> =>
  query<Participant>(PARTICIPANTS, [request().organisation.id, taskId, thread]);

/**
 * Adds a comment to a task, as the caller or the system, with its events. Every path that comments goes through here.
 * @returns its id
 * @throws 404 for a parent that is no comment of the task, 422 for a body that is blank without its HTML
 */
export async function addComment(
  task: { readonly id: string; readonly title: string },
  sent: { readonly body: string; readonly parent_id?: string | null | undefined },
): Promise<string> {
  const body = storedBody(sent.body);
  const parent_id = sent.parent_id ? await threadOf(task.id, sent.parent_id) : null;
  const [mentioned, participants] = await Promise.all([mentionedIn(body), participantsOf(task.id, parent_id)]);
  const { principal } = request();
  const id = queueInsert(Comment, {
    task_id: task.id,
    parent_id,
    body,
    ...mentioned,
    author_account_id: principal?.accountId ?? null,
    author_service_account_id: principal?.serviceAccountId ?? null,
    author_name: principal?.name ?? null,
    impersonator_name: impersonatorName(),
  });
  touch(Task, task.id);
  emitComment(task, { id, thread: parent_id ?? id, body, mentioned: mentioned.mentioned_user_ids }, participants);
  return id;
}

/** A comment that was just written. */
interface Written {
  readonly id: string;
  readonly thread: string;
  readonly body: string;
  readonly mentioned: readonly string[];
}

/**
 * Emits the events of a new comment, one per recipient (work chapter §3.8). Always emits `task.commented`, even without recipients: it is
 * part of the task's activity, and followers receive it.
 */
export function emitComment(
  task: { readonly id: string; readonly title: string },
  { id, thread, body, mentioned }: Written,
  participants: readonly Participant[],
): void {
  const audience = audienceOf(callerId(), mentioned, participants);
  const payload = { task_id: task.id, title: task.title, excerpt: excerptOf(body), comment_id: id, thread_id: thread };
  for (const heard of ["mentioned", "replied", "commented"] as const)
    if (heard === "commented" || audience[heard].length > 0)
      emit(`task.${heard}`, "task", task.id, { ...payload, recipients: audience[heard] });
}

import type { RowOf } from "../../../core/database/model.ts";
import { queryOne } from "../../../core/database/query.ts";
import { lock, queueRemove, queueUpdate, touch } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { internal } from "../../../core/declare/makers/internal.ts";
import { forbidden, notFound } from "../../../core/errors/errors.ts";
import { requireMatch } from "../../../core/http/etag.ts";
import { mayCaller } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { uuid } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { trail } from "../../../core/trail/trail.ts";
import { resource } from "../../../mixins/resource.ts";
import { requireTask } from "../task-access.ts";
import { Comment, Task } from "../task-models.ts";
import { comments } from "./comment-rows.ts";
import { CommentCreate, CommentRead, CommentUpdate } from "./comment-schemas.ts";
import { excerptOf } from "./comment-text.ts";
import { addComment, mentionedIn, storedBody } from "./comment-writes.ts";

const TASK_OF = statement("select task_id from task_comments where organisation_id = $1 and id = $2");
const REPLIES = statement("select count(*)::int as replies from task_comments where organisation_id = $1 and parent_id = $2");

type StoredComment = RowOf<typeof Comment>;

/** Locks a comment of a task that the caller can read. @throws 404 */
async function lockComment(taskId: string, id: string): Promise<StoredComment> {
  await requireTask(taskId);
  const comment = await lock(Comment, id, "t.task_id = $3", [taskId]);
  if (!comment) throw notFound();
  return comment;
}

/** Whether the caller, a person or a service account, wrote a comment. */
function isAuthor({ author_account_id: account, author_service_account_id: service }: StoredComment): boolean {
  const { principal } = request();
  if (account !== null) return account === principal?.accountId;
  return service !== null && service === principal?.serviceAccountId;
}

export default resource("tasks.comments", {
  model: Comment,
  actions: {
    create: action({
      rest: "POST /tasks/:task_id/comments",
      summary: "Comment on a task, or answer a comment",
      description:
        "An answer to an answer joins the thread. People, contacts and tasks are mentioned as `@[Name](mention:<user id>)`, `@[Name](mention:contact:<id>)` and `#[Title](mention:task:<id>)`.",
      permission: "tasks.comment.write",
      body: CommentCreate,
      returns: CommentRead,
      tool: {
        name: "comment_on_task",
        description: "Writes a comment on a task.",
        inArea: true,
        takes: ["task_id", "body"],
      },
      async handler(ctx) {
        const { task_id: taskId, body } = ctx.params;
        return comments().answerWith(await addComment(await requireTask(taskId), body));
      },
    }),

    update: action({
      rest: "PATCH /tasks/:task_id/comments/:comment_id",
      summary: "Change your own comment",
      description: "Only its author can. The service parses mentions again without notifying anyone.",
      permission: "tasks.comment.write",
      body: CommentUpdate,
      returns: CommentRead,
      async handler(ctx) {
        const { task_id: taskId, comment_id: id } = ctx.params;
        const body = storedBody(ctx.params.body.body);
        const before = await lockComment(taskId, id);
        if (!isAuthor(before)) throw forbidden();
        requireMatch(before.version);
        if (body !== before.body) {
          queueUpdate(Comment, id, { body, ...(await mentionedIn(body)), edited_at: new Date().toISOString() });
          touch(Task, taskId);
        }
        return comments().answerWith(id);
      },
    }),

    remove: action({
      rest: "DELETE /tasks/:task_id/comments/:comment_id",
      summary: "Remove a comment, with the answers to it",
      permission: "tasks.comment.write",
      async handler(ctx) {
        const { task_id: taskId, comment_id: id } = ctx.params;
        const before = await lockComment(taskId, id);
        if (!isAuthor(before) && !mayCaller("tasks.comment.write:any")) throw forbidden();
        requireMatch(before.version);
        const found = await queryOne<{ replies: number }>(REPLIES, [request().organisation.id, id]);
        const replies = found?.replies ?? 0;
        queueRemove(Comment, id);
        touch(Task, taskId);
        trail("task", taskId, "comment_deleted", { excerpt: excerptOf(before.body), ...(replies > 0 && { replies }) });
      },
    }),

    get: internal({
      summary: "Read one comment, as its task is seen",
      permission: "tasks.task.read",
      query: { comment_id: uuid() },
      returns: CommentRead,
      async handler(ctx) {
        const id = ctx.params.comment_id;
        const comment = await queryOne<{ task_id: string }>(TASK_OF, [request().organisation.id, id]);
        if (!comment) throw notFound();
        await requireTask(comment.task_id);
        return comments().one(id);
      },
    }),
  },
});

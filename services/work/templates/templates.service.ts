import { isDeepStrictEqual } from "node:util";
import { sinceQuery } from "../../../core/database/lists/list.ts";
import { columns } from "../../../core/database/model.ts";
import { jsonArray } from "../../../core/database/projection.ts";
import { queryOne } from "../../../core/database/query.ts";
import { differences, queueInsert, queueRemove, queueUpdate, withoutBlanks } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { request } from "../../../core/request/context.ts";
import { list } from "../../../core/schema/schema.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { statement } from "../../../core/sql/statement.ts";
import { requireAssignable } from "../../../mixins/assignees.ts";
import { resource } from "../../../mixins/resource.ts";
import { requireReferences } from "../references.ts";
import { Task, TaskTemplate } from "../task-models.ts";
import { taskProjection } from "../tasks/task.list.ts";
import { TaskRead } from "../tasks/task-schemas.ts";
import { applyTemplate, templateToApply } from "./template-application.ts";
import { storeTasks, type TemplateTask, tasksOf, templates, templateTasks } from "./template-rows.ts";
import { TaskTemplateCreate, TaskTemplateRead, TaskTemplateUpdate, TemplateApply } from "./template-schemas.ts";

const MADE = statement(
  `select ${jsonArray(
    taskProjection.rows(`(select ${columns(Task, "t")} from unnest($2::uuid[]) with ordinality made(id, n)
      join tasks t on t.organisation_id = $1 and t.id = made.id order by made.n)`),
  )} as items`,
);

/** The tasks just created, in the given order. */
async function madeTasks(ids: readonly string[]): Promise<JsonText> {
  return new JsonText((await queryOne<{ items: string }>(MADE, [request().organisation.id, ids]))?.items ?? "[]");
}

const assigneesOf = (tasks: readonly TemplateTask[]): string[] => tasks.flatMap(({ assignee_user_id: id }) => id ?? []);

/** @throws 400 `invalid_assignee`, 422 `items` for people whom a template newly names and who cannot get work */
function requireAssignees(tasks: readonly TemplateTask[], before: readonly TemplateTask[] = []): Promise<void> {
  const stored = new Set(assigneesOf(before));
  return requireAssignable(
    assigneesOf(tasks).filter((id) => !stored.has(id)),
    "items",
  );
}

export default resource("tasks.templates", {
  model: TaskTemplate,
  actions: {
    list: action({
      rest: "GET /tasks/templates",
      summary: "List task templates by name",
      permission: "tasks.template.apply",
      query: sinceQuery,
      returns: list(TaskTemplateRead),
      handler: ({ params: { updated_since } }) => templates.all({ updated_since }),
    }),

    create: action({
      rest: "POST /tasks/templates",
      summary: "Create a task template",
      description:
        "Its items keep the order sent. With the trigger `company_status` a client that enters the status gets its tasks.",
      permission: "tasks.template.write",
      body: TaskTemplateCreate,
      returns: TaskTemplateRead,
      errors: ["invalid_assignee", "validation errors.inactive_member"],
      async handler(ctx) {
        const { items = [], ...sent } = ctx.params.body;
        const tasks = templateTasks(items);
        await requireAssignees(tasks);
        const id = queueInsert(TaskTemplate, withoutBlanks(TaskTemplate, sent));
        storeTasks(id, tasks, true);
        return templates.answerWith(id);
      },
    }),

    get: action({
      rest: "GET /tasks/templates/:template_id",
      summary: "Read one task template",
      permission: "tasks.template.apply",
      returns: TaskTemplateRead,
      handler: (ctx) => templates.one(ctx.params.template_id),
    }),

    update: action({
      rest: "PATCH /tasks/templates/:template_id",
      summary: "Change a task template; items in the request replace all of them",
      permission: "tasks.template.write",
      body: TaskTemplateUpdate,
      returns: TaskTemplateRead,
      errors: ["invalid_assignee", "validation errors.inactive_member"],
      async handler(ctx) {
        const { template_id: id, body } = ctx.params;
        const { items, ...sent } = body;
        const before = await templates.forWrite(id);
        const tasks = items && templateTasks(items);
        const stored = tasks === undefined ? [] : await tasksOf(id);
        const replaces = tasks !== undefined && !isDeepStrictEqual(tasks, stored);
        const changed = differences(before, withoutBlanks(TaskTemplate, sent));
        if (replaces) {
          await requireAssignees(tasks, stored);
          storeTasks(id, tasks);
        }
        if (changed || replaces) queueUpdate(TaskTemplate, id, changed ?? {});
        return templates.answerWith(id);
      },
    }),

    remove: action({
      rest: "DELETE /tasks/templates/:template_id",
      summary: "Delete a task template; tasks made from it stay",
      permission: "tasks.template.write",
      async handler(ctx) {
        const id = ctx.params.template_id;
        await templates.forWrite(id);
        queueRemove(TaskTemplate, id);
      },
    }),

    apply: action({
      rest: "POST /tasks/templates/:template_id/apply",
      summary: "Make the tasks of a template for a client",
      description: "Whatever its trigger, and even if it is inactive.",
      permission: "tasks.template.apply",
      body: TemplateApply,
      returns: list(TaskRead),
      async handler(ctx) {
        const { template_id: id, body } = ctx.params;
        await requireReferences(body);
        return madeTasks(await applyTemplate(await templateToApply(id), body.company_id, body.project_id ?? null));
      },
    }),
  },
});

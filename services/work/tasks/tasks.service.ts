import { listQuery } from "../../../core/database/lists/list.ts";
import { action } from "../../../core/declare/action.ts";
import { flag, optional, page } from "../../../core/schema/schema.ts";
import { resource } from "../../../mixins/resource.ts";
import { requireTask } from "../task-access.ts";
import { Task } from "../task-models.ts";
import { taskListing } from "./task.list.ts";
import { taskDetail } from "./task-detail.ts";
import { taskFilters, taskList, taskQuery, taskRows } from "./task-rows.ts";
import { TaskAIStatusRead, TaskCreate, TaskDetail, TaskListItem, TaskRead, TaskUpdate } from "./task-schemas.ts";
import { updateTask } from "./writes/task-changes.ts";
import { removeTask } from "./writes/task-deletion.ts";
import { createTask } from "./writes/task-writes.ts";

export default resource("tasks", {
  model: Task,
  actions: {
    list: action({
      rest: "GET /tasks",
      summary: "List tasks",
      description:
        "`meta=false` leaves labels, roster and counts empty. `hours=true` adds the hours of each, for callers who can read time entries.",
      permission: "tasks.task.read",
      query: {
        ...listQuery(taskListing.spec.sorts),
        ...taskQuery,
        meta: optional(flag(true)),
        hours: optional(flag(false)),
      },
      returns: page(TaskListItem),
      handler(ctx) {
        const { meta = true, hours = false, ...asked } = ctx.params;
        return taskList(meta, hours).page(asked, taskFilters(asked));
      },
    }),

    create: action({
      rest: "POST /tasks",
      summary: "Create a task, with its checklist, links and labels",
      description: "Without a roster and a contact it is assigned to the starred person of its project, else of its client.",
      permission: "tasks.task.create",
      body: TaskCreate,
      example: {
        title: "Website relaunch",
        description: "Agreed by phone: the texts come on **Friday**.",
        priority: "high",
        due_date: "2026-03-20",
        allocated_minutes: 480,
        checklist: { title: "Before the launch", items: [{ title: "Redirect the old pages" }, { title: "Check the forms" }] },
      },
      returns: TaskRead,
      errors: ["invalid_assignee", "validation errors.inactive_member", "multiple_primary_assignees", "not_found"],
      tool: {
        name: "create_task",
        description: "Creates a task for a client or project, with a due date and an assignee.",
        inArea: true,
        takes: [
          "title",
          "description",
          "company_id",
          "project_id",
          "due_date",
          "priority",
          "assignee_user_id",
          "allocated_minutes",
        ],
      },
      async handler(ctx) {
        return taskRows().answerWith(await createTask(ctx.params.body));
      },
    }),

    get: action({
      rest: "GET /tasks/:task_id",
      summary: "Read one task with everything that hangs on it",
      permission: "tasks.task.read",
      returns: TaskDetail,
      handler: (ctx) => taskDetail(ctx.params.task_id),
    }),

    update: action({
      rest: "PATCH /tasks/:task_id",
      summary: "Change a task, move it to another status, hand it to someone else",
      description:
        "`assignee_user_id` alone hands it off: the roster becomes that person. `log_time` writes hours while finishing.",
      permission: "tasks.task.write",
      body: TaskUpdate,
      returns: TaskRead,
      errors: [
        "invalid_assignee",
        "validation errors.inactive_member",
        "multiple_primary_assignees",
        "schedule_already_logged",
        "license_expired",
      ],
      tool: {
        name: "change_task",
        description: "Changes a task: its status (`done` finishes it), title, due date, priority or assignee.",
        inArea: true,
        takes: ["task_id", "title", "description", "status", "priority", "due_date", "assignee_user_id"],
      },
      async handler(ctx) {
        const id = ctx.params.task_id;
        await updateTask(id, ctx.params.body);
        return taskRows().answerWith(id);
      },
    }),

    remove: action({
      rest: "DELETE /tasks/:task_id",
      summary: "Delete a task",
      description: "Deletes its checklists, comments, links, labels and planned blocks; hours stay, without a task.",
      permission: "tasks.task.delete",
      async handler(ctx) {
        await removeTask(ctx.params.task_id);
      },
    }),

    aiStatus: action({
      rest: "GET /tasks/:task_id/ai-status",
      summary: "How far the background fill-in of a task is",
      permission: "tasks.task.read",
      returns: TaskAIStatusRead,
      async handler(ctx) {
        const { ai_status } = await requireTask(ctx.params.task_id);
        return { ai_status };
      },
    }),
  },
});

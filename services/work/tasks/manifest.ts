import { defineModule } from "../../../core/declare/module.ts";
import { taskEvents } from "../events.ts";

export const tasks = defineModule({
  key: "tasks",
  kind: "module",
  permissions: {
    "tasks.task.read": { position: 10, grants: ["admin", "member", "client"] },
    "tasks.task.create": { position: 20, grants: ["admin", "member"] },
    "tasks.task.write": { position: 30, grants: { admin: "any", member: "own" } },
    "tasks.task.delete": { position: 40, grants: ["admin"] },
    "tasks.schedule.read": { position: 42, grants: { admin: "any", member: "own" } },
    "tasks.schedule.write": { position: 44, grants: { admin: "any", member: "own" } },
    "tasks.comment.write": { position: 50, grants: { admin: "any", member: "own", client: "own" } },
    "tasks.label.write": { position: 60, grants: ["admin"] },
    "tasks.status.write": { position: 65, grants: ["admin"] },
    "tasks.checklist_template.write": { position: 70, grants: ["admin"] },
    "tasks.template.write": { position: 80, grants: ["admin"] },
    "tasks.template.apply": { position: 90, grants: ["admin"] },
  },
  errors: {
    409: ["conflict errors.status_in_use", "conflict errors.status_last", "schedule_already_logged"],
    422: ["required"],
  },
  events: taskEvents,
  effects: {
    "company.status_entered": async () => (await import("../templates/template-application.ts")).applyByStatus,
    "subscription.activated": async () => (await import("../templates/template-application.ts")).applyByAgreement,
  },
  records: {
    task: {
      seen: ["tasks.get", "task_id"],
      trail: { permission: "tasks.task.read" },
      files: "open",
      sheet: async () => (await import("../task-sheets/task.impex.ts")).task,
    },
    task_comment: { seen: ["tasks.comments.get", "comment_id"], files: "open" },
    task_schedule: {},
  },
  tables: [
    "task_assignees",
    "task_calendar_tokens",
    "task_checklist_items",
    "task_checklist_templates",
    "task_checklists",
    "task_comments",
    "task_label_links",
    "task_labels",
    "task_links",
    "task_reminders",
    "task_schedules",
    "task_statuses",
    "task_template_items",
    "task_templates",
    "tasks",
  ],
  shows: {
    // What an agreement may be linked to, and what its types apply.
    task_templates: ["id"],
    tasks: ["id", "company_id", "project_id"],
  },
  tags: { tasks: "Tasks, checklists, comments, labels and schedules." },
});

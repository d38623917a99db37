import { defineModule } from "../../../core/declare/module.ts";
import { CLIENT_OF } from "../clients-of-work.ts";
import { taskEvents } from "../events.ts";
import { AssignConfig, CreateConfig, SetStatusConfig } from "./automation/automation-configs.ts";

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
  automation: {
    entities: { task: async () => (await import("./task-facts.ts")).taskFacts },
    triggers: {
      "task.created": { position: 10, payload: ["task_id", "title", "status", "company_id", "project_id"] },
      "task.status_changed": { position: 20, payload: ["task_id", "title", "from", "to", "finished"] },
      "task.assigned": { position: 30, payload: ["task_id", "title"] },
    },
    actions: {
      "task.create": { position: 10, config: CreateConfig, call: "tasks.automation.create" },
      "task.set_status": { position: 20, config: SetStatusConfig, call: "tasks.automation.setStatus" },
      "task.assign": { position: 30, config: AssignConfig, call: "tasks.automation.assign" },
    },
  },
  effects: {
    "company.status_entered": async () => (await import("../templates/template-application.ts")).applyByStatus,
    "subscription.activated": async () => (await import("../templates/template-application.ts")).applyByAgreement,
  },
  records: {
    task: {
      seen: ["tasks.get", "task_id"],
      readers: { permission: "tasks.task.read" },
      client: { table: "tasks", of: CLIENT_OF },
      trail: true,
      changes: {
        recurrence_spawned: "created",
        template_applied: "created",
        status_changed: ["status"],
        due_extended: ["due_date"],
      },
      files: "open",
      sheet: async () => (await import("../task-sheets/task.impex.ts")).task,
      bulk: {
        update: "tasks.task.write",
        delete: "tasks.task.delete",
        load: async () => (await import("./task.bulk.ts")).tasksInBulk,
      },
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
    tasks: ["id", "company_id", "project_id", "title", "visible_to_client"],
  },
  tags: { tasks: "Tasks, checklists, comments, labels and schedules." },
});

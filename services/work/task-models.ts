import { column, tenantModel } from "../../core/database/model.ts";
import { conflict, invalid, notFound, refusal } from "../../core/errors/errors.ts";

const { boolean, date, hashed, instant, integer, json, text, uuid } = column;

export type TaskPriority = "low" | "normal" | "high";
export type AiStatus = "queued" | "running" | "done" | "skipped" | "failed";

/** A recurrence rule as stored (work chapter §3.9). */
export interface StoredRecurrence {
  freq: "daily" | "weekly" | "monthly" | "quarterly" | "yearly";
  interval: number;
  mode: "after_completion" | "schedule";
  on_weekday: number | null;
  on_weekdays?: readonly number[] | null;
  on_week?: "first" | "second" | "third" | "fourth" | "last" | null;
  on_day: number | null;
  on_month: number | null;
  plan: { user_id: string | null; start_time: string; duration_minutes: number } | null;
}

/** An item of a checklist or task template. */
export interface TemplateItem {
  title: string;
  description: string | null;
}

export const TaskStatus = tenantModel("task_statuses", {
  key: text(),
  name: text(),
  color: text(),
  position: integer().withDefault(),
  is_terminal: boolean().withDefault(),
  is_default: boolean().withDefault(),
  requires_interaction: boolean().withDefault(),
}).whenViolated({
  task_statuses_key_key: () => conflict("errors.conflict", "key"),
});

export const TaskLabel = tenantModel("task_labels", {
  name: text(),
  color: text(),
  position: integer().withDefault(),
}).whenViolated({
  task_labels_name_key: () => conflict("errors.conflict", "name"),
});

export const ChecklistTemplate = tenantModel("task_checklist_templates", {
  title: text(),
  items: json<readonly TemplateItem[]>().withDefault(),
});

/** 422 for a contact of a client other than the task\'s (work chapter §3.5). */
export const contactOfAnotherClient = () => invalid({ assignee_contact_id: "errors.tasks_assignee_contact_company" });

export const Task = tenantModel("tasks", {
  company_id: uuid().orNull(),
  project_id: uuid().orNull(),
  assignee_contact_id: uuid().orNull(),
  status: text(),
  priority: text<TaskPriority>().withDefault(),
  priority_rank: integer().byDatabase(),
  due_date: date().orNull(),
  visible_to_client: boolean().withDefault(),
  position: column.real().withDefault(),
  search_text: text().byDatabase(),
  title: text(),
  unnamed: boolean().withDefault(),
  allocated_minutes: integer().orNull(),
  completed_at: instant().orNull(),
  requires_interaction: boolean().withDefault(),
  closing_interaction_id: uuid().orNull(),
  recurrence: json<StoredRecurrence>().orNull(),
  recurrence_next_run: date().orNull(),
  ai_status: text<AiStatus>().orNull(),
  ai_status_at: instant().orNull(),
  description: text().orNull(),
}).whenViolated({
  tasks_status_fkey: () => conflict("errors.status_in_use"),
  // A row that is deleted between the check and the write is not found either.
  tasks_company_fkey: notFound,
  tasks_project_fkey: notFound,
  tasks_contact_fkey: contactOfAnotherClient,
  task_assignees_account_id_fkey: () => refusal("invalid_assignee"),
});

export const TaskLink = tenantModel("task_links", { task_id: uuid(), url: text(), title: text().orNull() });

export const Checklist = tenantModel("task_checklists", {
  task_id: uuid(),
  title: text(),
  description: text().orNull(),
  position: integer().withDefault(),
});

export const ChecklistItem = tenantModel("task_checklist_items", {
  checklist_id: uuid(),
  title: text(),
  description: text().orNull(),
  done: boolean().withDefault(),
  position: integer().withDefault(),
});

export const Comment = tenantModel("task_comments", {
  task_id: uuid(),
  parent_id: uuid().orNull(),
  author_account_id: uuid().orNull(),
  author_service_account_id: uuid().orNull(),
  author_name: text().orNull(),
  impersonator_name: text().orNull(),
  body: text(),
  mentioned_user_ids: column.uuids().withDefault(),
  mentioned_contact_ids: column.uuids().withDefault(),
  mentioned_task_ids: column.uuids().withDefault(),
  edited_at: instant().orNull(),
}).whenViolated({
  // A row that is deleted between the check and the write is not found either.
  task_comments_organisation_id_task_id_fkey: notFound,
  task_comments_parent_fkey: notFound,
});

export const TaskTemplate = tenantModel("task_templates", {
  name: text(),
  trigger: text<"manual" | "company_status">().withDefault(),
  trigger_status: text().orNull().blankIsNull(),
  active: boolean().withDefault(),
});

export const TaskTemplateItem = tenantModel("task_template_items", {
  template_id: uuid(),
  position: integer().withDefault(),
  title: text(),
  description: text().orNull(),
  priority: text<TaskPriority>().withDefault(),
  relative_due_days: integer().orNull(),
  allocated_minutes: integer().orNull(),
  assignee_user_id: uuid().orNull(),
  assign_responsible: boolean().withDefault(),
  requires_interaction: boolean().withDefault(),
  checklist_title: text().orNull(),
  checklist_items: json<readonly TemplateItem[]>().withDefault(),
});

export const Schedule = tenantModel("task_schedules", {
  task_id: uuid(),
  user_id: uuid().orNull(),
  starts_at: instant(),
  ends_at: instant(),
  note: text().orNull(),
  time_entry_id: uuid().orNull(),
  created_by_account_id: uuid().orNull(),
  created_by_name: text().orNull(),
}).whenViolated({
  // A row that is deleted between the check and the write is not found either.
  task_schedules_organisation_id_task_id_fkey: notFound,
  task_schedules_user_id_fkey: () => refusal("invalid_assignee"),
});

export const TaskCalendarToken = tenantModel("task_calendar_tokens", { membership_id: uuid(), token_hash: hashed() });

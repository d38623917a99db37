import {
  answer,
  choice,
  date,
  flag,
  input,
  instant,
  integer,
  json,
  label,
  list,
  multiline,
  neverNull,
  nullable,
  optional,
  type TProperties,
  Type,
  text,
  time,
  uuid,
} from "../../../core/declare/schema.ts";
import { AssigneeRead, AssigneeWrite } from "../../../core/values/roster-schemas.ts";
import { ChecklistItemCreate, ChecklistRead } from "../checklists/checklist-schemas.ts";
import { CommentRead } from "../comments/comment-schemas.ts";
import { LabelRead } from "../labels/label-schemas.ts";
import { TaskLinkCreate, TaskLinkRead } from "../links/link-schemas.ts";

export const PRIORITIES = ["low", "normal", "high"] as const;
export const priority = (options = {}) => choice(PRIORITIES, { $id: "TaskPriority", "x-usage": "both", ...options });

const FREQUENCIES = ["daily", "weekly", "monthly", "quarterly", "yearly"] as const;
const MODES = ["after_completion", "schedule"] as const;

const RecurrencePlan = Type.Object(
  { user_id: optional(nullable(uuid())), start_time: time(), duration_minutes: integer(1, 1440) },
  { $id: "RecurrencePlan", "x-usage": "both", additionalProperties: false },
);

/**
 * A rule of recurrence as bodies send it and answers show it (work chapter §3.9). A closed shape: a key that it does not know would be a rule
 * that the caller means and the task does not follow.
 */
export const Recurrence = Type.Object(
  {
    freq: choice(FREQUENCIES, { $id: "RecurrenceFreq", "x-usage": "both" }),
    interval: optional(integer(1, 365, { default: 1 })),
    mode: optional(choice(MODES, { $id: "RecurrenceMode", "x-usage": "both", default: "after_completion" })),
    on_weekday: optional(nullable(integer(0, 6))),
    on_day: optional(nullable(integer(1, 31))),
    on_month: optional(nullable(integer(1, 12))),
    plan: optional(nullable(RecurrencePlan)),
  },
  { $id: "Recurrence", "x-usage": "both", additionalProperties: false },
);
const recurrence = () => nullable(Recurrence);

/** How far from 0 a position may be set: there every step of 0.001 is still another number, and so is the next task's. */
export const FARTHEST_POSITION = 1e12;

const minutes = () => nullable(integer(0, 100_000));
const assignees = () => nullable(list(AssigneeWrite));

/** What every answer about a task tells. */
const read = {
  id: uuid(),
  org_id: uuid(),
  company_id: nullable(uuid()),
  project_id: nullable(uuid()),
  title: label(512),
  unnamed: flag(false),
  description: nullable(Type.String()),
  status: Type.String(),
  priority: priority({ default: "normal" }),
  due_date: nullable(date()),
  assignee_user_id: nullable(uuid()),
  assignees: list(AssigneeRead),
  assignee_contact_id: nullable(uuid()),
  allocated_minutes: minutes(),
  logged_minutes: nullable(Type.Integer()),
  remaining_minutes: nullable(Type.Integer()),
  position: Type.Number(),
  completed_at: nullable(instant()),
  requires_interaction: flag(false),
  closing_interaction_id: nullable(uuid()),
  visible_to_client: flag(false),
  recurrence: recurrence(),
  recurrence_next_run: nullable(date()),
  ai_status: nullable(Type.String()),
  created_at: instant(),
  updated_at: instant(),
} satisfies TProperties;

export const TaskRead = answer("TaskRead", read);

export const TaskListItem = answer("TaskListItem", {
  ...read,
  labels: list(LabelRead),
  checklist_done: Type.Integer({ default: 0 }),
  checklist_total: Type.Integer({ default: 0 }),
  comment_count: Type.Integer({ default: 0 }),
});

/** A line of the trail as the detail of a record shows it. */
export const ActivityRead = answer("ActivityRead", {
  id: uuid(),
  action: Type.String(),
  payload: json(),
  actor_user_id: nullable(uuid()),
  actor_name: nullable(Type.String()),
  actor_deleted: flag(false),
  impersonator_name: nullable(Type.String()),
  created_at: instant(),
});

export const TaskDetail = answer("TaskDetail", {
  ...read,
  labels: list(LabelRead),
  checklists: list(ChecklistRead),
  links: list(TaskLinkRead),
  comments: list(CommentRead),
  comments_truncated: flag(false),
  activities: list(ActivityRead),
});

const TaskCreateChecklist = input("TaskCreateChecklist", {
  title: optional(nullable(label(255))),
  items: optional(Type.Array(ChecklistItemCreate, { maxItems: 100, default: [] })),
});

export const TaskCreate = input("TaskCreate", {
  title: label(512),
  unnamed: optional(nullable(flag())),
  description: optional(nullable(multiline())),
  company_id: optional(nullable(uuid())),
  project_id: optional(nullable(uuid())),
  status: optional(nullable(text(50))),
  priority: optional(priority({ default: "normal" })),
  due_date: optional(nullable(date())),
  assignee_user_id: optional(nullable(uuid())),
  assignees: optional(assignees()),
  assignee_contact_id: optional(nullable(uuid())),
  allocated_minutes: optional(minutes()),
  requires_interaction: optional(flag(false)),
  visible_to_client: optional(flag(false)),
  recurrence: optional(recurrence()),
  checklist: optional(nullable(TaskCreateChecklist)),
  links: optional(Type.Array(TaskLinkCreate, { maxItems: 10, default: [] })),
  label_ids: optional(Type.Array(uuid(), { maxItems: 20, default: [] })),
});

export const TaskLogTime = input("TaskLogTime", {
  started_at: instant(),
  ended_at: instant(),
  description: optional(nullable(multiline(2000))),
  billable: optional(nullable(flag())),
  entry_type_key: optional(nullable(Type.String({ pattern: "^[a-z0-9_]+$", minLength: 1, maxLength: 50 }))),
  schedule_id: optional(nullable(uuid())),
});

export const TaskUpdate = input("TaskUpdate", {
  title: optional(neverNull(nullable(label(512)))),
  description: optional(nullable(multiline())),
  company_id: optional(nullable(uuid())),
  project_id: optional(nullable(uuid())),
  status: optional(neverNull(nullable(text(50)))),
  priority: optional(neverNull(nullable(choice(PRIORITIES)))),
  due_date: optional(nullable(date())),
  due_change_reason: optional(nullable(multiline(1000))),
  assignee_user_id: optional(nullable(uuid())),
  assignees: optional(assignees()),
  assignee_contact_id: optional(nullable(uuid())),
  allocated_minutes: optional(minutes()),
  position: optional(
    neverNull(
      nullable(
        Type.Number({
          minimum: -FARTHEST_POSITION,
          maximum: FARTHEST_POSITION,
          description: "Where the task stands in its order: a value between those of its two new neighbours",
        }),
      ),
    ),
  ),
  requires_interaction: optional(neverNull(nullable(flag()))),
  visible_to_client: optional(neverNull(nullable(flag()))),
  recurrence: optional(recurrence()),
  closing_interaction_id: optional(nullable(uuid())),
  log_time: optional(nullable(TaskLogTime)),
});

export const TaskAIStatusRead = answer("TaskAIStatusRead", { ai_status: nullable(Type.String()) });

import { namedValues } from "../../../core/naming/named-values.ts";
import { AssigneeRead, AssigneeWrite } from "../../../core/rules/roster-schemas.ts";
import { described } from "../../../core/schema/fields.ts";
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
} from "../../../core/schema/schema.ts";
import { WAITS, waits } from "../blockers/blocker-schemas.ts";
import { ChecklistItemCreate, ChecklistRead } from "../checklists/checklist-schemas.ts";
import { CommentRead } from "../comments/comment-schemas.ts";
import { LabelRead } from "../labels/label-schemas.ts";
import { TaskLinkCreate, TaskLinkRead } from "../links/link-schemas.ts";
import { WEEKS } from "./recurrence/recurrence.ts";

const TASK = {
  company_id: "The client; null if none. It can differ from the project's client",
  title: "Title of the task",
  unnamed: "Whether the title is a placeholder. The first change of the title clears it",
  description: "Description in markdown; null if none. The service removes HTML when it stores it",
  status: "Key of a configured status",
  priority: "`low`, `normal` or `high`",
  due_date: "Due date, in the organisation's zone; null if none",
  assignee_user_id: "The starred person of the roster; null without one",
  assignees:
    "Roster of the task, the starred person first. A sent roster replaces the stored one, and `[]` empties it. A new task without it gets the starred person of its project, else of its client",
  assignee_contact_id: "Contact of the task's client responsible for it, instead of colleagues; null if none",
  allocated_minutes: "Hour budget in minutes; null if none",
  logged_minutes:
    "Minutes of all finished time entries on the task. Set when one task is read and by `hours=true`, for callers with `time.entry.read`; null otherwise",
  remaining_minutes: "`allocated_minutes` less `logged_minutes`, possibly negative; null if either is",
  position: "Position in the order of tasks: lower numbers come first",
  completed_at: "When the task entered a finished status, UTC; null while it is open",
  requires_interaction: "Whether finishing the task needs a closing contact moment",
  closing_interaction_id:
    "Contact moment that closes the task: linked to it and visible to the team. Cleared when the task leaves a finished status; null if none",
  visible_to_client: "Whether logins of the task's client see it",
  recurrence: "Recurrence rule of the task; null if none",
  recurrence_next_run: "Day on which the service creates the next task; null unless the rule has the mode `schedule`",
  ai_status: "State of the AI fill-in: `queued`, `running`, `done`, `skipped` or `failed`; null if never started",
};

const RULE = {
  freq: "Unit of the repetition",
  interval: "Number of units between two tasks",
  mode: "`after_completion`: finishing the task creates the next one. `schedule`: the service creates it when its date comes, finished or not",
  on_weekday:
    "With `weekly`: weekday of the due date, 0 for Monday to 6 for Sunday; null for the weekday of the task's due date. With `on_week`: the weekday that is counted",
  on_weekdays:
    "With `weekly`, instead of `on_weekday`: several weekdays, 0 for Monday to 6 for Sunday, each once. The interval counts from the first of them in the next week; null for a single weekday",
  on_week:
    "With `monthly`, `quarterly` and `yearly`, together with `on_weekday` and instead of `on_day`: which of these weekdays of the month; null for a day of the month",
  on_day:
    "With `monthly`, `quarterly` and `yearly`: day of the month, cut to the last day of shorter months; null for the day of the task's due date",
  on_month: "With `yearly`, together with `on_day` or `on_week`: month, 1 to 12; null for the month of the task's due date",
  plan: "Block of work to plan on the due date of each new task; null if none",
};

export const PRIORITIES = namedValues("TaskPriority", ["low", "normal", "high"]);
export const priority = (options = {}) => choice(PRIORITIES, options);

const FREQUENCIES = namedValues("RecurrenceFreq", ["daily", "weekly", "monthly", "quarterly", "yearly"]);
const WEEKS_OF_MONTH = namedValues("RecurrenceWeek", WEEKS);
const MODES = namedValues("RecurrenceMode", ["after_completion", "schedule"]);

const RecurrencePlan = Type.Object(
  described(
    { user_id: optional(nullable(uuid())), start_time: time(), duration_minutes: integer(1, 1440) },
    {
      user_id: "Person to plan; null for the starred person of the task. Another person needs `tasks.schedule.write:any`",
      start_time: "Start on the organisation's clock",
      duration_minutes: "Length in minutes",
    },
  ),
  { $id: "RecurrencePlan", "x-usage": "both", additionalProperties: false },
);

/**
 * A recurrence rule in requests and responses (work chapter §3.9). The shape is closed: an unknown key would be a rule that the task
 * silently ignores.
 */
export const Recurrence = Type.Object(
  described(
    {
      freq: choice(FREQUENCIES),
      interval: optional(integer(1, 365, { default: 1 })),
      mode: optional(choice(MODES, { default: "after_completion" })),
      on_weekday: optional(nullable(integer(0, 6))),
      on_weekdays: optional(nullable(Type.Array(integer(0, 6), { minItems: 1, maxItems: 7, uniqueItems: true }))),
      on_week: optional(nullable(choice(WEEKS_OF_MONTH))),
      on_day: optional(nullable(integer(1, 31))),
      on_month: optional(nullable(integer(1, 12))),
      plan: optional(nullable(RecurrencePlan)),
    },
    RULE,
  ),
  {
    $id: "Recurrence",
    "x-usage": "both",
    additionalProperties: false,
    example: { freq: "monthly", interval: 1, mode: "schedule", on_day: 1 },
  },
);
const recurrence = () => nullable(Recurrence);

/** The farthest position of a task that moves behind all others: up to there, steps of 0.001 still differ as numbers. */
export const FARTHEST_POSITION = 1e12;

const minutes = () => nullable(integer(0, 100_000));
const assignees = () => nullable(list(AssigneeWrite));

/** The fields of every response about a task. */
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

export const TaskRead = answer("TaskRead", read, TASK);

export const TaskListItem = answer(
  "TaskListItem",
  {
    ...read,
    labels: list(LabelRead),
    checklist_done: Type.Integer({ default: 0 }),
    checklist_total: Type.Integer({ default: 0 }),
    comment_count: Type.Integer({ default: 0 }),
  },
  {
    ...TASK,
    labels: "Labels of the task by position, then by name; empty with `meta=false`",
    checklist_done: "Ticked items on all checklists; 0 with `meta=false`",
    checklist_total: "Items on all checklists; 0 with `meta=false`",
    comment_count: "Number of comments; 0 with `meta=false`",
  },
);

/** A trail line as the detail of a record shows it. */
export const ActivityRead = answer(
  "ActivityRead",
  {
    id: uuid(),
    action: Type.String(),
    payload: json(),
    actor_user_id: nullable(uuid()),
    actor_name: nullable(Type.String()),
    actor_deleted: flag(false),
    impersonator_name: nullable(Type.String()),
    created_at: instant(),
  },
  {
    action: "What happened, such as `created` or `status_changed`",
    payload: "Facts of the action, such as `from` and `to`",
    actor_user_id: "The account that acted; null for the system or where the account is gone",
    actor_name: "Full name of who acted, as it is now or, where the account is gone, as it was; null for the system",
    actor_deleted: "Whether the account of who acted is gone",
    impersonator_name: "Full name of the member who acted in another person's login; null otherwise",
    created_at: "When it happened, UTC",
  },
);

export const TaskDetail = answer(
  "TaskDetail",
  {
    ...read,
    labels: list(LabelRead),
    checklists: list(ChecklistRead),
    links: list(TaskLinkRead),
    ...waits,
    comments: list(CommentRead),
    comments_truncated: flag(false),
    activities: list(ActivityRead),
  },
  {
    ...TASK,
    labels: "Labels of the task by position, then by name",
    checklists: "Checklists with their items, in their order",
    links: "Links of the task, oldest first",
    ...WAITS,
    comments: "The newest 200 comments, oldest thread first, each opener followed by its answers",
    comments_truncated: "Whether there are older comments than `comments` has",
    activities: "The latest 50 lines of the trail, newest first; empty for client logins",
  },
);

const TaskCreateChecklist = input(
  "TaskCreateChecklist",
  {
    title: optional(nullable(label(255))),
    items: optional(Type.Array(ChecklistItemCreate, { maxItems: 100, default: [] })),
  },
  { title: "Title of the checklist; the title of the task where it is null or not sent", items: "Items in their order" },
);

export const TaskCreate = input(
  "TaskCreate",
  {
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
  },
  {
    ...TASK,
    status: "Key of a configured status. Where it is null or not sent, the default status",
    checklist: "Checklist to add; null if none",
    links: "Links to add",
    label_ids: "Labels to put on the task",
  },
);

export const TaskLogTime = input(
  "TaskLogTime",
  {
    started_at: instant(),
    ended_at: instant(),
    description: optional(nullable(multiline(2000))),
    billable: optional(nullable(flag())),
    entry_type_key: optional(nullable(Type.String({ pattern: "^[a-z0-9_]+$", minLength: 1, maxLength: 50 }))),
    schedule_id: optional(nullable(uuid())),
  },
  {
    started_at: "Start of the work. Without an offset: the organisation's local time",
    ended_at: "End of the work. An end before the start is on the next day. Without an offset: the organisation's local time",
    description: "Description of the work; the task's title if omitted",
    billable: "Whether the hours are billable; where null or not sent, as the project has it",
    entry_type_key: "Key of an active type of time entries; null if none",
    schedule_id: "A planned block of the caller on this task, which then counts as logged; null if none",
  },
);

export const TaskUpdate = input(
  "TaskUpdate",
  {
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
            maximum: Number.MAX_SAFE_INTEGER,
            description:
              "Position of the task: a value between those of its two new neighbours; at most 1e12, or the position of the last task",
          }),
        ),
      ),
    ),
    requires_interaction: optional(neverNull(nullable(flag()))),
    visible_to_client: optional(neverNull(nullable(flag()))),
    recurrence: optional(recurrence()),
    closing_interaction_id: optional(nullable(uuid())),
    log_time: optional(nullable(TaskLogTime)),
  },
  {
    ...TASK,
    status: "Key of a configured status. Entering a finished one may need a closing contact moment, and stamps `completed_at`",
    due_change_reason: "Why the due date moves. Needed where an existing date becomes later; the trail records it",
    assignee_user_id: "Assigns the task to this person alone; null unassigns it. `assignees` overrides it",
    log_time: "Hours of the caller to log with the finish; only with a change from an open status to a finished one",
  },
);

export const TaskAIStatusRead = answer("TaskAIStatusRead", { ai_status: nullable(Type.String()) }, TASK);

import { event, type PayloadsOf } from "../../core/declare/events.ts";
import { namedValues } from "../../core/naming/named-values.ts";
import { described } from "../../core/schema/fields.ts";
import { choice, date, flag, instant, integer, list, nullable, Type, uuid } from "../../core/schema/schema.ts";

const recipients = list(uuid());
const project = {
  project_id: uuid(),
  company_id: nullable(uuid()),
  title: Type.String({ description: "Name of the project" }),
  recipients,
};
const TASK_STATUS = {
  status: "Key of its status, from `GET /tasks/statuses`",
  from: "Key of the status before, from `GET /tasks/statuses`",
  to: "Key of the new status, from `GET /tasks/statuses`",
  finished: "Whether an open task became finished",
};
const COMMENT = {
  excerpt: "The first 140 characters of the comment, as plain text",
  comment_id: "The comment",
  thread_id: "The comment that opens its thread",
};
const projectStatus = choice(namedValues("ProjectStatus", ["active", "on_hold", "completed", "archived"]));
const task = { task_id: uuid(), title: Type.String({ description: "Title of the task" }) };
const comment = described({ ...task, excerpt: Type.String(), comment_id: uuid(), thread_id: uuid(), recipients }, COMMENT);
const BLOCK = {
  schedule_id: "The planned block",
  title: "Title of the task",
  user_id: "The planned person; null if none",
  starts_at: "Start, UTC",
  ends_at: "End, UTC",
  note: "Note on the block; null if none",
};
const block = described(
  {
    schedule_id: uuid(),
    task_id: uuid(),
    title: Type.String(),
    user_id: nullable(uuid()),
    starts_at: instant(),
    ends_at: instant(),
    note: nullable(Type.String()),
  },
  BLOCK,
);
const interaction = described(
  {
    interaction_id: uuid(),
    owner_user_id: nullable(uuid()),
    company_id: nullable(uuid()),
    project_id: nullable(uuid()),
    task_id: nullable(uuid()),
  },
  { interaction_id: "The contact moment", owner_user_id: "Author, or owner of the mailbox; null if that account is gone" },
);

const withheld = "a message that waits, or was refused, is known to the owner of its mailbox alone (contact moments §3, Privacy)";

/** Events of projects, tasks, hours and contact moments (work chapter §2.5, §3, §4.4, §5). */
export const projectEvents = {
  "project.created": event("project", "A project was added. Recipients: its roster.", {
    ...project,
    status: { ...projectStatus, description: "The status it was added in" },
  }),
  "project.assigned": event("project", "People joined the roster of a project. Recipients: only those added.", project),
  "project.left_unassigned": event(
    "project",
    "A project was added without roster, because those who would have got it are inactive or gone. Recipients: the responsible person of its client, else the owners.",
    project,
  ),
  "project.status_changed": event("project", "The status of a project changed. Recipients: its roster.", {
    ...project,
    from: { ...projectStatus, description: "The status before" },
    to: { ...projectStatus, description: "The new status" },
  }),
  "project.budget_threshold": event(
    "project",
    "Spent hours reached a part of the budget. Recipients: the roster.",
    {
      ...project,
      threshold: integer(75, 100),
      percent: integer(0),
      period_start: nullable(date()),
    },
    {
      texts: {
        threshold: "The part of the budget that was reached, in percent: 75 or 100",
        percent: "Spent hours in percent of the budget",
        period_start: "First day of the budget period; null if the budget is for the whole project",
      },
    },
  ),
};

export const taskEvents = {
  "task.created": event(
    "task",
    "A task was added.",
    {
      ...task,
      status: Type.String(),
      company_id: nullable(uuid()),
      project_id: nullable(uuid()),
    },
    { texts: TASK_STATUS },
  ),
  "task.assigned": event("task", "People joined the roster of a task. Recipients: only those added.", { ...task, recipients }),
  "task.unassigned": event("task", "People left the roster of a task. Recipients: only those.", { ...task, recipients }),
  "task.left_unassigned": event(
    "task",
    "A task was added without assignee, because those who would have got it are inactive or gone. Recipients: the responsible person of its client, else the owners.",
    { ...task, company_id: nullable(uuid()), project_id: nullable(uuid()), recipients },
  ),
  "task.status_changed": event(
    "task",
    "The status of a task changed; `finished` when it was open before. Recipients: its roster.",
    {
      ...task,
      company_id: nullable(uuid()),
      project_id: nullable(uuid()),
      from: Type.String(),
      to: Type.String(),
      finished: flag(),
      recipients,
    },
    { texts: TASK_STATUS },
  ),
  "task.unblocked": event(
    "task",
    "The last task that an open task waited for was finished or deleted, so it can begin. Recipients: its roster.",
    { ...task, company_id: nullable(uuid()), project_id: nullable(uuid()), recipients },
  ),
  "task.mentioned": event("task", "A comment mentions people. Recipients: the mentioned people.", comment),
  "task.replied": event("task", "A thread was answered. Recipients: earlier writers in it who are not mentioned.", comment),
  "task.commented": event(
    "task",
    "A task was commented on. Recipients: roster and earlier commenters, unless another event notifies them.",
    comment,
  ),
  "task.scheduled": event(
    "task",
    "A block of work was planned for a person, or moved to them. Recipients: that person.",
    {
      ...task,
      schedule_id: uuid(),
      scheduled_date: date(),
      recipients,
    },
    { texts: { schedule_id: "The planned block", scheduled_date: "Day of the block in the organisation's zone" } },
  ),
  "task.due_soon": event(
    "task",
    "The due date of an open task comes near. Recipients: its starred assignee.",
    {
      ...task,
      due_date: date(),
      days_left: integer(0),
      recipients,
    },
    { texts: { due_date: "Day the task is due", days_left: "Days from today to the due date, in the organisation's zone" } },
  ),
  "task.overdue": event(
    "task",
    "The due date of an open task has passed. Recipients: its starred assignee.",
    {
      ...task,
      due_date: date(),
      recipients,
    },
    { texts: { due_date: "Day the task was due" } },
  ),
  "schedule.saved": event("task_schedule", "A planned block was written.", block),
  "schedule.gone": event("task_schedule", "A planned block is about to be deleted, alone or with its task.", block),
};

export const timeEvents = {
  "time.entry_approved": event(
    "timesheet",
    "Hours of a person were approved; the id is the person's. Recipients: that person.",
    {
      user_id: uuid(),
      count: integer(0),
      minutes: integer(0),
      recipients,
    },
    { texts: { count: "Number of time entries that were approved", minutes: "Sum of their minutes" } },
  ),
  "time.timesheet_reminder": event(
    "timesheet",
    "A person wrote no hours last week; the id is the person's. Recipients: that person.",
    {
      user_id: uuid(),
      week_start: date(),
      recipients,
    },
    { texts: { week_start: "Monday of the week without hours" } },
  ),
};

export const interactionEvents = {
  "interaction.logged": event(
    "interaction",
    "A contact moment was logged: written, uploaded, or approved from a mailbox.",
    {
      ...interaction,
      title: nullable(Type.String()),
      kind: Type.String(),
      status: choice(["logged"]),
    },
    {
      texts: {
        title: "Its subject; null without one",
        kind: "Key of its kind, from `GET /interactions/kinds`",
        status: "Its status",
      },
    },
  ),
  "interaction.approved": event("interaction", "A message was filed for the team.", interaction),
  "interaction.rejected": event("interaction", "The owner of a mailbox refused a message, which was deleted.", interaction, {
    withheld,
  }),
  "interactions.email_pending": event(
    "interaction",
    "New messages of a mailbox wait for their owner's review: once for each time it is read. Recipients: the owner only.",
    {
      interaction_id: Type.String({ format: "uuid", description: "The newest waiting message" }),
      title: Type.String({ description: "Its subject; without one who it is from" }),
      count: integer(1, 2_147_483_647, { description: "Number of new waiting messages" }),
      recipients,
    },
    { withheld },
  ),
  "interactions.mentioned": event(
    "interaction",
    "The notes of a contact moment mention people for the first time. Recipients: the newly mentioned people.",
    {
      interaction_id: Type.String({ format: "uuid", description: "The contact moment" }),
      title: Type.String({ description: "Its subject; the first words of its notes if it has none" }),
      excerpt: Type.String({ description: "The first 140 characters of its notes, as plain text" }),
      recipients,
    },
  ),
};

declare module "../../core/declare/hooks.ts" {
  interface HookPayloads {
    /** A pending message was deleted without a review. */
    "interaction.discarded": { interaction_id: string };
    /** A task was deleted, or its due date moved later or cleared: reminders of that date are obsolete. */
    "task.date_dropped": { task_id: string };
  }
}

declare module "../../core/declare/events.ts" {
  interface EventPayloads
    extends PayloadsOf<typeof projectEvents>,
      PayloadsOf<typeof taskEvents>,
      PayloadsOf<typeof timeEvents>,
      PayloadsOf<typeof interactionEvents> {}
}

import { event, type PayloadsOf } from "../../core/declare/events.ts";
import { choice, date, flag, instant, integer, list, nullable, Type, uuid } from "../../core/declare/schema.ts";

const recipients = list(uuid());
const project = { project_id: uuid(), company_id: nullable(uuid()), title: Type.String(), recipients };
const projectStatus = choice(["active", "on_hold", "completed", "archived"]);
const task = { task_id: uuid(), title: Type.String() };
const comment = { ...task, excerpt: Type.String(), comment_id: uuid(), thread_id: uuid(), recipients };
const block = {
  schedule_id: uuid(),
  task_id: uuid(),
  title: Type.String(),
  user_id: nullable(uuid()),
  starts_at: instant(),
  ends_at: instant(),
  note: nullable(Type.String()),
};
const interaction = {
  interaction_id: uuid(),
  owner_user_id: nullable(uuid()),
  company_id: nullable(uuid()),
  project_id: nullable(uuid()),
  task_id: nullable(uuid()),
};

const withheld = "a message that waits, or was refused, is known to the owner of its mailbox alone (contact moments §3, Privacy)";

/** What happens to projects, tasks, hours and contact moments (work chapter §2.5, §3, §4.4, §5). */
export const projectEvents = {
  "project.created": event("project", "A project was added. Recipients: its roster.", { ...project, status: projectStatus }),
  "project.assigned": event("project", "People joined the roster of a project. Recipients: only those added.", project),
  "project.status_changed": event("project", "The status of a project changed. Recipients: its roster.", {
    ...project,
    from: projectStatus,
    to: projectStatus,
  }),
  "project.budget_threshold": event("project", "Spent hours reached a part of the budget. Recipients: the roster.", {
    ...project,
    threshold: integer(75, 100),
    percent: integer(0),
    period_start: nullable(date()),
  }),
};

export const taskEvents = {
  "task.created": event("task", "A task was added.", {
    ...task,
    status: Type.String(),
    company_id: nullable(uuid()),
    project_id: nullable(uuid()),
  }),
  "task.assigned": event("task", "People joined the roster of a task. Recipients: only those added.", { ...task, recipients }),
  "task.unassigned": event("task", "People left the roster of a task. Recipients: only those.", { ...task, recipients }),
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
  ),
  "task.mentioned": event("task", "A comment names people. Recipients: they.", comment),
  "task.replied": event("task", "A thread was answered. Recipients: who wrote in it before and is not mentioned.", comment),
  "task.commented": event(
    "task",
    "A task was commented on. Recipients: roster and earlier commenters not told otherwise.",
    comment,
  ),
  "task.scheduled": event("task", "A block of work was planned for a person, or given to them. Recipients: that person.", {
    ...task,
    schedule_id: uuid(),
    scheduled_date: date(),
    recipients,
  }),
  "task.due_soon": event("task", "The due date of an open task comes near. Recipients: its starred assignee.", {
    ...task,
    due_date: date(),
    days_left: integer(0),
    recipients,
  }),
  "task.overdue": event("task", "The due date of an open task has passed. Recipients: its starred assignee.", {
    ...task,
    due_date: date(),
    recipients,
  }),
  "schedule.saved": event("task_schedule", "A planned block was written.", block),
  "schedule.gone": event("task_schedule", "A planned block is about to be deleted, alone or with its task.", block),
};

export const timeEvents = {
  "time.entry_approved": event("timesheet", "Hours of a person were approved; the id is the person's. Recipients: they.", {
    user_id: uuid(),
    count: integer(0),
    minutes: integer(0),
    recipients,
  }),
  "time.timesheet_reminder": event("timesheet", "A person wrote no hours last week; the id is the person's. Recipients: they.", {
    user_id: uuid(),
    week_start: date(),
    recipients,
  }),
};

export const interactionEvents = {
  "interaction.approved": event("interaction", "A message was filed for the team.", interaction),
  "interaction.rejected": event("interaction", "A message was refused by its owner, and is gone.", interaction, { withheld }),
  "interactions.email_pending": event(
    "interaction",
    "A message of a mailbox waits for its owner's review. Recipients: the owner, who alone learns that it is there.",
    {
      interaction_id: Type.String({ format: "uuid", description: "The waiting message" }),
      title: Type.String({ description: "Its subject; without one who it is from" }),
      recipients,
    },
    { withheld },
  ),
  "interactions.mentioned": event(
    "interaction",
    "The notes of a contact moment name people who were not named there before. Recipients: they.",
    {
      interaction_id: Type.String({ format: "uuid", description: "The contact moment" }),
      title: Type.String({ description: "Its subject; the first words of its notes where it has none" }),
      excerpt: Type.String({ description: "The first 140 characters of its notes, as plain text" }),
      recipients,
    },
  ),
};

declare module "../../core/declare/events.ts" {
  interface EventPayloads
    extends PayloadsOf<typeof projectEvents>,
      PayloadsOf<typeof taskEvents>,
      PayloadsOf<typeof timeEvents>,
      PayloadsOf<typeof interactionEvents> {}
}

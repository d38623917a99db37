import { firstByReference, firstByRoster, personForOrder } from "../../../core/database/lists/first.ts";
import { linkedBy } from "../../../core/database/lists/linked.ts";
import { type Listing, listing } from "../../../core/database/lists/list.ts";
import type { ListingSpec } from "../../../core/database/lists/listing-spec.ts";
import { projection } from "../../../core/database/projection.ts";
import { isBlocked } from "../blockers/blocker-rows.ts";
import { ON_ROSTER, OPEN } from "../open-tasks.ts";
import { Task } from "../task-models.ts";
import { tasksOfClient, workOfStaff } from "../visibility.ts";
import { COMMENTS, HOURS, LABELS, NO_HOURS, ROSTER, STARRED, TICKS } from "./task-columns.ts";
import { TaskListItem, TaskRead } from "./task-schemas.ts";

/** The one select behind every response to a write of a task. */
export const taskProjection = projection({
  model: Task,
  schema: TaskRead,
  columns: { assignees: "roster.people", assignee_user_id: "roster.starred", ...NO_HOURS },
  joins: ROSTER,
});

const META = {
  columns: {
    assignees: "roster.people",
    assignee_user_id: "roster.starred",
    labels: LABELS,
    checklist_done: "ticks.done",
    checklist_total: "ticks.total",
    comment_count: COMMENTS,
  },
  joins: `${ROSTER} ${TICKS}`,
};
const NO_META = {
  columns: {
    assignees: "'[]'::json",
    assignee_user_id: STARRED,
    labels: "'[]'::json",
    checklist_done: "0",
    checklist_total: "0",
    comment_count: "0",
  },
  joins: "",
};

/** The extra columns of a list's rows. */
export interface Shown {
  meta: boolean;
  hours: boolean;
}

/** A row of a list of tasks. @param clients for client logins */
export const itemProjection = ({ meta, hours }: Shown, clients: boolean) => {
  const shown = meta ? META : NO_META;
  return projection({
    model: Task,
    schema: TaskListItem,
    columns: { ...shown.columns, ...(hours ? HOURS.columns : NO_HOURS) },
    joins: (sources) => (hours ? `${shown.joins} ${HOURS.joins(sources, clients)}` : shown.joins),
    keepsOrder: true,
  });
};

/** The board's order, the tiebreaker of every other. */
const IN_PLACE = "t.position, t.created_at, t.id";

const spec = (visible: ListingSpec["visible"]): ListingSpec => ({
  table: "tasks",
  searchable: true,
  order: "position",
  sorts: {
    position: { by: ["t.position", "t.created_at"], unnamed: true },
    title: { by: "t.title", text: true },
    due_date: { by: "t.due_date", mayBeEmpty: true },
    priority: { by: "t.priority_rank" },
    status: {
      by: `array_position(array(select s.key from task_statuses s where s.organisation_id = current_organisation()
        order by s.position, s.key), t.status)`,
      unindexed: true,
      first: firstByReference({
        table: "tasks",
        parent: "task_statuses",
        column: "status",
        key: "key",
        by: ["c.position", "c.key"],
        ties: IN_PLACE,
      }),
    },
    assignee: {
      by: "sa.name",
      text: true,
      mayBeEmpty: true,
      join: `left join task_assignees so on so.organisation_id = t.organisation_id and so.task_id = t.id and so.is_primary
        ${personForOrder("sa", "so.account_id")}`,
      first: firstByRoster({ table: "tasks", roster: "task_assignees", owner: "task_id", ties: IN_PLACE }),
    },
    created_at: { by: "t.created_at" },
    updated_at: { by: "t.updated_at" },
  },
  filters: {
    company_id: { type: "uuid", when: (slot) => `t.company_id = ${slot}` },
    project_id: { type: "uuid", when: (slot) => `t.project_id = ${slot}` },
    unlinked: { type: "boolean", when: (slot) => `(${slot} and t.company_id is null and t.project_id is null)` },
    assignee_user_id: ON_ROSTER,
    assignee_contact_id: { type: "uuid", when: (slot) => `t.assignee_contact_id = ${slot}` },
    status: { type: "text[]", when: (slot) => `t.status = any(${slot})` },
    label_id: linkedBy("task_label_links", "task_id", "label_id"),
    due_from: { type: "date", when: (slot) => `t.due_date >= ${slot}` },
    due_to: { type: "date", when: (slot) => `t.due_date <= ${slot}` },
    // The window of `due`, in addition to the caller's dates.
    window_from: { type: "date", when: (slot) => `t.due_date >= ${slot}` },
    window_to: { type: "date", when: (slot) => `t.due_date <= ${slot}` },
    open: { type: "boolean", when: (slot) => `(${slot} and ${OPEN})` },
    blocked: { type: "boolean", when: (slot) => `${slot} = ${isBlocked()}` },
    unnamed: { type: "boolean", when: (slot) => `t.unnamed = ${slot}` },
  },
  visible,
  kept: { by: "status" },
});

const staffSpec = spec(workOfStaff);
const clientSpec = spec(tasksOfClient);
const FULL = { meta: true, hours: false };

/** The list of tasks (work chapter §3.6), for staff and for client logins. */
export const taskListing = listing(staffSpec, itemProjection(FULL, false));
export const clientTaskListing = listing(clientSpec, itemProjection(FULL, true));

/** The same list with other columns. */
export const listingShowing = (shown: Shown, clients: boolean): Listing =>
  shown.meta && !shown.hours
    ? clients
      ? clientTaskListing
      : taskListing
    : listing(clients ? clientSpec : staffSpec, itemProjection(shown, clients));

import { namedValues } from "../../../core/naming/named-values.ts";
import { organisationToday } from "../../../core/request/today.ts";
import {
  choice,
  commaList,
  commaListed,
  date,
  flag,
  optional,
  type Static,
  type TObject,
  type TProperties,
  uuid,
} from "../../../core/schema/schema.ts";
import { rowsOf } from "../../../mixins/resource.ts";
import { seesHours } from "../hour-callers.ts";
import { Task } from "../task-models.ts";
import { forStaffAndClients, tasksOfClient, workOfStaff } from "../visibility.ts";
import { dueWindow } from "./due-dates.ts";
import { listingShowing, taskProjection } from "./task.list.ts";

/** Tasks as the responses of writes show them, limited to those the caller sees. */
export const taskRows = forStaffAndClients((clients) =>
  rowsOf({ model: Task, projection: taskProjection, visible: clients ? tasksOfClient : workOfStaff }),
);

const listed = (meta: boolean, hours: boolean) =>
  forStaffAndClients((clients) =>
    rowsOf({
      model: Task,
      projection: taskProjection,
      listing: listingShowing({ meta, hours }, clients),
      visible: clients ? tasksOfClient : workOfStaff,
    }),
  );
/** Compiled once for each combination of columns. */
const LISTS = {
  plain: listed(false, false),
  meta: listed(true, false),
  hours: listed(false, true),
  both: listed(true, true),
};

/** The list of tasks with the requested columns. */
export function taskList(meta: boolean, hours: boolean) {
  if (hours && seesHours()) return meta ? LISTS.both() : LISTS.hours();
  return meta ? LISTS.meta() : LISTS.plain();
}

/** Parameters of the list other than search and order; an export accepts the same. */
export const taskQuery = {
  company_id: optional(uuid()),
  project_id: optional(uuid()),
  unlinked: optional(flag(false)),
  assignee_user_id: optional(uuid()),
  assignee_contact_id: optional(uuid()),
  status: optional(commaList(50, null)),
  label_id: optional(uuid()),
  due: optional(choice(namedValues("DueWindow", ["overdue", "today", "week"]))),
  due_from: optional(date()),
  due_to: optional(date()),
  blocked: optional(flag()),
  unnamed: optional(flag()),
} satisfies TProperties;

/** Converts the parameters to filters of the listing. "Today" is the organisation's. */
export function taskFilters({ status, due, unlinked, ...same }: Partial<Static<TObject<typeof taskQuery>>>) {
  const window = due === undefined ? null : dueWindow(due, organisationToday());
  return {
    ...same,
    unlinked: unlinked ? true : undefined,
    status: commaListed(status),
    window_from: window?.from ?? undefined,
    window_to: window?.to,
    open: window?.open_only ? true : undefined,
  };
}

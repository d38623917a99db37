import { addDays, daysBetween, type IsoDate } from "../../../core/calendar/calendar.ts";

/** The values of the list filter `due`. */
export type DueFilter = "overdue" | "today" | "week";

/** The due dates of a filter, both ends inclusive (`from` null: unbounded), and whether only open tasks count. */
export interface DueWindow {
  readonly from: IsoDate | null;
  readonly to: IsoDate;
  readonly open_only: boolean;
}

/** Default days before a due date on which its assignee is reminded (work chapter §5). */
export const DUE_SOON_DAYS = 3;

/**
 * The window of a `due` filter: `overdue` is due before today and open; `today` due today, whatever the status; `week` today through today
 * + 7 days (work chapter §3.6).
 * @param today the organisation's date
 */
export function dueWindow(due: DueFilter, today: IsoDate): DueWindow {
  if (due === "overdue") return { from: null, to: addDays(today, -1), open_only: true };
  return { from: today, to: due === "week" ? addDays(today, 7) : today, open_only: false };
}

/** A deadline reminder and its payload (work chapter §5). */
export type DeadlineReminder =
  | { readonly event: "task.overdue"; readonly due_date: IsoDate }
  | { readonly event: "task.due_soon"; readonly due_date: IsoDate; readonly days_left: number };

/**
 * The daily job's reminder for the starred assignee of an open task: overdue, or, exactly on the day of their threshold, the days left.
 * Null on any other day. The job sends each once per task and due date, so a moved due date can remind again (work chapter §5, 05:30).
 * @param threshold the assignee's number of days; null for the default of 3
 */
export function deadlineReminder(dueDate: IsoDate, threshold: number | null, today: IsoDate): DeadlineReminder | null {
  if (dueDate < today) return { event: "task.overdue", due_date: dueDate };
  const days_left = daysBetween(today, dueDate);
  return days_left === (threshold ?? DUE_SOON_DAYS) ? { event: "task.due_soon", due_date: dueDate, days_left } : null;
}

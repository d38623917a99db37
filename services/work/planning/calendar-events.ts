import { addDays, type IsoDate, utcInstant } from "../../../core/calendar/calendar.ts";
import type { StampedEvent } from "../../../core/calendar/calendar-text.ts";

/** A planned block as a calendar shows it; `updated_at` is its last write. */
export interface PlannedBlock {
  readonly id: string;
  readonly title: string;
  readonly note: string | null;
  readonly starts_at: string;
  readonly ends_at: string;
  readonly updated_at: string;
}

/** An open task with a due date. */
export interface DueTask {
  readonly id: string;
  readonly title: string;
  readonly due_date: IsoDate;
  readonly updated_at: string;
}

/** The event of a planned block: its task's title at its instants, in UTC, which clock changes do not make ambiguous. */
export const blockEvent = ({ id, title, note, starts_at, ends_at, updated_at }: PlannedBlock): StampedEvent => ({
  uid: `task-schedule-${id}`,
  summary: title,
  description: note,
  time: { all_day: false, start: utcInstant(starts_at), end: utcInstant(ends_at) },
  stamp: updated_at,
});

/** The event of a task: the whole day it is due on. */
export const dueEvent = ({ id, title, due_date, updated_at }: DueTask): StampedEvent => ({
  uid: `task-due-${id}`,
  summary: title,
  description: null,
  time: { all_day: true, start: due_date, end: addDays(due_date, 1) },
  stamp: updated_at,
});

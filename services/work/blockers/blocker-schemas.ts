import { answer, date, flag, input, list, nullable, Type, uuid } from "../../../core/schema/schema.ts";

/** Most tasks that one task can wait for. */
export const MOST_BLOCKERS = 50;

export const TaskBlocker = answer(
  "TaskBlocker",
  { id: uuid(), title: Type.String(), status: Type.String(), finished: flag(), due_date: nullable(date()) },
  {
    title: "Title of the task",
    status: "Key of its status",
    finished: "Whether it is finished, so that nothing waits for it any longer",
    due_date: "Day it is due, in the organisation's zone; null if none",
  },
);

/** The two ends of what a task waits for. */
export const waits = { waits_for: list(TaskBlocker), holds_up: list(TaskBlocker) };
export const WAITS = {
  waits_for:
    "Tasks that have to be finished before this one can begin, by title; the task is blocked while one is open. Only tasks that the caller sees",
  holds_up: "Tasks that wait for this one, by title. Only tasks that the caller sees",
};

export const TaskBlockersRead = answer("TaskBlockersRead", waits, WAITS);
export const TaskBlockersSet = input(
  "TaskBlockersSet",
  { task_ids: Type.Array(uuid(), { maxItems: MOST_BLOCKERS }) },
  { task_ids: "Tasks that have to be finished before this one can begin; replaces the set, and `[]` empties it" },
);

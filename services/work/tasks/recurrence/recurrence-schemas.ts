import { answer, date, flag, input, list, nullable, optional, time } from "../../../../core/schema/schema.ts";
import { Recurrence } from "../task-schemas.ts";

export const RecurrencePreview = input(
  "RecurrencePreview",
  { recurrence: Recurrence, due_date: optional(nullable(date())) },
  {
    recurrence: "The rule to try",
    due_date: "Due date to count from; today in the organisation's zone where it is null or not sent",
  },
);

export const RecurrencePreviewRead = answer(
  "RecurrencePreviewRead",
  {
    next_date: date(),
    following: list(date()),
    on_completion: flag(),
    planned_start: nullable(time()),
    planned_end: nullable(time()),
  },
  {
    next_date: "Due date of the next task",
    following: "The two dates after it",
    on_completion: "Whether the next task is created when this one is finished, and not on a date",
    planned_start: "Start of the planned block on the organisation's clock; null without a plan",
    planned_end: "End of the planned block on the organisation's clock; null without a plan",
  },
);

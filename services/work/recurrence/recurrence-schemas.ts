import { answer, date, flag, input, list, nullable, optional, time } from "../../../core/declare/schema.ts";
import { Recurrence } from "../tasks/task-schemas.ts";

export const RecurrencePreview = input("RecurrencePreview", { recurrence: Recurrence, due_date: optional(nullable(date())) });

export const RecurrencePreviewRead = answer("RecurrencePreviewRead", {
  next_date: date(),
  following: list(date()),
  on_completion: flag(),
  planned_start: nullable(time()),
  planned_end: nullable(time()),
});

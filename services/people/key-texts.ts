import type { ErrorTexts } from "../../core/declare/module.ts";

/** Keys that `fields` of an answer can carry. */
export const leaveFieldTexts = {
  "errors.leave_availability_move_same_day": ["A day would be moved to itself.", "Choose another day to move to."],
  "errors.leave_availability_repeat_required": [
    "The row has a last day of repetition, but does not repeat.",
    "Send `repeat_weeks` as well, or null for `repeat_until`.",
  ],
  "errors.leave_availability_until_invalid": ["The repetition ends before its first day.", "Send a later `repeat_until`."],
  "errors.leave_availability_window_invalid": [
    "The end of the window is not after its start.",
    "Send an `end_time` after `start_time`.",
  ],
  "errors.leave_contract_hours_required": [
    "A contract of this kind needs its hours a week.",
    "Send `contract_hours_per_week`; only freelance contracts go without.",
  ],
  "errors.leave_end_before_start": ["The last day is before the first.", "Send a last day on or after the first."],
  "errors.leave_end_time_before_start": ["The leave ends at a time before its start on the same day.", "Send a later end time."],
  "errors.leave_schedule_break_invalid": ["A break ends before it starts.", "Send an end after the start."],
  "errors.leave_schedule_break_outside": [
    "A break is outside of the working hours of its day.",
    "Move the break, or widen the day.",
  ],
  "errors.leave_schedule_breaks_overlap": ["Two breaks of the day overlap.", "Join them, or move one."],
  "errors.leave_schedule_day_empty": [
    "The breaks leave no working time on the day.",
    "Shorten the breaks, or send null for a day without work.",
  ],
  "errors.leave_schedule_day_invalid": [
    "The day ends before it starts.",
    "Send an end after the start, or null for a day without work.",
  ],
  "errors.leave_schedule_empty": ["The week has no day of work.", "Send working hours for at least one day."],
} satisfies ErrorTexts;

import { answer, date, decimal, flag, input, list, nullable, Type, uuid } from "../../../core/schema/schema.ts";

const FreeTimeDay = answer(
  "FreeTimeDay",
  {
    request_id: uuid(),
    date: date(),
    start_time: nullable(Type.String()),
    end_time: nullable(Type.String()),
    hours: decimal(),
    from_pattern: flag(),
  },
  {
    request_id: "The leave request",
    date: "Its first day",
    start_time: "Start on the organisation's clock; null for the start of the working day",
    end_time: "End on the organisation's clock; null for the end of the working day",
    hours: "Hours of the request",
    from_pattern: "Whether a pattern placed it",
  },
);
export const FreeTimeOverview = answer(
  "FreeTimeOverview",
  {
    user_id: uuid(),
    year: Type.Integer(),
    leave_type_ids: list(uuid()),
    hours_per_day: decimal(),
    entitled_hours: decimal(),
    placed_hours: decimal(),
    taken_hours: decimal(),
    upcoming_hours: decimal(),
    unplaced_hours: decimal(),
    overhang_hours: decimal(),
    days: list(FreeTimeDay),
    next_date: nullable(date()),
    overhang: list(FreeTimeDay),
  },
  {
    user_id: "The person",
    year: "The calendar year",
    leave_type_ids: "Active free-time types, which are counted together",
    hours_per_day: "Average hours of a working day of the person",
    entitled_hours: "Hours of free time in the year",
    placed_hours: "Hours of pending and approved free time that starts in the year",
    taken_hours: "The part of `placed_hours` that ended before today",
    upcoming_hours: "The part of `placed_hours` that has not ended",
    unplaced_hours: "`entitled_hours` less `placed_hours`, at least 0",
    overhang_hours: "`placed_hours` less `entitled_hours`, at least 0",
    days: "Upcoming days, soonest first",
    next_date: "The next one; null if none",
    overhang: "Latest upcoming days of patterns that together cover `overhang_hours`: candidates to withdraw",
  },
);
export const FreeTimeWithdraw = input(
  "FreeTimeWithdraw",
  {
    request_ids: Type.Array(uuid(), { minItems: 1, maxItems: 200 }),
  },
  { request_ids: "Days of free time to cancel, by the rules of a single cancellation" },
);
export const FreeTimeWithdrawResult = answer(
  "FreeTimeWithdrawResult",
  { cancelled: Type.Integer(), skipped: list(uuid()) },
  { cancelled: "Number of days that were cancelled", skipped: "Days that could not be cancelled" },
);

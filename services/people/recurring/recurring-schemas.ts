import {
  answer,
  date,
  flag,
  input,
  instant,
  integer,
  neverNull,
  nullable,
  optional,
  type TProperties,
  Type,
  uuid,
} from "../../../core/schema/schema.ts";
import { note, sentWindow } from "../sent.ts";
import { CADENCE_WEEKS } from "./recurrence.ts";

const PATTERN = {
  user_id: "The person whose days are placed",
  leave_type_id: "Leave type of the placed days",
  anchor_date: "First day; its weekday is that of every placed day",
  interval_weeks: "Weeks between two days. With `days_per_year` the service derives it",
  days_per_year: "Days to spread evenly over a calendar year, instead of an interval; null for an interval",
  start_time: "Start of the leave on the organisation's clock; null for the start of the working day",
  end_time: "End of the leave on the organisation's clock; null for the end of the working day",
  note: "Note on each placed day; null if none",
  active: "Whether further days are placed. Placed days stay when it becomes inactive",
  upcoming_days: "Number of its placed days from today on that are pending or approved",
};

const weeks = (options = {}) => integer(CADENCE_WEEKS.shortest, CADENCE_WEEKS.longest, options);
const daysPerYear = () => nullable(integer(1, 366));

const read = {
  id: uuid(),
  org_id: uuid(),
  user_id: uuid(),
  leave_type_id: uuid(),
  anchor_date: date(),
  interval_weeks: weeks({ default: 1 }),
  days_per_year: daysPerYear(),
  start_time: nullable(Type.String()),
  end_time: nullable(Type.String()),
  note: note(),
  active: flag(),
  upcoming_days: Type.Integer({ default: 0 }),
  created_at: instant(),
  updated_at: instant(),
} satisfies TProperties;

export const LeaveRecurringDayRead = answer("LeaveRecurringDayRead", read, PATTERN);
export const LeaveRecurringDaySaved = answer(
  "LeaveRecurringDaySaved",
  { ...read, generated: Type.Integer({ default: 0 }) },
  { ...PATTERN, generated: "Number of days that this call placed" },
);

export const LeaveRecurringDayCreate = input(
  "LeaveRecurringDayCreate",
  {
    user_id: uuid(),
    leave_type_id: uuid(),
    anchor_date: date(),
    interval_weeks: optional(weeks({ default: 1 })),
    days_per_year: optional(daysPerYear()),
    ...sentWindow,
    note: optional(note()),
  },
  PATTERN,
);

export const LeaveRecurringDayUpdate = input(
  "LeaveRecurringDayUpdate",
  {
    leave_type_id: optional(neverNull(nullable(uuid()))),
    anchor_date: optional(neverNull(nullable(date()))),
    interval_weeks: optional(neverNull(nullable(weeks()))),
    days_per_year: optional(daysPerYear()),
    ...sentWindow,
    note: optional(note()),
    active: optional(neverNull(nullable(flag()))),
  },
  PATTERN,
);

export const LeaveRecurringDeleteResult = answer(
  "LeaveRecurringDeleteResult",
  { withdrawn: Type.Integer({ default: 0 }) },
  { withdrawn: "Number of placed days that were cancelled with the pattern" },
);

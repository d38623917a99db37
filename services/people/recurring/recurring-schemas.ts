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
} from "../../../core/declare/schema.ts";
import { note, sentWindow } from "../sent.ts";
import { CADENCE_WEEKS } from "./recurrence.ts";

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

export const LeaveRecurringDayRead = answer("LeaveRecurringDayRead", read);
export const LeaveRecurringDaySaved = answer("LeaveRecurringDaySaved", { ...read, generated: Type.Integer({ default: 0 }) });

export const LeaveRecurringDayCreate = input("LeaveRecurringDayCreate", {
  user_id: uuid(),
  leave_type_id: uuid(),
  anchor_date: date(),
  interval_weeks: optional(weeks({ default: 1 })),
  days_per_year: optional(daysPerYear()),
  ...sentWindow,
  note: optional(note()),
});

export const LeaveRecurringDayUpdate = input("LeaveRecurringDayUpdate", {
  leave_type_id: optional(neverNull(nullable(uuid()))),
  anchor_date: optional(neverNull(nullable(date()))),
  interval_weeks: optional(neverNull(nullable(weeks()))),
  days_per_year: optional(daysPerYear()),
  ...sentWindow,
  note: optional(note()),
  active: optional(neverNull(nullable(flag()))),
});

export const LeaveRecurringDeleteResult = answer("LeaveRecurringDeleteResult", { withdrawn: Type.Integer({ default: 0 }) });

import {
  answer,
  choice,
  date,
  decimal,
  decimalInput,
  flag,
  input,
  instant,
  integer,
  list,
  namedAsOne,
  neverNull,
  nullable,
  optional,
  Type,
  text,
  time,
  uuid,
} from "../../../core/declare/schema.ts";
import { MAX_WEEK_HOURS } from "../contracts/contract.ts";
import { note } from "../sent.ts";
import { MAX_HOURLY_RATE } from "../settings/settings.ts";

const BreakWindow = answer("BreakWindow", { start: Type.String(), end: Type.String() });
const WorkDay = answer("WorkDay", { start: Type.String(), end: Type.String(), breaks: list(BreakWindow) });
const workday = () => nullable(WorkDay);
/** A working week as it is answered. */
export const WorkSchedule = answer("WorkSchedule", {
  mon: workday(),
  tue: workday(),
  wed: workday(),
  thu: workday(),
  fri: workday(),
  sat: workday(),
  sun: workday(),
});

const BreakWindowWrite = input("BreakWindowWrite", { start: time(), end: time() });
const WorkDayWrite = input("WorkDayWrite", {
  start: time(),
  end: time(),
  breaks: optional(Type.Array(BreakWindowWrite, { default: [] })),
});
const sentDay = () => optional(nullable(namedAsOne(WorkDayWrite)));
/** A working week as it is sent: a day left out is not worked. */
export const WorkScheduleWrite = input("WorkScheduleWrite", {
  mon: sentDay(),
  tue: sentDay(),
  wed: sentDay(),
  thu: sentDay(),
  fri: sentDay(),
  sat: sentDay(),
  sun: sentDay(),
});

const weekHours = () => decimalInput({ exclusiveMinimum: 0, maximum: MAX_WEEK_HOURS });
const freeHours = () => decimalInput({ minimum: 0, maximum: MAX_WEEK_HOURS });
const rate = () => decimalInput({ minimum: 0, maximum: MAX_HOURLY_RATE });
const kind = () => choice(["employee", "freelance"]);

export const LeaveSettingsRead = answer("LeaveSettingsRead", {
  default_schedule: WorkSchedule,
  holiday_country: nullable(Type.String()),
  holiday_auto_import: flag(),
  self_approval: flag(),
  recurring_horizon_months: Type.Integer(),
  default_hourly_rate: nullable(decimal()),
});
export const LeaveSettingsUpdate = input("LeaveSettingsUpdate", {
  default_schedule: optional(neverNull(nullable(WorkScheduleWrite))),
  holiday_country: optional(nullable(text(2))),
  holiday_auto_import: optional(neverNull(nullable(flag()))),
  self_approval: optional(neverNull(nullable(flag()))),
  recurring_horizon_months: optional(neverNull(nullable(integer(1, 24)))),
  default_hourly_rate: optional(nullable(rate())),
});

export const LeaveProfileRead = answer("LeaveProfileRead", {
  user_id: uuid(),
  schedule: WorkSchedule,
  hours_per_week: decimal(),
  hours_per_day: decimal(),
  inherited: flag(),
  employment_type: nullable(kind()),
});
export const LeaveProfileSummary = answer("LeaveProfileSummary", {
  user_id: uuid(),
  schedule: nullable(WorkSchedule),
  hours_per_week: decimal(),
  hours_per_day: decimal(),
});
export const LeaveProfileUpdate = input("LeaveProfileUpdate", {
  schedule: optional(nullable(WorkScheduleWrite)),
  hours_per_week: optional(nullable(weekHours())),
});

export const LeaveRateRead = answer("LeaveRateRead", {
  user_id: uuid(),
  hourly_rate: nullable(decimal()),
  effective_hourly_rate: nullable(decimal()),
});
export const LeaveRateUpdate = input("LeaveRateUpdate", { hourly_rate: optional(nullable(rate())) });

export const EmploymentContractRead = answer("EmploymentContractRead", {
  id: uuid(),
  org_id: uuid(),
  user_id: uuid(),
  start_date: date(),
  end_date: nullable(date()),
  employment_type: kind(),
  contract_hours_per_week: nullable(decimal()),
  schedule: nullable(WorkSchedule),
  scheduled_hours_per_week: decimal(),
  free_time_hours_per_week: nullable(decimal()),
  effective_free_time_per_week: decimal(),
  note: nullable(Type.String()),
  created_at: instant(),
  updated_at: instant(),
});
export const EmploymentContractCreate = input("EmploymentContractCreate", {
  user_id: uuid(),
  start_date: date(),
  end_date: optional(nullable(date())),
  employment_type: optional(choice(["employee", "freelance"], { default: "employee" })),
  contract_hours_per_week: optional(nullable(weekHours())),
  schedule: optional(nullable(WorkScheduleWrite)),
  free_time_hours_per_week: optional(nullable(freeHours())),
  note: optional(note()),
});
export const EmploymentContractUpdate = input("EmploymentContractUpdate", {
  start_date: optional(neverNull(nullable(date()))),
  end_date: optional(nullable(date())),
  employment_type: optional(neverNull(nullable(kind()))),
  contract_hours_per_week: optional(nullable(weekHours())),
  schedule: optional(nullable(WorkScheduleWrite)),
  free_time_hours_per_week: optional(nullable(freeHours())),
  note: optional(note()),
});

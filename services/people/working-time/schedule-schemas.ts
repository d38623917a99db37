import { namedValues } from "../../../core/naming/named-values.ts";
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
} from "../../../core/schema/schema.ts";
import { MAX_HOURLY_RATE } from "../limits.ts";
import { note } from "../sent.ts";
import { MAX_WEEK_HOURS } from "./contract.ts";

const STRETCH = {
  start: "Start on the organisation's clock, `HH:MM`",
  end: "End on the organisation's clock, `HH:MM`, after the start",
};

const DAY = {
  start: "Start of the day on the organisation's clock, `HH:MM`",
  end: "End of the day on the organisation's clock, `HH:MM`, after the start",
  breaks: "Unpaid breaks within the day, by start; they do not overlap",
};

const WEEK = {
  mon: "Monday; null when not worked",
  tue: "Tuesday; null when not worked",
  wed: "Wednesday; null when not worked",
  thu: "Thursday; null when not worked",
  fri: "Friday; null when not worked",
  sat: "Saturday; null when not worked",
  sun: "Sunday; null when not worked",
};

const SETTINGS = {
  default_schedule:
    "Working week of people without their own. Its hours are the full-time norm, and changing those derives entitlements again",
  holiday_country: "Country whose holidays are imported, ISO 3166-1 alpha-2; null for the Netherlands",
  holiday_auto_import: "Whether the service imports next year's holidays on 1 December",
  self_approval: "Whether approvers may decide on their own leave",
  recurring_horizon_months: "Months from today in which patterns place days",
  default_hourly_rate: "Hourly rate of people without their own, in the organisation's currency; null if none",
};

const PROFILE = {
  user_id: "The person",
  schedule: "Working week in force today",
  hours_per_week: "Hours of that week",
  hours_per_day: "Average hours of its working days",
  inherited: "Whether that week is the organisation's default",
  employment_type: "Kind of the contract in force today; null without one",
};

const RATE = {
  user_id: "The person",
  hourly_rate: "The person's own rate per hour, in the organisation's currency; null if none",
  effective_hourly_rate: "The person's own rate, else the organisation's default; null without either",
};

const CONTRACT = {
  user_id: "The person",
  start_date: "First day; contracts of a person share no day",
  end_date: "Last day, included; null for open-ended",
  employment_type: "`employee`, or `freelance`, which accrues no leave",
  contract_hours_per_week: "Agreed hours per week, which entitlements follow; null for a freelance period alone",
  schedule: "Working week during the contract; null for the person's own, else the organisation's default",
  scheduled_hours_per_week: "Hours of the working week during the contract",
  free_time_hours_per_week:
    "Agreed free time in hours per week; 0 where the working week already has it, null if the service derives it",
  effective_free_time_per_week:
    "Free time that counts, in hours per week: 0 for freelance, else the agreed hours, else the full-time norm less the contract hours",
  note: "Note; null if none",
};

const BreakWindow = answer("BreakWindow", { start: Type.String(), end: Type.String() }, STRETCH);
const WorkDay = answer("WorkDay", { start: Type.String(), end: Type.String(), breaks: list(BreakWindow) }, DAY);
const OFFICE_DAY = { start: "08:30", end: "17:00", breaks: [{ start: "12:30", end: "13:00" }] };
const workday = () => nullable({ ...WorkDay, example: OFFICE_DAY });
/** A working week in responses. */
export const WorkSchedule = answer(
  "WorkSchedule",
  {
    mon: workday(),
    tue: workday(),
    wed: workday(),
    thu: workday(),
    fri: workday(),
    sat: workday(),
    sun: workday(),
  },
  WEEK,
);

const BreakWindowWrite = input("BreakWindowWrite", { start: time(), end: time() }, STRETCH);
const WorkDayWrite = input(
  "WorkDayWrite",
  {
    start: time(),
    end: time(),
    breaks: optional(Type.Array(BreakWindowWrite, { default: [] })),
  },
  DAY,
);
const sentDay = () => optional(nullable(namedAsOne({ ...WorkDayWrite, example: OFFICE_DAY })));
/** A working week in requests; an absent day is not worked. */
export const WorkScheduleWrite = input(
  "WorkScheduleWrite",
  {
    mon: sentDay(),
    tue: sentDay(),
    wed: sentDay(),
    thu: sentDay(),
    fri: sentDay(),
    sat: sentDay(),
    sun: sentDay(),
  },
  WEEK,
);

const weekHours = () => decimalInput({ exclusiveMinimum: 0, maximum: MAX_WEEK_HOURS, decimalPlaces: 2 });
const freeHours = () => decimalInput({ minimum: 0, maximum: MAX_WEEK_HOURS, decimalPlaces: 2 });
const rate = () => decimalInput({ minimum: 0, maximum: MAX_HOURLY_RATE, decimalPlaces: 2 });
const kind = () => choice(namedValues("EmploymentType", ["employee", "freelance"]));

export const LeaveSettingsRead = answer(
  "LeaveSettingsRead",
  {
    default_schedule: WorkSchedule,
    holiday_country: nullable(Type.String()),
    holiday_auto_import: flag(),
    self_approval: flag(),
    recurring_horizon_months: Type.Integer(),
    default_hourly_rate: nullable(decimal()),
  },
  SETTINGS,
);
export const LeaveSettingsUpdate = input(
  "LeaveSettingsUpdate",
  {
    default_schedule: optional(neverNull(nullable(WorkScheduleWrite))),
    holiday_country: optional(nullable(text(2))),
    holiday_auto_import: optional(neverNull(nullable(flag()))),
    self_approval: optional(neverNull(nullable(flag()))),
    recurring_horizon_months: optional(neverNull(nullable(integer(1, 24)))),
    default_hourly_rate: optional(nullable(rate())),
  },
  SETTINGS,
);

export const LeaveProfileRead = answer(
  "LeaveProfileRead",
  {
    user_id: uuid(),
    schedule: WorkSchedule,
    hours_per_week: decimal(),
    hours_per_day: decimal(),
    inherited: flag(),
    employment_type: nullable(kind()),
  },
  PROFILE,
);
export const LeaveProfileSummary = answer(
  "LeaveProfileSummary",
  {
    user_id: uuid(),
    schedule: nullable(WorkSchedule),
    hours_per_week: decimal(),
    hours_per_day: decimal(),
  },
  { ...PROFILE, schedule: "The person's own working week; null if the organisation's default applies" },
);
export const LeaveProfileUpdate = input(
  "LeaveProfileUpdate",
  {
    schedule: optional(nullable(WorkScheduleWrite)),
    hours_per_week: optional(nullable(weekHours())),
  },
  {
    schedule:
      "The person's own working week; null returns to the organisation's default. Contracts that have not ended get it too",
    hours_per_week: "Hours per week of a person without their own working week; not used where `schedule` is sent or stored",
  },
);

export const LeaveRateRead = answer(
  "LeaveRateRead",
  {
    user_id: uuid(),
    hourly_rate: nullable(decimal()),
    effective_hourly_rate: nullable(decimal()),
  },
  RATE,
);
export const LeaveRateUpdate = input("LeaveRateUpdate", { hourly_rate: optional(nullable(rate())) }, RATE);

export const EmploymentContractRead = answer(
  "EmploymentContractRead",
  {
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
  },
  CONTRACT,
);
export const EmploymentContractCreate = input(
  "EmploymentContractCreate",
  {
    user_id: uuid(),
    start_date: date(),
    end_date: optional(nullable(date())),
    employment_type: optional(choice(namedValues("EmploymentType", ["employee", "freelance"]), { default: "employee" })),
    contract_hours_per_week: optional(nullable(weekHours())),
    schedule: optional(nullable(WorkScheduleWrite)),
    free_time_hours_per_week: optional(nullable(freeHours())),
    note: optional(note()),
  },
  CONTRACT,
);
export const EmploymentContractUpdate = input(
  "EmploymentContractUpdate",
  {
    start_date: optional(neverNull(nullable(date()))),
    end_date: optional(nullable(date())),
    employment_type: optional(neverNull(nullable(kind()))),
    contract_hours_per_week: optional(nullable(weekHours())),
    schedule: optional(nullable(WorkScheduleWrite)),
    free_time_hours_per_week: optional(nullable(freeHours())),
    note: optional(note()),
  },
  CONTRACT,
);

import {
  answer,
  choice,
  date,
  decimal,
  decimalInput,
  flag,
  input,
  instant,
  list,
  neverNull,
  nullable,
  optional,
  Type,
  uuid,
} from "../../../core/declare/schema.ts";
import { note, sentWindow } from "../sent.ts";
import { REQUEST_STATUSES } from "./status.ts";
import { MAX_OVERRIDE_HOURS } from "./transitions.ts";

const clock = () => nullable(Type.String());
const override = () => nullable(decimalInput({ exclusiveMinimum: 0, maximum: MAX_OVERRIDE_HOURS }));

export const LeaveRequestRead = answer("LeaveRequestRead", {
  id: uuid(),
  org_id: uuid(),
  user_id: uuid(),
  leave_type_id: uuid(),
  status: choice(REQUEST_STATUSES),
  start_date: date(),
  end_date: date(),
  start_time: clock(),
  end_time: clock(),
  hours: decimal(),
  hours_override: nullable(decimal()),
  hours_override_by_user_id: nullable(uuid()),
  note: note(),
  recurring_day_id: nullable(uuid()),
  decided_by_user_id: nullable(uuid()),
  decided_at: nullable(instant()),
  decision_note: note(),
  resubmitted_at: nullable(instant()),
  created_at: instant(),
  updated_at: instant(),
});

export const LeaveRequestCreate = input("LeaveRequestCreate", {
  leave_type_id: uuid(),
  start_date: date(),
  end_date: date(),
  ...sentWindow,
  user_id: optional(nullable(uuid())),
  hours_override: optional(override()),
  note: optional(note()),
});

export const LeaveRequestUpdate = input("LeaveRequestUpdate", {
  leave_type_id: optional(neverNull(nullable(uuid()))),
  start_date: optional(neverNull(nullable(date()))),
  end_date: optional(neverNull(nullable(date()))),
  ...sentWindow,
  hours_override: optional(override()),
  note: optional(note()),
});

export const LeaveRequestDecision = input("LeaveRequestDecision", { approved: Type.Boolean(), note: optional(note()) });

export const LeaveRequestPreview = input("LeaveRequestPreview", {
  start_date: date(),
  end_date: date(),
  ...sentWindow,
  user_id: optional(nullable(uuid())),
  leave_type_id: optional(nullable(uuid())),
  request_id: optional(nullable(uuid())),
});

/** One day of leave: hours, and why there are none. */
export const LeaveDayHours = answer("LeaveDayHours", { date: date(), hours: decimal(), reason: nullable(Type.String()) });

export const LeavePreviewResult = answer("LeavePreviewResult", {
  hours: decimal(),
  days: decimal(),
  breakdown: list(LeaveDayHours),
  remaining_hours: nullable(decimal()),
  touches_past: flag(false),
  requires_approval: flag(false),
});

export const TeamLeaveItem = answer("TeamLeaveItem", {
  id: uuid(),
  user_id: uuid(),
  user_name: Type.String(),
  leave_type_id: uuid(),
  status: choice(REQUEST_STATUSES),
  start_date: date(),
  end_date: date(),
  start_time: clock(),
  end_time: clock(),
  resolved_start_time: clock(),
  resolved_end_time: clock(),
  hours: decimal(),
  days: list(LeaveDayHours),
  starts_at: nullable(instant()),
  ends_at: nullable(instant()),
});

export const LeaveSummary = answer("LeaveSummary", {
  year: Type.Integer(),
  remaining_hours: decimal(),
  hours_per_week: decimal(),
  hours_per_day: decimal(),
  pending_count: Type.Integer(),
  next_leave_id: nullable(uuid()),
  next_leave_start: nullable(date()),
  next_leave_end: nullable(date()),
});

/** The link of a calendar feed, shown once. */
export const LeaveCalendarToken = answer("LeaveCalendarToken", { token: Type.String(), url: Type.String() });

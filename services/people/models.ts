import { column, type RowOf, tenantModel } from "../../core/database/model.ts";
import { conflict } from "../../core/errors/errors.ts";
import type { AvailabilityKind } from "./availability/availability.ts";
import type { LeaveCalendarDisplay } from "./leave-types.ts";
import type { PotSource } from "./pots/derivation.ts";
import type { RequestStatus } from "./requests/status.ts";
import type { EmploymentKind } from "./working-time/contract.ts";
import type { WorkWeek } from "./working-time/week.ts";

const { boolean, date, decimal, hashed, instant, integer, json, text, time, uuid } = column;
const hoursPerWeek = decimal(5, 2).orNull();
const rate = decimal(8, 2).orNull();
const note = text().orNull();
/** A stretch of a day; a null end is open. */
const window = { start_time: time().orNull(), end_time: time().orNull() };

/** The version of unsaved settings, profiles and pots: their first row is the second state a caller can see. */
export const UNSAVED_VERSION = 1;

export const LeaveTypeModel = tenantModel("leave_types", {
  key: text(),
  label_i18n: json<Readonly<Record<string, string>>>().withDefault(),
  color: text().withDefault(),
  paid: boolean().withDefault(),
  tracks_balance: boolean().withDefault(),
  requires_approval: boolean().withDefault(),
  accrues_schedule_gap: boolean().withDefault(),
  calendar_display: text<LeaveCalendarDisplay>().withDefault(),
  position: integer().withDefault(),
  active: boolean().withDefault(),
  default_weeks: decimal().orNull(),
  carry_over_months: integer().orNull(),
  balance_group: text().orNull(),
}).whenViolated({
  leave_types_key_key: () => conflict("errors.conflict", "key"),
});
export type LeaveTypeRow = RowOf<typeof LeaveTypeModel>;

export const LeaveSettingsModel = tenantModel("leave_settings", {
  default_schedule: json<WorkWeek>().orNull(),
  holiday_country: text().orNull(),
  holiday_auto_import: boolean().withDefault(),
  self_approval: boolean().withDefault(),
  recurring_horizon_months: integer().withDefault(),
  default_hourly_rate: rate,
});

export const LeaveProfileModel = tenantModel("leave_profiles", {
  user_id: uuid(),
  schedule: json<WorkWeek>().orNull(),
  hours_per_week: hoursPerWeek,
  hourly_rate: rate,
});
export type LeaveProfileRow = RowOf<typeof LeaveProfileModel>;

export const ContractModel = tenantModel("leave_contracts", {
  user_id: uuid(),
  start_date: date(),
  end_date: date().orNull(),
  employment_type: text<EmploymentKind>().withDefault(),
  contract_hours_per_week: hoursPerWeek,
  schedule: json<WorkWeek>().orNull(),
  free_time_hours_per_week: hoursPerWeek,
  note,
});
export type ContractRow = RowOf<typeof ContractModel>;

export const HolidayModel = tenantModel("leave_holidays", {
  date: date(),
  name_i18n: json<Record<string, string>>().withDefault(),
  active: boolean().withDefault(),
  source: text().withDefault(),
  key: text().orNull(),
}).whenViolated({
  leave_holidays_date_key: () => conflict("errors.leave_holiday_exists", "date"),
});

export const EntitlementModel = tenantModel("leave_entitlements", {
  user_id: uuid(),
  leave_type_id: uuid(),
  year: integer(),
  hours: decimal(6, 2),
  source: text<PotSource>().withDefault(),
  note,
});
export type EntitlementRow = RowOf<typeof EntitlementModel>;

export const LeaveRequestModel = tenantModel("leave_requests", {
  user_id: uuid(),
  leave_type_id: uuid(),
  status: text<RequestStatus>().withDefault(),
  start_date: date(),
  end_date: date(),
  ...window,
  resolved_start_time: time().orNull(),
  resolved_end_time: time().orNull(),
  hours: decimal(6, 2),
  hours_override: decimal(6, 2).orNull(),
  hours_override_by_user_id: uuid().orNull(),
  note,
  decided_by_user_id: uuid().orNull(),
  decided_at: instant().orNull(),
  decision_note: text().orNull(),
  resubmitted_at: instant().orNull(),
  recurring_day_id: uuid().orNull(),
  recurring_date: date().orNull(),
}).whenViolated({
  leave_requests_type_fkey: () => conflict("errors.leave_type_in_use"),
});
export type LeaveRequestRow = RowOf<typeof LeaveRequestModel>;

export const RecurringDayModel = tenantModel("leave_recurring_days", {
  user_id: uuid(),
  leave_type_id: uuid(),
  anchor_date: date(),
  interval_weeks: integer().withDefault(),
  days_per_year: integer().orNull(),
  ...window,
  note,
  active: boolean().withDefault(),
});
export type RecurringDayRow = RowOf<typeof RecurringDayModel>;

export const AvailabilityModel = tenantModel("leave_availability", {
  user_id: uuid(),
  kind: text<AvailabilityKind>(),
  date: date(),
  ...window,
  repeat_weeks: integer().orNull(),
  repeat_until: date().orNull(),
  note,
  pair_id: uuid().orNull(),
});
export type AvailabilityRow = RowOf<typeof AvailabilityModel>;

export const CalendarTokenModel = tenantModel("leave_calendar_tokens", { membership_id: uuid(), token_hash: hashed() });

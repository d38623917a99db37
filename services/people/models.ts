import type { IsoDate } from "../../core/calendar/calendar.ts";
import { tenantModel, types } from "../../core/database/model.ts";
import { explainConstraints } from "../../core/database/write.ts";
import { conflict } from "../../core/declare/errors.ts";
import type { AvailabilityKind } from "./availability/availability.ts";
import type { EmploymentKind } from "./contracts/contract.ts";
import type { PotSource } from "./pots/derivation.ts";
import type { RequestStatus } from "./requests/status.ts";
import type { LeaveType } from "./types/leave-types.ts";
import type { Hours } from "./working-time/hours.ts";
import type { WorkWeek } from "./working-time/week.ts";

const text = types.TEXT;
const day = types.DATEONLY;
const hours = types.DECIMAL;

/** The version of settings, profiles and pots that nobody has saved yet: their first row is the second state a caller can see. */
export const UNSAVED_VERSION = 1;

/** What every stored row has besides its own fields. */
export interface Stored {
  readonly id: string;
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
}

export type LeaveTypeRow = Stored & LeaveType & { readonly color: string; readonly paid: boolean };
export const LeaveTypeModel = tenantModel("leave_types", {
  key: text,
  label_i18n: types.JSONB,
  color: text,
  paid: types.BOOLEAN,
  tracks_balance: types.BOOLEAN,
  requires_approval: types.BOOLEAN,
  accrues_schedule_gap: types.BOOLEAN,
  calendar_display: text,
  position: types.INTEGER,
  active: types.BOOLEAN,
  default_weeks: hours,
  carry_over_months: types.INTEGER,
  balance_group: text,
});

export const LeaveSettingsModel = tenantModel("leave_settings", {
  default_schedule: types.JSONB,
  holiday_country: text,
  holiday_auto_import: types.BOOLEAN,
  self_approval: types.BOOLEAN,
  recurring_horizon_months: types.INTEGER,
  default_hourly_rate: hours,
});

export interface LeaveProfileRow extends Stored {
  readonly user_id: string;
  readonly schedule: WorkWeek | null;
  readonly hours_per_week: Hours | null;
  readonly hourly_rate: string | null;
}
export const LeaveProfileModel = tenantModel("leave_profiles", {
  user_id: types.UUID,
  schedule: types.JSONB,
  hours_per_week: hours,
  hourly_rate: hours,
});

export interface ContractRow extends Stored {
  readonly user_id: string;
  readonly start_date: IsoDate;
  readonly end_date: IsoDate | null;
  readonly employment_type: EmploymentKind;
  readonly contract_hours_per_week: Hours | null;
  readonly schedule: WorkWeek | null;
  readonly free_time_hours_per_week: Hours | null;
  readonly note: string | null;
}
export const ContractModel = tenantModel("leave_contracts", {
  user_id: types.UUID,
  start_date: day,
  end_date: day,
  employment_type: text,
  contract_hours_per_week: hours,
  schedule: types.JSONB,
  free_time_hours_per_week: hours,
  note: text,
});

export const HolidayModel = tenantModel("leave_holidays", {
  date: day,
  name_i18n: types.JSONB,
  active: types.BOOLEAN,
  source: text,
  key: text,
});

export interface EntitlementRow extends Stored {
  readonly user_id: string;
  readonly leave_type_id: string;
  readonly year: number;
  readonly hours: Hours;
  readonly source: PotSource;
  readonly note: string | null;
}
export const EntitlementModel = tenantModel("leave_entitlements", {
  user_id: types.UUID,
  leave_type_id: types.UUID,
  year: types.INTEGER,
  hours,
  source: text,
  note: text,
});

export interface LeaveRequestRow extends Stored {
  readonly user_id: string;
  readonly leave_type_id: string;
  readonly status: RequestStatus;
  readonly start_date: IsoDate;
  readonly end_date: IsoDate;
  readonly start_time: string | null;
  readonly end_time: string | null;
  readonly resolved_start_time: string | null;
  readonly resolved_end_time: string | null;
  readonly hours: Hours;
  readonly hours_override: Hours | null;
  readonly hours_override_by_user_id: string | null;
  readonly note: string | null;
  readonly decided_by_user_id: string | null;
  readonly decided_at: string | null;
  readonly decision_note: string | null;
  readonly resubmitted_at: string | null;
  readonly recurring_day_id: string | null;
  readonly recurring_date: IsoDate | null;
}
export const LeaveRequestModel = tenantModel("leave_requests", {
  user_id: types.UUID,
  leave_type_id: types.UUID,
  status: text,
  start_date: day,
  end_date: day,
  start_time: text,
  end_time: text,
  resolved_start_time: text,
  resolved_end_time: text,
  hours,
  hours_override: hours,
  hours_override_by_user_id: types.UUID,
  note: text,
  decided_by_user_id: types.UUID,
  decided_at: types.DATE,
  decision_note: text,
  resubmitted_at: types.DATE,
  recurring_day_id: types.UUID,
  recurring_date: day,
});

export interface RecurringDayRow extends Stored {
  readonly user_id: string;
  readonly leave_type_id: string;
  readonly anchor_date: IsoDate;
  readonly interval_weeks: number;
  readonly days_per_year: number | null;
  readonly start_time: string | null;
  readonly end_time: string | null;
  readonly note: string | null;
  readonly active: boolean;
}
export const RecurringDayModel = tenantModel("leave_recurring_days", {
  user_id: types.UUID,
  leave_type_id: types.UUID,
  anchor_date: day,
  interval_weeks: types.INTEGER,
  days_per_year: types.INTEGER,
  start_time: text,
  end_time: text,
  note: text,
  active: types.BOOLEAN,
});

export interface AvailabilityRow extends Stored {
  readonly user_id: string;
  readonly kind: AvailabilityKind;
  readonly date: IsoDate;
  readonly start_time: string | null;
  readonly end_time: string | null;
  readonly repeat_weeks: number | null;
  readonly repeat_until: IsoDate | null;
  readonly note: string | null;
  readonly pair_id: string | null;
}
export const AvailabilityModel = tenantModel("leave_availability", {
  user_id: types.UUID,
  kind: text,
  date: day,
  start_time: text,
  end_time: text,
  repeat_weeks: types.INTEGER,
  repeat_until: day,
  note: text,
  pair_id: types.UUID,
});

export const CalendarTokenModel = tenantModel("leave_calendar_tokens", { membership_id: types.UUID, token_hash: types.BLOB });

explainConstraints({
  leave_types_key_key: () => conflict("errors.conflict", "key"),
  leave_requests_type_fkey: () => conflict("errors.leave_type_in_use"),
  leave_holidays_date_key: () => conflict("errors.leave_holiday_exists", "date"),
});

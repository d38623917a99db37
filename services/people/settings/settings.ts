import type { DecimalInput } from "../../../core/values/money.ts";
import { type Hours, sameHours } from "../working-time/hours.ts";
import { DEFAULT_WEEK, type WorkWeek, weekHours } from "../working-time/week.ts";

/** An organisation's single row of leave settings (people chapter §4). */
export interface LeaveSettings {
  readonly default_schedule: WorkWeek;
  /** Null: generator `nl`. */
  readonly holiday_country: string | null;
  readonly holiday_auto_import: boolean;
  readonly self_approval: boolean;
  readonly recurring_horizon_months: number;
  readonly default_hourly_rate: DecimalInput | null;
}

/** The settings of an organisation without a saved row (people chapter §4). */
export const DEFAULT_SETTINGS: LeaveSettings = {
  default_schedule: DEFAULT_WEEK,
  holiday_country: null,
  holiday_auto_import: true,
  self_approval: false,
  recurring_horizon_months: 12,
  default_hourly_rate: null,
};

/** The full-time norm N: week hours of the organisation's default schedule (people chapter §4). */
export function fullTimeNorm(settings: Pick<LeaveSettings, "default_schedule">): Hours {
  return weekHours(settings.default_schedule);
}

/** Whether a change of settings changes N and so re-derives generated pots (people chapter §4, §7). */
export function normChanged(
  before: Pick<LeaveSettings, "default_schedule">,
  after: Pick<LeaveSettings, "default_schedule">,
): boolean {
  return !sameHours(fullTimeNorm(before), fullTimeNorm(after));
}

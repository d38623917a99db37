import type { IsoDate } from "../../../core/calendar/calendar.ts";
import { Decimal, type DecimalInput, decimal } from "../../../core/values/money.ts";
import { CONTRACT_OVERLAP, type FieldErrors, invalid, type Refusal } from "../refusal.ts";
import { type Hours, hoursText } from "./hours.ts";
import { type Period, sharesDay } from "./period.ts";
import { type WorkWeek, weekHours } from "./week.ts";

/** Employees accrue leave; freelancers do not (people chapter §4). */
export type EmploymentKind = "employee" | "freelance";

/** An employment period of one person, both ends inclusive; `end_date` null is open-ended (people chapter §4). */
export interface Contract {
  readonly start_date: IsoDate;
  readonly end_date: IsoDate | null;
  readonly employment_type: EmploymentKind;
  /** Agreed hours per week; null only on a freelance period. */
  readonly contract_hours_per_week: DecimalInput | null;
  /** The period's own week; null inherits. */
  readonly schedule: WorkWeek | null;
  /** Null derives, 0 means that free time is already in the roster, another figure is agreed. */
  readonly free_time_hours_per_week: DecimalInput | null;
}

/** The most hours a week a contract, a profile or agreed free time may hold (people chapter §4, §13 "Limits"). */
export const MAX_WEEK_HOURS = 80;

/** The fields of a contract whose change re-derives pots; a note alone touches nothing (people chapter §7, "When"). */
export const POT_FIELDS = [
  "start_date",
  "end_date",
  "employment_type",
  "contract_hours_per_week",
  "free_time_hours_per_week",
  "schedule",
] as const;

/** Whether a PATCH of a contract that names `keys` re-derives the person's pots (people chapter §7, "When"). */
export function patchRederives(keys: readonly string[]): boolean {
  return POT_FIELDS.some((field) => keys.includes(field));
}

/**
 * What is wrong with a contract as it will be stored: message key per field. Hours 0 < h ≤ 80, required for an employee
 * (so kind and hours may change in one PATCH); free time 0–80; the end not before the start (people chapter §4).
 */
export function contractErrors(contract: Contract): FieldErrors {
  const fields: Record<string, string> = {};
  const hours = contract.contract_hours_per_week;
  const freeTime = contract.free_time_hours_per_week;
  if (contract.end_date !== null && contract.end_date < contract.start_date) {
    fields.end_date = "errors.leave_end_before_start";
  }
  if (hours === null) {
    if (contract.employment_type !== "freelance") {
      fields.contract_hours_per_week = "errors.leave_contract_hours_required";
    }
  } else if (!decimal(hours).greaterThan(0) || decimal(hours).greaterThan(MAX_WEEK_HOURS)) {
    fields.contract_hours_per_week = "errors.validation";
  }
  if (freeTime !== null && (decimal(freeTime).lessThan(0) || decimal(freeTime).greaterThan(MAX_WEEK_HOURS))) {
    fields.free_time_hours_per_week = "errors.validation";
  }
  return fields;
}

/**
 * Why a contract may not be stored beside the person's other contracts: its fields 422, a day shared with another period
 * 409, which names that period (people chapter §4). Null when it may. `others` is without the contract being edited.
 */
export function contractRefusal(contract: Contract, others: readonly (Period & { readonly id: string })[]): Refusal | null {
  const fields = contractErrors(contract);
  if (Object.keys(fields).length > 0) return invalid(fields);
  const clash = others.find((other) => sharesDay(contract, other));
  if (clash === undefined) return null;
  const { id, start_date, end_date } = clash;
  return { ...CONTRACT_OVERLAP, details: { contract_id: id, start_date, ...(end_date !== null && { end_date }) } };
}

/**
 * Free time per week of a period, 2 decimals: 0 for freelance, else the agreed figure, else what the full-time norm
 * exceeds the contract hours by (people chapter §4). `norm` is the week hours of the organisation's default schedule.
 */
export function effectiveFreeTime(contract: Contract, norm: DecimalInput): Hours {
  if (contract.employment_type === "freelance") return "0.00";
  if (contract.free_time_hours_per_week !== null) return hoursText(contract.free_time_hours_per_week);
  const gap = decimal(norm).minus(decimal(contract.contract_hours_per_week ?? 0));
  return hoursText(Decimal.max(0, gap));
}

/** Week hours of a contract: of its own schedule, else the person's current weekly hours (people chapter §4). */
export function scheduledHours(contract: Contract, currentWeeklyHours: DecimalInput): Hours {
  return contract.schedule === null ? hoursText(currentWeeklyHours) : weekHours(contract.schedule);
}

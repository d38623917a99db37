import type { IsoDate } from "../../../core/calendar/calendar.ts";
import { Decimal, type DecimalInput, decimal } from "../../../core/values/money.ts";
import { CONTRACT_OVERLAP, type FieldErrors, invalid, type Refusal } from "../refusal.ts";
import { type Hours, hoursText } from "./hours.ts";
import { type Period, sharesDay } from "./period.ts";
import { type WorkWeek, weekHours } from "./week.ts";

/** Employees accrue leave; freelancers do not (people chapter §4). */
export type EmploymentKind = "employee" | "freelance";

/** An employment period of one person, both ends inclusive; null `end_date` is open-ended (people chapter §4). */
export interface Contract {
  readonly start_date: IsoDate;
  readonly end_date: IsoDate | null;
  readonly employment_type: EmploymentKind;
  /** Agreed hours per week; null only on a freelance period. */
  readonly contract_hours_per_week: DecimalInput | null;
  /** The period's own week; null: inherited. */
  readonly schedule: WorkWeek | null;
  /** Null: derived. 0: free time is already in the roster. Other figures are agreed. */
  readonly free_time_hours_per_week: DecimalInput | null;
}

/** The maximum hours a week of a contract, a profile or agreed free time (people chapter §4, §13 "Limits"). */
export const MAX_WEEK_HOURS = 80;

/** The contract fields whose change re-derives pots; a change of only the note does not (people chapter §7, "When"). */
export const POT_FIELDS = [
  "start_date",
  "end_date",
  "employment_type",
  "contract_hours_per_week",
  "free_time_hours_per_week",
  "schedule",
] as const;

/** Whether a PATCH of a contract with these keys re-derives the person's pots (people chapter §7, "When"). */
export function patchRederives(keys: readonly string[]): boolean {
  return POT_FIELDS.some((field) => keys.includes(field));
}

/**
 * Validates a contract before it is stored: message key per field (people chapter §4). Hours 0 < h ≤ 80, required for an employee (so kind
 * and hours may change in one PATCH); free time 0–80; the end not before the start.
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
 * Why a contract conflicts with the person's other contracts: invalid fields 422, a day shared with another period 409, which names that
 * period (people chapter §4). Null if it is valid. `others` excludes the contract being edited.
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
 * Free time per week of a period, 2 decimals (people chapter §4): 0 for freelance, else the agreed figure, else the full-time norm minus
 * the contract hours, at least 0. `norm` is the week hours of the organisation's default schedule.
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

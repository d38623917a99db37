import type { OwnOf } from "../../../core/database/model.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { refuseWith } from "../callers.ts";
import type { ContractModel, ContractRow } from "../models.ts";
import { noteOf } from "../sent.ts";
import type { Person } from "../sources.ts";
import { effectiveFreeTime, scheduledHours } from "../working-time/contract.ts";
import { hoursText } from "../working-time/hours.ts";
import { currentWeeklyHours } from "../working-time/schedule.ts";
import type { EmploymentContractCreate, EmploymentContractUpdate } from "../working-time/schedule-schemas.ts";
import { weekHours } from "../working-time/week.ts";
import { readWeek } from "../working-time/week-validation.ts";

/** The writable fields of a contract. */
export type ContractValues = Omit<OwnOf<typeof ContractModel>, "user_id">;

const NONE = {
  end_date: null,
  employment_type: "employee",
  contract_hours_per_week: null,
  schedule: null,
  free_time_hours_per_week: null,
  note: null,
} as const;

const hoursOrNull = (hours: string | number | null): string | null => (hours === null ? null : hoursText(hours));

/**
 * Merges the sent values over the stored contract and normalises them: hours with 2 decimals, the week sorted.
 * @param before the stored contract, null for a new one
 * @throws 422 for an invalid week
 */
export function contractValues(
  sent: Static<typeof EmploymentContractCreate> | Static<typeof EmploymentContractUpdate>,
  before: ContractRow | null,
): ContractValues {
  const { contract_hours_per_week: hours, free_time_hours_per_week: free, schedule: week } = sent;
  const read = week ? readWeek(week, "schedule") : null;
  if (read?.allowed === false) refuseWith(read.refusal);
  return {
    start_date: sent.start_date ?? (before as ContractRow).start_date,
    end_date: sent.end_date === undefined ? (before ?? NONE).end_date : sent.end_date,
    employment_type: sent.employment_type ?? (before ?? NONE).employment_type,
    contract_hours_per_week: hours === undefined ? (before ?? NONE).contract_hours_per_week : hoursOrNull(hours),
    free_time_hours_per_week: free === undefined ? (before ?? NONE).free_time_hours_per_week : hoursOrNull(free),
    schedule: read?.allowed ? read.week : week === undefined ? (before ?? NONE).schedule : null,
    note: sent.note === undefined ? (before ?? NONE).note : noteOf(sent.note),
  };
}

/** A contract's response, with the figures derived from the person's week and the full-time norm. */
export function contractAnswer(contract: ContractRow, person: Person) {
  const { id, user_id, start_date, end_date, employment_type, contract_hours_per_week, schedule, note } = contract;
  return {
    id,
    user_id,
    start_date,
    end_date,
    employment_type,
    contract_hours_per_week,
    schedule,
    scheduled_hours_per_week: scheduledHours(contract, currentWeeklyHours(person)),
    free_time_hours_per_week: contract.free_time_hours_per_week,
    effective_free_time_per_week: effectiveFreeTime(contract, weekHours(person.default_schedule)),
    note,
    created_at: contract.created_at,
    updated_at: contract.updated_at,
  };
}

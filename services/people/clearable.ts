import type { FieldErrors } from "./refusal.ts";

/** The fields a PATCH or PUT may clear with null, per resource; all others answer 422 (people chapter §1, §3–§10). */
export const CLEARABLE = {
  type: ["default_weeks", "carry_over_months", "balance_group"],
  settings: ["holiday_country", "default_hourly_rate"],
  contract: ["end_date", "contract_hours_per_week", "schedule", "free_time_hours_per_week", "note"],
  /** Null hours count as left out; a null schedule goes back to the default week. */
  profile: ["schedule", "hours_per_week"],
  rate: ["hourly_rate"],
  request: ["start_time", "end_time", "note", "hours_override"],
  recurring: ["days_per_year", "start_time", "end_time", "note"],
  availability: ["start_time", "end_time", "repeat_weeks", "repeat_until", "note"],
  holiday: [],
} as const satisfies Record<string, readonly string[]>;

/**
 * The fields of a PATCH or PUT that are null but cannot be cleared, each with `errors.validation`. A key left out leaves
 * its field alone; in a POST null on an optional field is omission and none of this applies (people chapter §1, "Errors").
 */
export function nullErrors(resource: keyof typeof CLEARABLE, sent: Readonly<Record<string, unknown>>): FieldErrors {
  const clearable: readonly string[] = CLEARABLE[resource];
  const wrong = Object.keys(sent).filter((key) => sent[key] === null && !clearable.includes(key));
  return Object.fromEntries(wrong.map((key) => [key, "errors.validation"]));
}

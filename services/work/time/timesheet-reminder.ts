import { addDays, type IsoDate, startOf } from "../../../core/calendar/calendar.ts";

/** A person as the Monday reminder looks at them. */
export interface TimesheetPerson {
  readonly user_id: string;
  /** Holds `time.entry.write` at any scope. */
  readonly writes_time: boolean;
  /** Finished entries that count in the week. */
  readonly entries: number;
  /** Whether approved leave and holidays cover every scheduled minute of the week; true as well when nothing was scheduled. */
  readonly fully_absent: boolean;
}

/** The Monday of the week before the one that `today` lies in (work chapter §5, Monday 07:00). */
export const remindedWeek = (today: IsoDate): IsoDate => addDays(startOf("week", today), -7);

/**
 * Who is reminded of an empty timesheet: everyone who may write time and logged nothing, unless they were away for all of it
 * (work chapter §5). Once per person and week; keeping count is the job's.
 */
export function remindedPeople<P extends TimesheetPerson>(people: readonly P[]): P[] {
  return people.filter(({ writes_time, entries, fully_absent }) => writes_time && entries === 0 && !fully_absent);
}

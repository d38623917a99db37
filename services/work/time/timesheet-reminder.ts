import { addDays, type IsoDate, startOf } from "../../../core/calendar/calendar.ts";

/** The facts about a person that the Monday reminder needs. */
export interface TimesheetPerson {
  readonly user_id: string;
  /** Holds `time.entry.write` at any scope. */
  readonly writes_time: boolean;
  /** Finished entries in the week. */
  readonly entries: number;
  /** Whether approved leave and holidays cover every scheduled minute of the week; also true if nothing was scheduled. */
  readonly fully_absent: boolean;
}

/** The Monday of the week before `today`'s (work chapter §5, Monday 07:00). */
export const remindedWeek = (today: IsoDate): IsoDate => addDays(startOf("week", today), -7);

/**
 * The people to remind of an empty timesheet: those who can write time and logged nothing, unless absent the whole week (work chapter §5).
 * The job limits this to once per person and week.
 */
export function remindedPeople<P extends TimesheetPerson>(people: readonly P[]): P[] {
  return people.filter(({ writes_time, entries, fully_absent }) => writes_time && entries === 0 && !fully_absent);
}

import { addDays, type IsoDate, midnight, startOf } from "../../../core/calendar/calendar.ts";

/** A person as the Monday reminder looks at them. */
export interface TimesheetPerson {
  readonly user_id: string;
  /** Holds `time.entry.write` at any scope. */
  readonly writes_time: boolean;
  /** Finished entries that start in the week. */
  readonly entries: number;
  /** Whether approved leave and holidays cover every scheduled minute of the week; true as well when nothing was scheduled. */
  readonly fully_absent: boolean;
}

/** The Monday of the week before the one that `today` lies in (work chapter §5, Monday 07:00). */
export const remindedWeek = (today: IsoDate): IsoDate => addDays(startOf("week", today), -7);

/** The instants of a Monday–Sunday week in the organisation's zone, the end not included. */
export function localWeek(weekStart: IsoDate, zone: string): { start: string; end: string } {
  return { start: midnight(weekStart, zone), end: midnight(addDays(weekStart, 7), zone) };
}

/**
 * Who is reminded of an empty timesheet: everyone who may write time and logged nothing, unless they were away for all of it
 * (work chapter §5). Once per person and week; keeping count is the job's.
 */
export function remindedPeople<P extends TimesheetPerson>(people: readonly P[]): P[] {
  return people.filter(({ writes_time, entries, fully_absent }) => writes_time && entries === 0 && !fully_absent);
}

/** A reminder that is to be mailed. */
export interface DueReminder {
  /** The step of the schedule it is, from 1. */
  readonly level: number;
  /** Today is the very day of that step: only then does a failure leave a line in the trail. */
  readonly on_threshold: boolean;
}

/**
 * The reminder an invoice is due, if any: one step a run, so a schedule that starts late catches up a day at a time (money §13).
 * @param days the schedule, in days after the due date, ascending
 * @param count reminders it has had, manual ones included
 * @param overdueDays today less the due date
 */
export function dueReminder(schedule: {
  readonly days: readonly number[];
  readonly count: number;
  readonly overdueDays: number;
}): DueReminder | null {
  const { days, count, overdueDays } = schedule;
  const step = days[count];
  if (step === undefined || overdueDays < 1 || overdueDays < step) return null;
  return { level: count + 1, on_threshold: overdueDays === step };
}

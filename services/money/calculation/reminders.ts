/** A reminder to mail. */
export interface DueReminder {
  /** The step of the schedule, from 1. */
  readonly level: number;
  /** Whether today is exactly the day of that step: only then is a failure recorded in the trail. */
  readonly on_threshold: boolean;
}

/**
 * The reminder due for an invoice, if any: one step per run, so a schedule that starts late catches up one step a day (money §13).
 * @param days the schedule, in days after the due date, ascending
 * @param count reminders already sent, manual ones included
 * @param overdueDays today minus the due date
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

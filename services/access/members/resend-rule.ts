const MINUTE = 60;
const DAY = 86_400;
/** Most resends of one invite per day (access §4.4). */
const MOST_A_DAY = 10;

/**
 * Seconds until an invite can be resent: one a minute, ten a day. 0 if it can be now.
 * @param ages seconds since each resend of the last day
 */
export function resendWait(ages: readonly number[]): number {
  const newestFirst = ages.filter((age) => age < DAY).toSorted((one, other) => one - other);
  const sinceLast = newestFirst[0] ?? DAY;
  const sinceTenth = newestFirst[MOST_A_DAY - 1] ?? DAY;
  return Math.ceil(Math.max(0, MINUTE - sinceLast, DAY - sinceTenth));
}

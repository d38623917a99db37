const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000];

/** Waits between attempts in ms, three days and a few hours in total (Standard Webhooks, "Deliverability and reliability"). */
const WAITS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR] as const;

/** An endpoint that accepts nothing for this many ms is disabled. */
export const PATIENCE = 72 * HOUR;

/** Milliseconds from a failed attempt to the next; null after the last. @param attempts made so far, at least 1 */
export const waitAfterAttempt = (attempts: number): number | null => WAITS[attempts - 1] ?? null;

/** Whether a response means that the receiver accepted the message: only a status of 200 to 299. */
export const isTaken = (status: number): boolean => status >= 200 && status < 300;

/** The status with which a receiver declines all further messages. */
export const GONE = 410;

const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000];

/** Waits between the attempts in ms: three days and a few hours altogether (Standard Webhooks, "Deliverability and reliability"). */
const WAITS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR] as const;

/** An endpoint that took nothing for so long, in ms, is switched off. */
export const PATIENCE = 72 * HOUR;

/** Milliseconds from the failed attempt to the next; null when there is none. @param attempts those made so far, at least 1 */
export const waitAfterAttempt = (attempts: number): number | null => WAITS[attempts - 1] ?? null;

/** Whether an answer means that the message was taken: any status of 200 to 299, and nothing else. */
export const isTaken = (status: number): boolean => status >= 200 && status < 300;

/** The status by which a receiver says that it wants no message any more. */
export const GONE = 410;

/** What a call does at the provider. A create is never repeated: its lost answer is found again by the next call (assets §5.4). */
export type Effect = "read" | "create" | "idempotent";

/** How an attempt ended that may be worth another one. */
export interface Attempt {
  effect: Effect;
  /** Whether the provider recognises the call by an idempotency key. */
  isKeyed: boolean;
  /** Status of an answer; null when there was none. */
  status: number | null;
  /** Whether the wait for an answer was too long. */
  isTimeout: boolean;
  /** Attempts so far, this one included. */
  number: number;
  /** Seconds the provider asked to wait, when it did. */
  retryAfter: number | null;
}

/** Longest a run waits because a provider asked it to, in seconds. */
export const LONGEST_WAIT = 60;
/** Attempts of one call inside a job. */
export const JOB_ATTEMPTS = 5;

const TRANSIENT = new Set([500, 502, 503, 504]);
const FIRST_WAIT = 1000;

const mayRepeat = ({ effect, isKeyed }: Attempt) => effect !== "create" || isKeyed;
const isTransient = ({ status }: Attempt) => status === null || TRANSIENT.has(status);

/** Inside a request: at most once more, at once, where the provider was not reached or stumbled. Who waited in vain is not kept waiting again. */
export function mayRepeatInRequest(attempt: Attempt): boolean {
  return attempt.number === 1 && !attempt.isTimeout && attempt.retryAfter === null && mayRepeat(attempt) && isTransient(attempt);
}

/**
 * Inside a job: milliseconds to wait before the next attempt, or null when this was the last. Doubles from a second, with full jitter in
 * its upper half, and is never shorter than what the provider asked for.
 * @param random from 0 to 1
 */
export function waitInJob(attempt: Attempt, random: number): number | null {
  const { number, status, retryAfter } = attempt;
  if (number >= JOB_ATTEMPTS || !mayRepeat(attempt) || !(isTransient(attempt) || status === 429)) return null;
  if (retryAfter !== null && retryAfter > LONGEST_WAIT) return null;
  const backoff = FIRST_WAIT * 2 ** (number - 1);
  return Math.max(Math.round(backoff * (0.5 + random / 2)), (retryAfter ?? 0) * 1000);
}

/**
 * Seconds of a `Retry-After`, given as seconds or as a date (RFC 9110 §10.2.3), rounded up; null without one that can be read.
 * @param now milliseconds since 1970
 */
export function retryAfterSeconds(header: string | undefined, now: number): number | null {
  const text = header?.trim() ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text);
  // Only the date forms of HTTP: Date.parse takes far more.
  const date = /^[A-Z][a-z]+,? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now) / 1000));
}

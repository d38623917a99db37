/** The effect of a call at the provider. A create is never retried: if its response is lost, the next call finds it (assets §5.4). */
export type Effect = "read" | "create" | "idempotent";

/** The outcome of an attempt, to decide on a retry. */
export interface Attempt {
  effect: Effect;
  /** Whether the provider recognises the call by an idempotency key. */
  isKeyed: boolean;
  /** HTTP status; null without a response. */
  status: number | null;
  /** Whether the response timed out. */
  isTimeout: boolean;
  /** Attempts so far, including this one. */
  number: number;
  /** Seconds until the provider allows a retry; null if it named none. */
  retryAfter: number | null;
}

/** Longest wait that a provider can impose on a run, in seconds. */
export const LONGEST_WAIT = 60;
/** Attempts of one call inside a job. */
export const JOB_ATTEMPTS = 5;

const TRANSIENT = new Set([500, 502, 503, 504]);
const FIRST_WAIT = 1000;

const mayRepeat = ({ effect, isKeyed }: Attempt) => effect !== "create" || isKeyed;
const isTransient = ({ status }: Attempt) => status === null || TRANSIENT.has(status);

/**
 * Whether a request retries: once, at once, if the provider was unreachable or failed. Not after a timeout: the caller has waited enough.
 */
export function mayRepeatInRequest(attempt: Attempt): boolean {
  return attempt.number === 1 && !attempt.isTimeout && attempt.retryAfter === null && mayRepeat(attempt) && isTransient(attempt);
}

/**
 * Milliseconds that a job waits before the next attempt, or null after the last one. Starts at one second and doubles, with full jitter in
 * its upper half, and never ends before the provider's `Retry-After`.
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
 * Seconds of a `Retry-After`, from seconds or a date (RFC 9110 §10.2.3), rounded up; null if missing or unreadable.
 * @param now milliseconds since 1970
 */
export function retryAfterSeconds(header: string | undefined, now: number): number | null {
  const text = header?.trim() ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text);
  // Only the date forms of HTTP: `Date.parse` accepts far more.
  const date = /^[A-Z][a-z]+,? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now) / 1000));
}

import { retryAfterSeconds } from "../../core/outbound/provider/retry.ts";
import type { AdsError } from "./answers.ts";

/** Attempts of a read or of a validated write (marketing-ads §3.3). */
const ATTEMPTS = 3;
/** Longest wait between two attempts, and the first wait, which doubles each time; in milliseconds. */
const LONGEST_WAIT = 8000;
const FIRST_WAIT = 500;

/** Milliseconds until the provider allows a retry; null if it names none. @param header `Retry-After` */
export function retryDelayOf(error: AdsError | null, header?: string): number | null {
  const [, seconds] = /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(error?.retryDelay ?? "") ?? [];
  if (seconds !== undefined) return Math.ceil(Number(seconds) * 1000);
  const named = retryAfterSeconds(header, Date.now());
  return named === null ? null : named * 1000;
}

/**
 * Milliseconds to wait before the next attempt, or null after the last one (marketing-ads §3.3): the provider's delay, at most 8 s, or full
 * jitter.
 * @param number attempts so far
 * @param random from 0 to 1
 */
export function waitBefore(
  { isRepeatable, retryDelay }: { isRepeatable: boolean; retryDelay: number | null },
  number: number,
  random: number,
): number | null {
  if (!isRepeatable || number >= ATTEMPTS) return null;
  if (retryDelay !== null) return Math.min(retryDelay, LONGEST_WAIT);
  return Math.round(random * Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** (number - 1)));
}

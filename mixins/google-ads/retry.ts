import { retryAfterSeconds } from "../../core/outbound/provider/retry.ts";
import type { AdsError } from "./answers.ts";

/** Attempts of a read, or of a write that is only validated (marketing-ads §3.3). */
export const ATTEMPTS = 3;
/** Milliseconds: longest wait between two attempts, and what the waits that we choose double from. */
const LONGEST_WAIT = 8000;
const FIRST_WAIT = 500;

/** Milliseconds that the provider asks for; null where it names none. @param header `Retry-After` */
export function retryDelayOf(error: AdsError | null, header?: string): number | null {
  const [, seconds] = /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(error?.retryDelay ?? "") ?? [];
  if (seconds !== undefined) return Math.ceil(Number(seconds) * 1000);
  const named = retryAfterSeconds(header, Date.now());
  return named === null ? null : named * 1000;
}

/**
 * Milliseconds to wait before the next attempt, or null when this was the last (marketing-ads §3.3): what the provider asks for, at most 8 s,
 * else full jitter.
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

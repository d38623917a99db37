/** Milliseconds between two of many that are due at once. */
const STEP = 500;

/**
 * Jobs for many connections that are due at once, one after another: a provider counts the calls of all of them together.
 * @param jobOf the job of an id
 * @param now milliseconds since 1970; the first one is due at once
 */
export const spread = <J extends object>(
  ids: readonly string[],
  now: number,
  jobOf: (id: string) => J,
): (J & { runAt?: Date })[] =>
  ids.map((id, index) => ({ ...jobOf(id), ...(index > 0 && { runAt: new Date(now + index * STEP) }) }));

/** Milliseconds between jobs that are due at the same time. */
const STEP = 500;

/**
 * Spreads jobs of many connections over time, because a provider counts all their calls together.
 * @param jobOf returns the job of an id
 * @param now milliseconds since 1970; the first job is due at once
 */
export const spread = <J extends object>(
  ids: readonly string[],
  now: number,
  jobOf: (id: string) => J,
): (J & { runAt?: Date })[] =>
  ids.map((id, index) => ({ ...jobOf(id), ...(index > 0 && { runAt: new Date(now + index * STEP) }) }));

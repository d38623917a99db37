/** The end of a server, within this many milliseconds of the others, that is one too many. */
const WITHIN = 60_000;
const TOO_MANY = 3;

/**
 * Whether a server that has ended is started again: not after the third time within a minute, because then it does not end by accident.
 * @param ends when it has ended, in milliseconds, the last one included
 */
export function isStartedAgain(ends: readonly number[]): boolean {
  const last = ends.at(-1) ?? 0;
  return ends.filter((end) => end > last - WITHIN).length < TOO_MANY;
}

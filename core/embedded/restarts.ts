/** The server may end fewer than `TOO_MANY` times within this many milliseconds. */
const WITHIN = 60_000;
const TOO_MANY = 3;

/**
 * Whether to restart a server that has ended: not after the third end within a minute, which is no accident.
 * @param ends times of its ends in milliseconds, including the last one
 */
export function isStartedAgain(ends: readonly number[]): boolean {
  const last = ends.at(-1) ?? 0;
  return ends.filter((end) => end > last - WITHIN).length < TOO_MANY;
}

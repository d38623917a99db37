/** Upper bounds of the buckets in which durations are counted, in milliseconds; the last bucket has no bound. */
const BOUNDS = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000];

/** Durations counted by bucket, which add up over nodes and minutes. Empty buckets at the end are left out. */
export type Buckets = readonly number[];

/** Counts a duration in milliseconds. */
export function addDuration(buckets: number[], milliseconds: number): void {
  const found = BOUNDS.findIndex((bound) => milliseconds <= bound);
  const at = found === -1 ? BOUNDS.length : found;
  while (buckets.length <= at) buckets.push(0);
  buckets[at] = (buckets[at] as number) + 1;
}

/** The sum of counts, bucket by bucket. */
export function addedUp(all: readonly Buckets[]): number[] {
  const length = Math.max(0, ...all.map((one) => one.length));
  return Array.from({ length }, (_, at) => all.reduce((sum, one) => sum + (one[at] ?? 0), 0));
}

/**
 * The duration in milliseconds that a share of the counted ones does not exceed, such as 0.99: between the bounds of its bucket, in proportion.
 * Null for no durations; the last bound for those above it.
 */
export function quantile(buckets: Buckets, share: number): number | null {
  const total = buckets.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let left = total * share;
  for (const [at, count] of buckets.entries()) {
    if (left > count) {
      left -= count;
      continue;
    }
    const [low, high] = [BOUNDS[at - 1] ?? 0, BOUNDS[at] ?? (BOUNDS.at(-1) as number)];
    return Math.round((low + (high - low) * (count === 0 ? 0 : left / count)) * 10) / 10;
  }
  return BOUNDS.at(-1) as number;
}

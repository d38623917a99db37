/**
 * Processor time of some work in milliseconds, for this process and its threads. Unlike elapsed time, other programs on the machine do not
 * stretch it.
 */
export async function effortOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** The median of some figures. */
export const median = (figures: readonly number[]): number =>
  figures.toSorted((one, other) => one - other)[Math.floor(figures.length / 2)] as number;

/** How many series to run at most; the one with the smallest figure counts. */
const MOST_SERIES = 3;

/**
 * The effort of some work in milliseconds, for a limit. An effort of `limit` or more is measured again: work that grows too fast is above it
 * every time, a collection of garbage or a busy machine is not.
 */
export async function effortWithin(limit: number, work: () => unknown): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let series = 0; series < MOST_SERIES && least >= limit; series++) least = Math.min(least, await effortOf(work));
  return least;
}

/**
 * The spread, in ms, between the median efforts of works that run in turn, `rounds` times each. A spread above `enough` is measured again:
 * a real difference shows in every series, noise of a busy machine does not.
 */
export async function spreadOf(rounds: number, enough: number, works: readonly ((round: number) => unknown)[]): Promise<number> {
  let closest = Number.POSITIVE_INFINITY;
  for (let series = 0; series < MOST_SERIES && closest >= enough; series++) {
    const efforts = works.map((): number[] => []);
    for (let round = 0; round < rounds; round++)
      for (const [index, work] of works.entries()) efforts[index]?.push(await effortOf(() => work(round)));
    const medians = efforts.map(median);
    closest = Math.min(closest, Math.max(...medians) - Math.min(...medians));
  }
  return closest;
}

/**
 * Resolves with the promise's result if it settles before a timer of so many milliseconds that starts now. It compares the order of two
 * ends, which a busy machine delays alike.
 * @throws Error if the timer ends first
 */
export async function endsBefore<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${milliseconds} ms were over first`)), milliseconds);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** Observes a promise without waiting; returns a function that reports whether it has settled. */
export function ended(promise: Promise<unknown>): () => boolean {
  let isOver = false;
  const over = () => void (isOver = true);
  promise.then(over, over);
  return () => isOver;
}

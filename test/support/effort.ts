/**
 * Milliseconds of processor time that this process, its threads included, spends on some work: what the work costs, which another
 * program on the machine does not stretch as it stretches the time.
 */
export async function effortOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** The middle one of some figures. */
export const median = (figures: readonly number[]): number =>
  figures.toSorted((one, other) => one - other)[Math.floor(figures.length / 2)] as number;

/** Series of which the one counts in which works were closest. */
const MOST_SERIES = 3;

/**
 * How far apart, in ms, the median efforts of works are that are done in turn, so many times each. Where they are further apart than
 * `enough` it is tried again: what the service does for one and not for another shows in every series, what a busy machine adds does not.
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
 * Gives what a promise gives, if it ends before a timer of so many milliseconds that starts now: the order of two ends, which a busy
 * machine delays alike.
 * @throws Error when the timer ends first
 */
export async function endsBefore<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${milliseconds} ms were over first`)), milliseconds);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** Looks at a promise without waiting for it: gives a way to ask whether it has ended. */
export function ended(promise: Promise<unknown>): () => boolean {
  let isOver = false;
  const over = () => void (isOver = true);
  promise.then(over, over);
  return () => isOver;
}

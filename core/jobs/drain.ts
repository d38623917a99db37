/** How rows are worked off. */
interface DrainRules<T> {
  /** Rows of one key are tried in their order. Default: each row has its own key. */
  orderKey?: (row: T) => unknown;
  /** Keys tried in parallel. Default 1: all rows in their order. */
  atOnce?: number;
  /** Milliseconds after which no further row is started. Default: no limit. */
  longest?: number;
  /** No further row is started once it is aborted. */
  signal?: AbortSignal;
}

/**
 * Works off rows, such as those that a job claimed from its table. Starts no further row after an attempt that returned false or failed.
 * @returns the rows that were not started
 * @throws the error of the first failed attempt, once the running attempts have ended
 */
export async function drain<T>(
  rows: readonly T[],
  { orderKey = (row) => row, atOnce = 1, longest = Number.POSITIVE_INFINITY, signal }: DrainRules<T>,
  attempt: (row: T) => Promise<unknown>,
): Promise<T[]> {
  const until = performance.now() + longest;
  const queues = Map.groupBy(rows, orderKey).values();
  const left: T[] = [];
  const errors: unknown[] = [];
  let goesOn = true;
  const mayStart = () => goesOn && errors.length === 0 && !signal?.aborted && performance.now() < until;
  const worker = async () => {
    for (const queue of queues)
      for (const row of queue)
        if (!mayStart()) left.push(row);
        else if ((await attempt(row).catch((error: unknown) => void errors.push(error))) === false) goesOn = false;
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  if (errors.length > 0) throw errors[0];
  return left;
}

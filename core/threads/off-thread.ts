import { ThreadPool } from "./thread-pool.ts";

/** Default budget of a task in milliseconds of processor time (money §14). */
const BUDGET = 2_000;

/** The threads of this process, started on demand. */
const pool = new ThreadPool({
  entry: new URL("./thread.ts", import.meta.url),
  most: 4,
  // One organisation must not occupy them all (money §14).
  mostOfOne: 2,
  mostWaiting: 40,
  memory: 128,
  patience: 5,
  startTimeout: 30_000,
  idle: 60_000,
});

/**
 * Wraps a module's default export in a function that runs it in a thread, away from requests. Argument and result are copied.
 * @param module of the task; it must not import anything that needs the configuration, the database or the environment
 * @param budget milliseconds of processor time
 */
export const offThread =
  <I, O>(module: URL, budget = BUDGET) =>
  /**
   * @param key whose work it is, usually an organisation's id; a key has at most two threads
   * @throws TaskFailed with the message of the task's error, OverBudget; 503 `unavailable` with `Retry-After`
   */
  (key: string, input: I): Promise<O> =>
    pool.run({ task: module.href, input, key, budget }) as Promise<O>;

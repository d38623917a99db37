import { ThreadPool } from "./thread-pool.ts";

/** Milliseconds of processor time a task may use, unless it says otherwise (money §14). */
const BUDGET = 2_000;

/** The threads of this process; none is started before there is work. */
const pool = new ThreadPool({
  entry: new URL("./thread.ts", import.meta.url),
  most: 4,
  // One organisation cannot have them all (money §14).
  mostOfOne: 2,
  mostWaiting: 40,
  memory: 128,
  patience: 5,
  startTimeout: 30_000,
  idle: 60_000,
});

/**
 * A task for threads: a function that gives what the default export of a module gives, in a thread of its own, away from requests. Its argument and
 * its value are copied.
 * @param module of the task; it imports nothing that needs the configuration, the database or the environment
 * @param budget milliseconds of processor time
 */
export const offThread =
  <I, O>(module: URL, budget = BUDGET) =>
  /**
   * @param key whose work it is: an organisation's id. A key has two threads at a time
   * @throws TaskFailed with the message of the task's error, OverBudget; 503 `unavailable` with `Retry-After`
   */
  (key: string, input: I): Promise<O> =>
    pool.run({ task: module.href, input, key, budget }) as Promise<O>;

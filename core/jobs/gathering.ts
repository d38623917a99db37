/** Most items that one call does. */
const MOST = 200;

interface Waiting<T, R> {
  item: T;
  resolve(result: R): void;
  reject(error: unknown): void;
}

/**
 * Does the same work for several callers in one call: for those of one turn of the event loop, and for all that come while the call before
 * is under way. If the call fails, it fails for all of its callers.
 */
export class Gathering<T, R> {
  readonly #work: (items: readonly T[]) => Promise<readonly R[]>;
  readonly #linger: () => number;
  readonly #waiting = new Map<string, Waiting<T, R>[]>();

  /**
   * @param work returns a result per item, in their order
   * @param linger milliseconds that the first item waits for others; zero for one turn
   */
  constructor(work: (items: readonly T[]) => Promise<readonly R[]>, linger = () => 0) {
    this.#work = work;
    this.#linger = linger;
  }

  /** Resolves with the result of the item. @param key items of different keys never share a call, and do not wait for each other */
  add(item: T, key = ""): Promise<R> {
    return new Promise((resolve, reject) => {
      const one = { item, resolve, reject };
      const waiting = this.#waiting.get(key);
      if (waiting) waiting.push(one);
      else {
        this.#waiting.set(key, [one]);
        const run = () => void this.#run(key);
        const linger = this.#linger();
        if (linger > 0) setTimeout(run, linger);
        else setImmediate(run);
      }
    });
  }

  async #run(key: string): Promise<void> {
    for (let waiting = this.#waiting.get(key); waiting && waiting.length > 0; waiting = this.#waiting.get(key)) {
      const those = waiting.splice(0, MOST);
      try {
        const results = await this.#work(those.map(({ item }) => item));
        for (const [index, { resolve }] of those.entries()) resolve(results[index] as R);
      } catch (error) {
        for (const { reject } of those) reject(error);
      }
    }
    this.#waiting.delete(key);
  }
}

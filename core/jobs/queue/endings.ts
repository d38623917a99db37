/** Most ends in one statement. */
const MOST = 200;
/** Pause after a statement with several ends, in ms: more are likely to follow soon and share the next. */
const GAP = 25;

interface Waiting<T> {
  end: T;
  resolve(): void;
  reject(error: unknown): void;
}

/** Writes ends in batches, one statement at a time: those that arrive meanwhile go into the next. */
export class Endings<T> {
  readonly #write: (ends: readonly T[]) => Promise<void>;
  readonly #waiting: Waiting<T>[] = [];
  #isWriting = false;

  constructor(write: (ends: readonly T[]) => Promise<void>) {
    this.#write = write;
  }

  /** Resolves once the end is stored. */
  add(end: T): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ end, resolve, reject });
      if (this.#isWriting) return;
      this.#isWriting = true;
      setImmediate(() => void this.#writeAll());
    });
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, MOST);
      try {
        await this.#write(batch.map(({ end }) => end));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
      if (batch.length > 1) await new Promise((resolve) => setTimeout(resolve, GAP));
    }
    this.#isWriting = false;
  }
}

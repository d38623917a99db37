type Times = ReadonlyMap<string, readonly number[]> | null;

/** Searches the table for due and upcoming jobs; those who ask at the same time share one statement. */
export class Search {
  readonly #find: () => Promise<Times>;
  readonly #notify: (name: string, moments: readonly number[], said: number) => void;
  #running: Promise<Times> | null = null;

  /**
   * @param find the due and upcoming times, in ms, by name; null if that is expensive
   * @param notify receives the times of a name, and when they were looked up
   */
  constructor(find: () => Promise<Times>, notify: (name: string, moments: readonly number[], said: number) => void) {
    this.#find = find;
    this.#notify = notify;
  }

  #times(): Promise<Times> {
    this.#running ??= Promise.resolve().then(() => {
      this.#running = null;
      return this.#find();
    });
    return this.#running;
  }

  /** Reports the times of the jobs of every name. */
  async look(): Promise<void> {
    const asked = Date.now();
    for (const [name, moments] of (await this.#times()) ?? []) this.#notify(name, moments, asked);
  }

  /** Whether a job of this name is due; upcoming ones get a timer. */
  async isDue(name: string): Promise<boolean> {
    const asked = Date.now();
    const times = await this.#times();
    const moments = times ? (times.get(name) ?? []) : [0];
    const ahead = moments.filter((moment) => moment > asked);
    if (ahead.length > 0) this.#notify(name, ahead, asked);
    return moments.some((moment) => moment <= Date.now());
  }
}

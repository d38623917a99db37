const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/** Longest shutdown of a service that cannot continue, in milliseconds. */
const LONGEST_FORCED = 15_000;

/** Shuts this process down in order. It imports nothing of the service and loads at once, so that it handles signals from the start. */
export class Ending {
  #inOrder: () => Promise<void> = async () => {};
  #hasBegun = false;

  /** Handles signals. A terminal, npm and a supervisor may each pass on the same Ctrl-C; only the first counts. */
  constructor() {
    for (const signal of SIGNALS) process.on(signal, () => void this.end(0));
  }

  /** Whether the process is shutting down; no new work may begin then. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Sets the shutdown function to run first. */
  by(inOrder: () => Promise<void>): void {
    this.#inOrder = inOrder;
  }

  /** Runs the shutdown function, then exits. Only the first call counts. */
  async end(status: number): Promise<void> {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    try {
      await this.#inOrder();
    } catch (error) {
      process.stderr.write(`${(error as Error).stack}\n`);
    }
    process.exit(status);
  }

  /** Prints why the service cannot continue and exits, after shutting down as far as possible. */
  fail(sentence: string): void {
    if (this.#hasBegun) return;
    process.stderr.write(`${sentence}\n`);
    setTimeout(() => process.exit(1), LONGEST_FORCED).unref();
    void this.end(1);
  }
}

const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/** How long the end of a service that cannot go on may take, in milliseconds. */
const LONGEST_FORCED = 15_000;

/**
 * How this process ends. It knows nothing of the service and needs no time to load, so that a signal is heard from the first moment.
 */
export class Ending {
  #inOrder: () => Promise<void> = async () => {};
  #hasBegun = false;

  /** Listens for signals. A terminal, npm and a supervisor may all pass on one Ctrl-C; the first one counts. */
  constructor() {
    for (const signal of SIGNALS) process.on(signal, () => void this.end(0));
  }

  /** True once the process is about to end; what has not been begun by then is not. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** From now on there is something that has to be ended in order. */
  by(inOrder: () => Promise<void>): void {
    this.#inOrder = inOrder;
  }

  /** Ends in order whatever has been started, then the process. Only the first call counts. */
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

  /** Says in one sentence why the service cannot go on, and ends, in order as far as that still goes. */
  fail(sentence: string): void {
    if (this.#hasBegun) return;
    process.stderr.write(`${sentence}\n`);
    setTimeout(() => process.exit(1), LONGEST_FORCED).unref();
    void this.end(1);
  }
}

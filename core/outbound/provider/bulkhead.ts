/** No slot became free in time. */
export class BulkheadFull extends Error {
  override name = "BulkheadFull";
}

interface Waiting {
  account: string;
  enter(): void;
}

/**
 * Slots for calls to one provider on this node. No account takes more than its share, so a hanging account leaves slots to the others; a
 * call without a free slot queues.
 */
export class Bulkhead {
  readonly #total: number;
  readonly #share: number;
  readonly #running = new Map<string, number>();
  #taken = 0;
  #line: Waiting[] = [];

  /** @param total concurrent calls; @param share concurrent calls of one account */
  constructor(total: number, share: number) {
    this.#total = total;
    this.#share = share;
  }

  get taken(): number {
    return this.#taken;
  }

  get waiting(): number {
    return this.#line.length;
  }

  /**
   * Takes a slot.
   * @param timeout milliseconds to wait for one
   * @returns releases the slot; call it once
   * @throws BulkheadFull if no slot became free in time
   */
  async enter(account: string, timeout: number): Promise<() => void> {
    if (!this.#fits(account)) await this.#queue(account, timeout);
    else this.#take(account);
    return () => this.#leave(account);
  }

  #fits(account: string): boolean {
    return this.#taken < this.#total && (this.#running.get(account) ?? 0) < this.#share;
  }

  #take(account: string): void {
    this.#taken += 1;
    this.#running.set(account, (this.#running.get(account) ?? 0) + 1);
  }

  #queue(account: string, timeout: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        this.#line = this.#line.filter((one) => one !== waiting);
        reject(new BulkheadFull("all slots for calls to this provider are in use"));
      }, timeout);
      const enter = () => {
        clearTimeout(late);
        resolve();
      };
      const waiting: Waiting = { account, enter };
      this.#line.push(waiting);
    });
  }

  #leave(account: string): void {
    this.#taken -= 1;
    const left = (this.#running.get(account) ?? 1) - 1;
    if (left === 0) this.#running.delete(account);
    else this.#running.set(account, left);
    const next = this.#line.findIndex((one) => this.#fits(one.account));
    if (next < 0) return;
    const [waiting] = this.#line.splice(next, 1) as [Waiting];
    this.#take(waiting.account);
    waiting.enter();
  }
}

import type { Table, TableAdapter } from "./table.ts";

/** Longest time between two checks of the locks, in ms. */
const OFTEN = 1_000;

/** Refreshes the locks of this node's jobs from the claim until their end is stored; stops when there are none. */
export class LockKeeper {
  readonly #table: Table;
  readonly #adapter: TableAdapter;
  readonly #lockOf: (name: string) => number;
  readonly #onTrouble: (error: unknown) => void;
  #timer: NodeJS.Timeout | null = null;
  readonly #often: number;
  #touchedAt = 0;

  /** @param locks lock time in ms by job name */
  constructor(table: Table, adapter: TableAdapter, locks: ReadonlyMap<string, number>, onTrouble: (error: unknown) => void) {
    this.#table = table;
    this.#adapter = adapter;
    this.#lockOf = (name) => locks.get(name) ?? 0;
    this.#often = Math.min(OFTEN, ...[...locks.values()].map((lock) => lock / 4));
    this.#onTrouble = onTrouble;
  }

  /** Starts refreshing: the node now holds a job. */
  keep(): void {
    this.#timer ??= setInterval(() => this.#look().catch(this.#onTrouble), this.#often).unref();
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }

  /** Refreshes the locks, often enough for the shortest lock time. */
  async #look(): Promise<void> {
    const { held } = this.#adapter;
    if (held.size === 0) return this.stop();
    const now = new Date();
    const shortest = Math.min(...[...held.values()].map(({ name }) => this.#lockOf(name)));
    if (now.getTime() - this.#touchedAt < shortest / 3) return;
    this.#touchedAt = now.getTime();
    await this.#table.touch([...held.keys()], now);
  }
}

import type { Table, TableAdapter } from "./table.ts";

/** Locks are looked after at least this often, in ms. */
const OFTEN = 1_000;
/** What was claimed and has found no place here for so long, in ms, is given back: another node may have one. */
const STALE = 2_000;

/** Keeps the lock of what this node holds from the claim to the written end, while it holds anything. */
export class LockKeeper {
  readonly #table: Table;
  readonly #adapter: TableAdapter;
  readonly #lockOf: (name: string) => number;
  readonly #onTrouble: (error: unknown) => void;
  #timer: NodeJS.Timeout | null = null;
  readonly #often: number;
  #touchedAt = 0;

  /** @param locks time in ms after which the lock of each name runs out */
  constructor(table: Table, adapter: TableAdapter, locks: ReadonlyMap<string, number>, onTrouble: (error: unknown) => void) {
    this.#table = table;
    this.#adapter = adapter;
    this.#lockOf = (name) => locks.get(name) ?? 0;
    this.#often = Math.min(OFTEN, ...[...locks.values()].map((lock) => lock / 4));
    this.#onTrouble = onTrouble;
  }

  /** Something is held from here on. */
  keep(): void {
    this.#timer ??= setInterval(() => this.#look().catch(this.#onTrouble), this.#often).unref();
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }

  /** Refreshes the locks, often enough for the shortest of their times. */
  async #look(): Promise<void> {
    await this.#adapter.giveBack(STALE);
    const { held } = this.#adapter;
    if (held.size === 0) return this.stop();
    const now = new Date();
    const shortest = Math.min(...[...held.values()].map(({ name }) => this.#lockOf(name)));
    if (now.getTime() - this.#touchedAt < shortest / 3) return;
    this.#touchedAt = now.getTime();
    await this.#table.touch([...held.keys()], now);
  }
}

import type { SlowStatements } from "../../core/database/connection/slow-statements.ts";

/** Most entries of the list, and how long one stays after its last occurrence, in milliseconds. */
const MOST = 50;
const KEPT = 3_600_000;

/** Statements that one action sends together, of the last hour. Never holds a value. */
export interface SlowestStatements {
  /** Name of the action or job; null outside of both. */
  action: string | null;
  /** Beginnings of the texts, without values. */
  sql: string[];
  /** How often they were slow. */
  times: number;
  /** The longest, in milliseconds. */
  worst_ms: number;
  /** ISO 8601. */
  last_at: string;
}

/** The slowest statements of a node, in a list whose length is bounded. */
export class SlowestList {
  readonly #entries = new Map<string, SlowestStatements>();

  note({ action, sql, ms }: SlowStatements, now = Date.now()): void {
    const key = JSON.stringify([action, sql]);
    const before = this.#entries.get(key);
    this.#entries.set(key, {
      action,
      sql,
      times: (before?.times ?? 0) + 1,
      worst_ms: Math.max(before?.worst_ms ?? 0, ms),
      last_at: new Date(now).toISOString(),
    });
    if (this.#entries.size <= MOST) return;
    this.#forget(now);
    if (this.#entries.size <= MOST) return;
    const [fastest] = [...this.#entries].toSorted(([, one], [, other]) => one.worst_ms - other.worst_ms);
    if (fastest) this.#entries.delete(fastest[0]);
  }

  #forget(now: number): void {
    for (const [key, { last_at: at }] of this.#entries) if (now - Date.parse(at) > KEPT) this.#entries.delete(key);
  }

  /** The slowest first. */
  read(now = Date.now()): SlowestStatements[] {
    this.#forget(now);
    return [...this.#entries.values()].toSorted((one, other) => other.worst_ms - one.worst_ms);
  }
}

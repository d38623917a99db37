import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { PURPOSE } from "../../../core/database/connection/connections.ts";

/** How often the waits are read, in milliseconds. */
const LOOK = 50;
/**
 * Statements that wait for a lock, with its duration; those of a migration give way on their own, and advisory locks are turns that
 * nodes take on purpose.
 */
const WAITS = `select l.pid || ' ' || l.waitstart as wait, left(a.query, 120) as query,
    (extract(epoch from clock_timestamp() - l.waitstart) * 1000)::int as ms
  from pg_locks l join pg_stat_activity a on a.pid = l.pid
  where not l.granted and l.waitstart is not null and l.locktype <> 'advisory' and a.application_name not like $1`;

/** A wait for a lock as long as it was when it was read last. */
export interface LockWait {
  query: string;
  ms: number;
}

/** Reads again and again which statements wait for a lock. */
export class LockWaits {
  readonly #waits = new Map<string, LockWait>();
  #isOver = false;
  #watching: Promise<void> = Promise.resolve();

  start(url: string): void {
    this.#watching = this.#watch(url);
  }

  async #watch(url: string): Promise<void> {
    const client = new pg.Client({ connectionString: url, application_name: "lock waits" });
    await client.connect();
    for (; !this.#isOver; await delay(LOOK)) {
      const { rows } = await client.query<LockWait & { wait: string }>(WAITS, [`${PURPOSE.migration}%`]);
      for (const { wait, query, ms } of rows) this.#waits.set(wait, { query, ms });
    }
    await client.end();
  }

  /** @returns the waits that lasted at least this long, the longest first */
  async stop(atLeast: number): Promise<LockWait[]> {
    this.#isOver = true;
    await this.#watching;
    return [...this.#waits.values()].filter(({ ms }) => ms >= atLeast).sort((one, other) => other.ms - one.ms);
  }

  /** Milliseconds of the longest wait so far. */
  get longest(): number {
    return Math.max(0, ...[...this.#waits.values()].map(({ ms }) => ms));
  }
}

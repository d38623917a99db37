import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";

/** An arbitrary number: every process that uses the server holds this advisory lock in shared mode. */
const PRESENCE_LOCK = 7_203_114;
const LOCK_NOT_AVAILABLE = "55P03";

/**
 * One idle connection that marks this process as a user of the server, and detects at once when the server ends. A process that leaves can
 * tell whether it is the last.
 */
export class Presence {
  #client: pg.Client | undefined;
  #left = false;
  #returning: Promise<void> = Promise.resolve();
  readonly #connect: () => Promise<pg.Client>;
  readonly #isAlive: () => Promise<boolean>;
  readonly #onEnd: () => void;

  constructor(connect: () => Promise<pg.Client>, isAlive: () => Promise<boolean>, onEnd: () => void) {
    this.#connect = connect;
    this.#isAlive = isAlive;
    this.#onEnd = onEnd;
  }

  /** Joins, over an open connection or a new one. */
  async join(client?: pg.Client): Promise<void> {
    const joined = client ?? (await this.#connect());
    await joined.query("select pg_advisory_lock_shared($1)", [PRESENCE_LOCK]);
    joined.once("end", () => (this.#returning = this.#comeBack()));
    // The idle connection must not keep the process alive; the method is missing in @types/pg.
    (joined as pg.Client & { unref(): void }).unref();
    this.#client = joined;
  }

  /** From now on, does not report the end of the server. */
  expectEnd(): void {
    this.#left = true;
  }

  /**
   * Ends the connection and returns whether no other process uses the server. While the server recovers from a crashed backend it waits: a
   * shutdown requested at that moment hangs.
   */
  async leave(): Promise<boolean> {
    this.#left = true;
    await this.#returning; // otherwise the connection it may be opening would count as another process's
    for (let attempt = 0; attempt < 100 && (await this.#isAlive()); attempt++) {
      try {
        return await this.#isAlone(this.#client ?? (await this.#connect()));
      } catch {
        this.#client = undefined;
        await delay(100);
      }
    }
    return true;
  }

  async #isAlone(client: pg.Client): Promise<boolean> {
    try {
      await client.query("select pg_advisory_unlock_shared($1)", [PRESENCE_LOCK]);
      // The connection of a process that was just killed takes a moment to disappear.
      await client.query("set lock_timeout = '300ms'");
      await client.query("select pg_advisory_lock($1)", [PRESENCE_LOCK]);
      return true;
    } catch (error) {
      if ((error as pg.DatabaseError).code === LOCK_NOT_AVAILABLE) return false;
      throw error;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  /**
   * Reconnects: when a backend crashes, PostgreSQL ends every connection but continues. Reports the end only if the server itself is gone.
   */
  async #comeBack(): Promise<void> {
    this.#client = undefined;
    while (!this.#left) {
      if (!(await this.#isAlive())) {
        if (!this.#left) this.#onEnd();
        return;
      }
      try {
        await this.join();
        return;
      } catch {
        await delay(100, undefined, { ref: false });
      }
    }
  }
}

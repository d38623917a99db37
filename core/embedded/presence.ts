import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";

/** Any number; every process that uses the server holds this advisory lock as one of many. */
const PRESENCE_LOCK = 7_203_114;
const LOCK_NOT_AVAILABLE = "55P03";

/**
 * One idle connection by which a process says that it uses the server, and hears at once when the server ends. The last process
 * out can tell that it is the last.
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

  /** Takes part, over a connection that is already open or a new one. */
  async join(client?: pg.Client): Promise<void> {
    const joined = client ?? (await this.#connect());
    await joined.query("select pg_advisory_lock_shared($1)", [PRESENCE_LOCK]);
    joined.once("end", () => (this.#returning = this.#comeBack()));
    // The idle connection alone must not keep the process alive; the method is missing in @types/pg.
    (joined as pg.Client & { unref(): void }).unref();
    this.#client = joined;
  }

  /** From now on the end of the server is not told. */
  expectEnd(): void {
    this.#left = true;
  }

  /**
   * Ends the connection and says whether no other process uses the server. While the server recovers from a crashed backend
   * this waits for it: a shutdown asked for in that moment hangs.
   */
  async leave(): Promise<boolean> {
    this.#left = true;
    await this.#returning; // else the connection it may be opening would count as another process's
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
      // The connection of a process that was just killed takes a moment to go.
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

  /** A crashed backend makes PostgreSQL end every connection and go on; only when the server itself is gone is it over. */
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

import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { PURPOSE } from "../core/database/connection/connections.ts";

/** How long another session waits behind a step before the step yields, in milliseconds: below the second after which PostgreSQL looks for a deadlock, so that it never ends the other session. */
const PATIENCE = 400;
/** How often the waits are read, in milliseconds. */
const LOOK = 100;

/** A step made other sessions wait, so that it was cancelled and rolled back. */
export class Yielded extends Error {
  override name = "Yielded";
}

/**
 * The longest wait behind session `$1`, in milliseconds. A node of an earlier version that waits for its turn to migrate (`$2`) does not
 * count. Only sessions that wait are compared: `pg_blocking_pids` locks the table of locks.
 */
const LONGEST_WAIT = `select max(extract(epoch from clock_timestamp() - l.waitstart) * 1000)::float as waited
  from pg_locks l where not l.granted and l.pid <> $1 and (l.locktype <> 'advisory' or l.objid <> $2::bigint::oid)
    and $1 = any(pg_blocking_pids(l.pid))`;

/** Ends the work of a session as soon as others wait behind it. */
export class PauseWatch {
  readonly #watcher: pg.Client;
  readonly #values: readonly [pid: number, turn: number];

  private constructor(watcher: pg.Client, values: readonly [number, number]) {
    this.#watcher = watcher;
    this.#values = values;
  }

  /**
   * Opens a second connection that watches the session of a client.
   * @param turn key of the advisory lock that the session holds while it migrates
   */
  static async open(ownerUrl: string, client: pg.Client, turn: number): Promise<PauseWatch> {
    const [session] = (await client.query<{ pid: number }>("select pg_backend_pid() as pid")).rows;
    const watcher = new pg.Client({ connectionString: ownerUrl, application_name: PURPOSE.migration });
    watcher.on("error", () => {});
    await watcher.connect();
    return new PauseWatch(watcher, [session?.pid as number, turn]);
  }

  /**
   * Runs work of the watched session, whose statements call `check` before they are sent.
   * @throws Yielded when others waited behind it; the caller rolls back
   */
  async during<T>(work: (check: () => void) => Promise<T>): Promise<T> {
    const over = new AbortController();
    let hasYielded = false;
    const watching = this.#watch(over.signal, () => {
      hasYielded = true;
    });
    try {
      return await work(() => {
        if (hasYielded) throw new Yielded();
      });
    } catch (error) {
      throw hasYielded ? new Yielded("others waited behind this step", { cause: error }) : error;
    } finally {
      over.abort();
      // A cancellation on its way must not reach what the session does next.
      await watching;
    }
  }

  /** Looks until the work is over or has to yield; then cancels its statement. */
  async #watch(over: AbortSignal, yields: () => void): Promise<void> {
    try {
      for (;;) {
        await delay(LOOK, undefined, { signal: over });
        const { rows } = await this.#watcher.query<{ waited: number | null }>(LONGEST_WAIT, [...this.#values]);
        if (over.aborted || (rows[0]?.waited ?? 0) < PATIENCE) continue;
        yields();
        await this.#watcher.query("select pg_cancel_backend($1)", [this.#values[0]]);
        return;
      }
    } catch {
      // The work is over, or PostgreSQL is away, which the work's own connection reports.
    }
  }

  async close(): Promise<void> {
    await this.#watcher.end();
  }
}

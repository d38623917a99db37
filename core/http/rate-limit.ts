import { queryUnbound } from "../database/connection/database.ts";
import { rateLimited } from "../errors/errors.ts";
import { uncounted } from "../request/statement-count.ts";
import { MOST_AT_ONCE } from "../sql/old-rows.ts";
import { statement } from "../sql/statement.ts";

const TAKE = statement(`insert into rate_windows as w (bucket, minute, used) values ($1, $2, $3)
  on conflict (bucket, minute) do update set used = w.used + excluded.used returning used`);
const SWEEP = statement(`with gone as (delete from rate_windows where ctid = any(array(
    select ctid from rate_windows where minute < $1 limit ${MOST_AT_ONCE} for update skip locked)) returning 1)
  select count(*)::int as rows from gone`);
const MINUTE = 60_000;

/** The caller's remaining budget. */
export interface Budget {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Seconds until the next window. */
  reset: number;
}

interface Lease {
  minute: number;
  /** Calls this node may still allow without a new lease. */
  left: number;
  /** Calls that all nodes had leased from the window when this node last asked. */
  used: number;
}

/**
 * Counts calls in fixed clock minutes shared by all nodes (conventions §13). Nodes lease blocks of calls from PostgreSQL, so the sum
 * never exceeds the limit, and a single node is exact.
 */
export class RateLimiter {
  readonly #leases = new Map<string, Lease>();
  readonly #limit: number;
  readonly #block: number;
  readonly #onError: (error: unknown) => void;

  /** @param limit calls a minute, 0 for no limit */
  constructor(limit: number, onError: (error: unknown) => void) {
    this.#limit = limit;
    this.#block = Math.max(1, Math.floor(limit / 20));
    this.#onError = onError;
  }

  /** Takes one call from a bucket. While the counter store is down, every call passes. */
  async take(bucket: string, now = Date.now()): Promise<Budget | null> {
    if (this.#limit === 0) return null;
    const minute = Math.floor(now / MINUTE);
    let lease = this.#leases.get(bucket);
    if (!lease || lease.minute !== minute) {
      lease = { minute, left: 0, used: 0 };
      if (this.#leases.size > 50_000) this.#leases.clear();
      this.#leases.set(bucket, lease);
    }
    if (lease.left === 0 && lease.used < this.#limit) {
      try {
        const leased = () => queryUnbound<{ used: string | number }>(TAKE, [bucket, minute, this.#block]);
        const [{ used } = { used: 0 }] = await uncounted(leased);
        lease.left += Math.max(0, Math.min(this.#block, this.#limit - (Number(used) - this.#block)));
        lease.used = Math.max(lease.used, Number(used));
      } catch (error) {
        this.#onError(error);
        return null;
      }
    }
    const allowed = lease.left > 0;
    if (allowed) lease.left -= 1;
    const remaining = Math.max(0, this.#limit - lease.used) + lease.left;
    return { allowed, limit: this.#limit, remaining, reset: Math.ceil(((minute + 1) * MINUTE - now) / 1000) };
  }

  /** Takes one call from a bucket. @throws 429 when none are left in this minute */
  async require(bucket: string): Promise<void> {
    const budget = await this.take(bucket);
    if (budget?.allowed === false) throw rateLimited(budget.reset);
  }

  /** Deletes past windows; called periodically, never per request. */
  static async sweep(now = Date.now()): Promise<void> {
    let left = true;
    while (left) left = (await queryUnbound<{ rows: number }>(SWEEP, [Math.floor(now / MINUTE) - 5]))[0]?.rows === MOST_AT_ONCE;
  }
}

import type pg from "pg";

const WAITING = `select count(*)::int as sessions from pg_locks
  where locktype = 'advisory' and not granted and classid = 0 and objid = $1
    and database = (select oid from pg_database where datname = current_database())`;

/**
 * Number of sessions that wait for an advisory lock itself. Unlike `waitingFor` of test/support/waiting.ts it leaves out those queued behind
 * them: every five seconds a node renews the key of a request that waits, and that statement queues behind the request.
 * @param lock the key, a number of 32 bits
 */
export const waitingAt = async (sql: pg.ClientBase, lock: number): Promise<number> =>
  (await sql.query<{ sessions: number }>(WAITING, [lock])).rows[0]?.sessions ?? 0;

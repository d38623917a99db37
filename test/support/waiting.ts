import pg from "pg";
import { until } from "./jobs.ts";

const WAITING = `with recursive waiting (pid) as (
    select pid from pg_locks where not granted and $1 = any(pg_blocking_pids(pid))
    union select l.pid from pg_locks l join waiting w on w.pid = any(pg_blocking_pids(l.pid)) where not l.granted)
  select count(*)::int as sessions from waiting`;

/**
 * Number of sessions that wait for locks of this connection's open transaction, directly or queued behind one another. Other waits, in this
 * database or another, do not count.
 */
export async function waitingFor(holder: pg.ClientBase): Promise<number> {
  const { rows: own } = await holder.query<{ pid: number }>("select pg_backend_pid() as pid");
  const { rows } = await holder.query<{ sessions: number }>(WAITING, [own[0]?.pid]);
  return rows[0]?.sessions ?? 0;
}

/**
 * Makes calls reach a row concurrently, however busy the machine: it locks the row until all of them wait for it. Once each has had the
 * lock, it returns the calls, which may still run.
 * @param url a role that may lock the row
 * @param lock the statement that locks it, and its values
 */
export async function abreast<T>(url: string, lock: [string, unknown[]], calls: (() => Promise<T>)[]): Promise<Promise<T>[]> {
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  try {
    await holder.query("begin");
    await holder.query(...lock);
    const running = calls.map((call) => call());
    await until(async () => (await waitingFor(holder)) === running.length);
    await holder.query("commit");
    // PostgreSQL grants a row lock in the order of the requests: this waits until each call has had it.
    await holder.query(...lock);
    return running;
  } finally {
    await holder.end();
  }
}

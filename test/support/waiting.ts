import pg from "pg";
import { until } from "./jobs.ts";

const WAITING = `with recursive waiting (pid, transaction) as (
    select pid, virtualtransaction from pg_locks where not granted and $1 = any(pg_blocking_pids(pid))
    union select l.pid, l.virtualtransaction from pg_locks l join waiting w on w.pid = any(pg_blocking_pids(l.pid)) where not l.granted)
  select distinct transaction from waiting`;
/** Whether one of these transactions still waits. */
const LEFT = "select 1 from pg_locks where not granted and virtualtransaction = any($1) limit 1";

/** The transactions that wait for locks of this connection's open transaction, directly or queued behind one another. */
async function waiters(holder: pg.ClientBase): Promise<string[]> {
  const { rows: own } = await holder.query<{ pid: number }>("select pg_backend_pid() as pid");
  const { rows } = await holder.query<{ transaction: string }>(WAITING, [own[0]?.pid]);
  return rows.map(({ transaction }) => transaction);
}

/**
 * Number of sessions that wait for locks of this connection's open transaction, directly or queued behind one another. Other waits, in this
 * database or another, do not count.
 */
export async function waitingFor(holder: pg.ClientBase): Promise<number> {
  return (await waiters(holder)).length;
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
    let waiting: string[] = [];
    await until(async () => (waiting = await waiters(holder)).length === running.length);
    await holder.query("commit");
    // Locking the row once more does not prove it: while the row is free, PostgreSQL lets a new transaction overtake those that wait.
    await until(async () => (await holder.query(LEFT, [waiting])).rowCount === 0);
    return running;
  } finally {
    await holder.end();
  }
}

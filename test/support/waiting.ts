import pg from "pg";
import { until } from "./jobs.ts";

const WAITING = `with recursive waiting (pid) as (
    select pid from pg_locks where not granted and $1 = any(pg_blocking_pids(pid))
    union select l.pid from pg_locks l join waiting w on w.pid = any(pg_blocking_pids(l.pid)) where not l.granted)
  select count(*)::int as sessions from waiting`;

/**
 * How many sessions wait for what the open transaction of this connection holds, or behind one another for it. What else waits in the
 * database, or in another of the server, is not counted.
 */
export async function waitingFor(holder: pg.ClientBase): Promise<number> {
  const { rows: own } = await holder.query<{ pid: number }>("select pg_backend_pid() as pid");
  const { rows } = await holder.query<{ sessions: number }>(WAITING, [own[0]?.pid]);
  return rows[0]?.sessions ?? 0;
}

/**
 * Has calls come to a row at the same moment, however busy the machine: it is held until all of them wait for it. Gives them once each has
 * had it, not yet ended.
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
    // A row is given in the order in which it is asked for.
    await holder.query(...lock);
    return running;
  } finally {
    await holder.end();
  }
}

import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import type pg from "pg";

/** What no call and no job may leave behind, as statements whose rows are violations. */
const LEFT: Record<string, string> = {
  "a job that still counts as running": `select name, locked_at::text as since from jobs.agenda_jobs
    where locked_at is not null and locked_at < now() - interval '2 min'`,
  "a job that failed permanently": `select name, dead_at::text as since from jobs.ordered where dead_at is not null
    union all select name, failed_at::text from jobs.agenda_jobs where type = 'normal' and failed_at is not null and next_run_at is null`,
  "an event that was not relayed": "select event as name, job from outbox where relayed_at is null",
  "a transaction that was left open": `select application_name as name, state, left(query, 80) as query from pg_stat_activity
    where datname = current_database() and state like 'idle in transaction%' and state_change < now() - interval '5 sec'`,
  "an advisory lock of a transaction": `select l.objid::text as name, a.state, left(a.query, 80) as query from pg_locks l
    join pg_stat_activity a using (pid) where l.locktype = 'advisory' and a.datname = current_database() and a.usename <> 'postgres'
      and a.xact_start < now() - interval '5 sec'`,
  "an idempotency key that is still held": `select path as name, key, held_until::text from idempotency_keys
    where held_until is not null and status is null and created_at < now() - interval '60 sec'`,
  "a delivery that is neither sent nor due": `select event as name, status from webhook_deliveries where status not in ('delivered')`,
  "a lease of a node that is gone": `select l.name, l.node from jobs.leases l
    where l.ends_at > now() + interval '5 min'`,
};

/** The rows that violate. @param sql as the role that owns the tables */
export async function leftInDatabase(sql: pg.Client): Promise<string[]> {
  const left: string[] = [];
  for (const [what, text] of Object.entries(LEFT))
    for (const row of (await sql.query(text)).rows) left.push(`${what}: ${JSON.stringify(row)}`);
  return left;
}

/** Connections of the service that outlive its nodes. */
export async function leftConnections(sql: pg.Client, application: string): Promise<string[]> {
  const { rows } = await sql.query("select pid, state, left(query, 80) as query from pg_stat_activity where usename = $1", [
    application,
  ]);
  return rows.map((row) => `a connection without a node: ${JSON.stringify(row)}`);
}

/** Files below the data folder that are no content: uploads being received, and parts of them. */
export function spooledFiles(dataDir: string): string[] {
  const folder = path.join(dataDir, "service");
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
}

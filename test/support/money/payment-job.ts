import type pg from "pg";
import { until } from "../jobs.ts";

const JOB = "invoicing.payments";
const LEFT = `select (select count(*) from jobs.agenda_jobs where name = '${JOB}' and type = 'single' and (next_run_at <= now() or locked_at is not null))
  + (select count(*) from jobs.agenda_jobs where name = '${JOB}' and type = 'normal' and (next_run_at is not null or locked_at is not null))
  + (select count(*) from outbox where job = '${JOB}' and relayed_at is null) as left`;

/** Lets the hour come at which providers are asked about payments that are not settled, and waits for the runs of all organisations. */
export async function askAgain(sql: Pick<pg.Client, "query">): Promise<void> {
  await sql.query("delete from jobs.occurrences");
  await sql.query("update jobs.agenda_jobs set next_run_at = now() where name = $1 and type = 'single'", [JOB]);
  await sql.query("select pg_notify('kantoor_jobs', $1)", [JSON.stringify({ node: "the test", wakes: [[JOB, 0]] })]);
  await until(async () => (await sql.query(LEFT)).rows[0].left === "0", 120_000);
}

import type pg from "pg";
import { strike, until } from "../jobs.ts";

const JOB = "invoicing.payments";
const LEFT = `select (select count(*) from jobs.agenda_jobs where name = '${JOB}' and type = 'single' and (next_run_at <= now() or locked_at is not null))
  + (select count(*) from jobs.agenda_jobs where name = '${JOB}' and type = 'normal' and (next_run_at is not null or locked_at is not null))
  + (select count(*) from outbox where job = '${JOB}' and relayed_at is null) as left`;

/** Runs the job that polls providers for unsettled payments, and waits for the runs of all organisations. */
export async function askAgain(sql: Pick<pg.Client, "query">): Promise<void> {
  await strike({ sql }, JOB, 120_000);
  await until(async () => (await sql.query(LEFT)).rows[0].left === "0", 120_000);
}

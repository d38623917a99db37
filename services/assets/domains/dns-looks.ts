import { joinTransaction } from "../../../core/database/connection/transaction.ts";
import { schedule } from "../../../core/jobs/jobs.ts";

/** The job that looks up the due domains of an organisation. */
export const LOOK_JOB = "domains.look-at-due-dns";

/** Seconds from the creation of a domain to its first look-up: the very next call may register it (assets §2.1). */
const DELAY = 3;
/** Milliseconds from the moment when domains are due to their job, which so finds all those of the same request. */
const AFTER = 200;

/** The column of a new domain that makes it due, in SQL. */
export const FIRST_LOOK = { dns_look_at: `statement_timestamp() + interval '${DELAY} seconds'` };

/**
 * Schedules the job for the domains that are due at a moment, in the current transaction. An organisation has one job that waits, and one
 * that runs.
 */
export function scheduleLooks(due: Date): void {
  schedule(LOOK_JOB, {}, { key: "looks", dedupe: "looks", runAt: new Date(due.getTime() + AFTER) });
}

const scheduleFirstLooks = async (): Promise<void> => scheduleLooks(new Date(Date.now() + DELAY * 1000));

/** Schedules the job for the domains that this transaction creates with `FIRST_LOOK`: one job, before the commit. */
export const queueFirstLook = (): void => joinTransaction().beforeCommit(scheduleFirstLooks, null);

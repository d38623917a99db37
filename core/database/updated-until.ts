import { peek } from "./query.ts";
import { statement } from "./statement.ts";

/**
 * Rows are stamped with the time of the statement that writes them, which is never before their transaction began, and are seen when
 * that commits. So what is committed after this moment was stamped at or after the beginning of the oldest transaction that is open
 * now, or after now. A backend tells the others that it has begun a little after it has: a second allows for that.
 *
 * What sessions of another role do is hidden from ours. While one of them has written something it has not committed (the command line's
 * own statements as the owner), nothing newer than what the caller had (`$1`) is promised.
 */
export const UPDATED_UNTIL = statement(`with others as materialized (
    select pid, usename, xact_start from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid())
  select to_char(case when exists (
      select from others o join pg_locks l on l.pid = o.pid
       where o.usename is distinct from current_user and o.xact_start is null and l.locktype = 'transactionid' and l.mode = 'ExclusiveLock')
    then least($1::timestamptz, now())
    else least(clock_timestamp(), (select min(xact_start) from others)) - interval '1 second'
    end at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as until`);

/**
 * The instant a poller sends as its next `updated_since` (conventions §10): every row that is committed after this was read has an
 * `updated_at` at or after it, those of transactions that are open for long included. To be read before the list.
 * @param since the instant this call was given, normalised
 * @returns ISO 8601 in UTC
 */
export async function updatedUntil(since: string): Promise<string> {
  const { until } = (await peek<{ until: string }>(UPDATED_UNTIL, [since])) as { until: string };
  return until;
}

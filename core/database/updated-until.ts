import { statement } from "../sql/statement.ts";

/**
 * SQL of the instant a poller sends as its next `updated_since` (conventions §10), ISO 8601 in UTC: every row committed after this read has
 * an `updated_at` at or after it, even if its transaction has long been open. Read it before the list; `$1` is the instant of this call.
 *
 * A row gets the time of the statement that writes it, which is never before its transaction began, and becomes visible at the commit. So
 * whatever commits later has a timestamp after the start of the oldest transaction open now, or after now. A backend publishes its start
 * slightly late; one second allows for that.
 *
 * We cannot see what sessions of another role do. While one of them has uncommitted writes (the command line's own statements as the
 * owner), this returns at most the instant the caller sent (`$1`).
 */
export const UNTIL_SQL = `(with others as materialized (
    select pid, usename, xact_start from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid())
  select to_char(case when exists (
      select from others o join pg_locks l on l.pid = o.pid
       where o.usename is distinct from current_user and o.xact_start is null and l.locktype = 'transactionid' and l.mode = 'ExclusiveLock')
    then least($1::timestamptz, now())
    else least(clock_timestamp(), (select min(xact_start) from others)) - interval '1 second'
    end at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))`;

/** The instant alone, for readers without a view of their own. */
export const UPDATED_UNTIL = statement(`select ${UNTIL_SQL} as until`);

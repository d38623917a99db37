import type { FiguresDeclaration } from "../figures.ts";

/** Rows of 8 KiB pages as PostgreSQL counted them when it last cleaned or analysed a table; exact sizes would ask the file system. */
const PAGE = 8192;

/** What the platform itself keeps in the database, as gauges for operators. */
export const kernelFigures: readonly FiguresDeclaration[] = [
  {
    sql: "select waiting::float8 as waiting, oldest_seconds from jobs.outbox_backlog()",
    gauges: {
      waiting: ["kantoor.outbox.waiting", "Outbox rows of all nodes that are not in the queue yet"],
      oldest_seconds: ["kantoor.outbox.age.seconds", "Age of the oldest of them in seconds"],
    },
  },
  {
    sql: `select coalesce(d.name, q.name) as job, coalesce(q.waiting, 0)::float8 as waiting, coalesce(q.oldest_seconds, 0) as oldest_seconds,
        coalesce(q.dead, 0)::float8 as dead
      from (select name from jobs.definitions where seen_at > now() - interval '7 days') d full join jobs.queue_backlog() q on q.name = d.name`,
    labels: ["job"],
    gauges: {
      waiting: ["kantoor.jobs.waiting", "Jobs of all nodes that are due and that no node runs yet"],
      oldest_seconds: ["kantoor.jobs.waiting.age.seconds", "Age of the oldest of them in seconds"],
      dead: ["kantoor.jobs.dead", "Jobs of all nodes that failed for good"],
    },
  },
  {
    sql: "select state, mails, case state when 'queued' then oldest_seconds end as oldest_seconds from mail_figures()",
    labels: ["state"],
    gauges: {
      mails: ["kantoor.mails", "Mails that are queued, and those of the last hour that were sent, failed or kept for /ops/mail"],
      oldest_seconds: ["kantoor.mails.age.seconds", "Age of the oldest queued mail in seconds"],
    },
  },
  {
    sql: `select provider, case when paused_until > now() then 'paused' when closed_until is null then 'counting' else 'open' end as state,
        count(*)::float8 as accounts
      from provider_troubles group by 1, 2`,
    labels: ["provider", "state"],
    gauges: {
      accounts: [
        "kantoor.provider.troubles",
        "Accounts at providers that failed last: counting failures, open circuit, or paused",
      ],
    },
  },
  {
    sql: `select count(*)::float8 as slots, coalesce(max(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)), 0)::float8 as bytes
      from pg_replication_slots`,
    gauges: {
      slots: ["kantoor.replication.slots", "Replication slots of PostgreSQL"],
      bytes: ["kantoor.replication.lag.bytes", "Bytes of write-ahead log that the slowest replication slot has not confirmed"],
    },
  },
  {
    sql: `select case when count(*) = count(replay_lsn) then coalesce(max(extract(epoch from replay_lag)), 0) end::float8 as seconds
      from pg_stat_replication`,
    gauges: {
      seconds: [
        "kantoor.replication.lag.seconds",
        "Seconds by which the slowest replica applies changes late; 0 without replicas",
      ],
    },
  },
  {
    sql: `select (sum(relpages::float8) * ${PAGE})::float8 as bytes from pg_class`,
    gauges: { bytes: ["kantoor.database.bytes", "Estimated size of the database in bytes, with indexes"] },
  },
  {
    sql: `select c.relname::text as "table", ((c.relpages::float8 + coalesce(t.relpages, 0)) * ${PAGE})::float8 as bytes
      from pg_class c join pg_namespace n on n.oid = c.relnamespace left join pg_class t on t.oid = c.reltoastrelid
     where c.relkind = 'r' and n.nspname in ('public', 'jobs') order by 2 desc, 1 limit 10`,
    labels: ["table"],
    chosen: true,
    gauges: {
      bytes: ["kantoor.database.table.bytes", "Estimated size in bytes of each of the ten largest tables, without indexes"],
    },
  },
];

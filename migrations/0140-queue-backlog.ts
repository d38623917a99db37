import type { Step } from "./step.ts";

/** What waits in the queue and what failed for good, by job, for the figures of operators. Each counts at most 100,000 rows. */
const step: Step = {
  async up({ sql, application }) {
    await sql(`
      create function jobs.queue_backlog() returns table (name text, waiting bigint, oldest_seconds float8, dead bigint)
        language sql stable security definer set search_path = pg_catalog as $$
        select q.name::text, count(*) filter (where not q.is_dead),
               coalesce(extract(epoch from now() - min(q.at) filter (where not q.is_dead)), 0)::float8, count(*) filter (where q.is_dead)
          from ((select j.name, j.next_run_at as at, false as is_dead from jobs.agenda_jobs j
                  where j.next_run_at <= now() and j.locked_at is null and not j.disabled order by j.next_run_at limit 100000)
                union all
                (select j.name, j.failed_at, true from jobs.agenda_jobs j
                  where j.failed_at is not null and j.next_run_at is null and j.locked_at is null limit 100000)) q
         group by q.name
      $$;
      revoke all on function jobs.queue_backlog() from public;
      grant execute on function jobs.queue_backlog() to ${application};
    `);
  },
};

export default step;

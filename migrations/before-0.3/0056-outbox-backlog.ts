import type { Step } from "../step.ts";

/**
 * What waits in the outbox of all organisations, for the operator's metrics: the number of rows that no relay has carried yet (at most
 * 100,000 are counted) and the age of the oldest in seconds, 0 when there is none.
 */
const step: Step = {
  async up({ sql, application }) {
    await sql(`
      create function jobs.outbox_backlog(out waiting bigint, out oldest_seconds float8) language sql stable security definer
        set search_path = pg_catalog as $$
        select count(*), coalesce(extract(epoch from now() - min(w.created_at)), 0)::float8
          from (select o.created_at from public.outbox o where o.relayed_at is null order by o.seq limit 100000) w
      $$;
      revoke all on function jobs.outbox_backlog() from public;
      grant execute on function jobs.outbox_backlog() to ${application};`);
  },
};

export default step;

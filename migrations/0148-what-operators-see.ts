import type { Step } from "./step.ts";

/**
 * For operators: lines of the trail and of the access audit name their request, so that `X-Request-Id` finds them; figures of mails and
 * webhooks of all organisations; and leases, so that one node at a time reads what all nodes would read alike.
 */
const step: Step = {
  async up({ sql, application }) {
    await sql("alter table activity add column request_id text");
    await sql("alter table access_audit add column request_id text");
    await sql(`
      -- Work that one node does for all, until its lease ends.
      create table jobs.leases (
        name text primary key,
        node text not null,
        ends_at timestamptz not null
      );
      grant select, insert, update, delete on jobs.leases to ${application};

      -- Mails by state: queued ones, and of the others those of the last hour. Counts at most 100,000 of each.
      create function mail_figures() returns table (state text, mails float8, oldest_seconds float8)
        language sql stable security definer set search_path = pg_catalog as $$
        select s.state, (select count(*) from (select from public.mails m
                 where m.status = s.state and m.created_at > now() - s.span limit 100000) counted)::float8,
               coalesce((select extract(epoch from now() - m.created_at) from public.mails m
                 where m.status = s.state and s.state = 'queued' order by m.created_at limit 1), 0)::float8
          from (values ('queued', interval '30 days'), ('sent', '1 hour'), ('failed', '1 hour'), ('kept', '1 hour')) s (state, span)
      $$;

      -- Deliveries that wait, and endpoints by state, in one pass. Counts at most 100,000 of each.
      create function webhook_figures() returns table (state text, deliveries float8, endpoints float8)
        language sql stable security definer set search_path = pg_catalog as $$
        select 'pending', (select count(*) from (select from public.webhook_deliveries d
          where d.status = 'pending' limit 100000) counted)::float8, null
        union all
        select s.state, null, (case s.state when 'disabled' then c.disabled when 'failing' then c.failing else c.working end)::float8
          from (select count(*) filter (where not e.enabled) as disabled,
                       count(*) filter (where e.enabled and e.failing_since is not null) as failing,
                       count(*) filter (where e.enabled and e.failing_since is null) as working
                  from (select enabled, failing_since from public.webhook_endpoints limit 100000) e) c
               cross join (values ('working'), ('failing'), ('disabled')) s (state)
      $$;
      revoke all on function mail_figures(), webhook_figures() from public;
      grant execute on function mail_figures(), webhook_figures() to ${application};
    `);
  },
};

export default step;

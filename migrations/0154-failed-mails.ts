import type { Step } from "./step.ts";

/** The latest failures of mails of all organisations, for operators: without recipients and contents. */
const step: Step = {
  async up({ sql, application }) {
    await sql(`
      create index mails_troubled on mails (updated_at) where last_error is not null;

      -- Mails that failed, and those that are queued after a failed attempt, the latest first.
      create function mail_failures(most int)
        returns table (id uuid, organisation text, kind text, status text, attempts int, transport text, error text, failed_at timestamptz)
        language sql stable security definer set search_path = pg_catalog as $$
        select m.id, o.slug, m.kind, m.status, m.attempts, m.transport, m.last_error, m.updated_at
          from (select t.id, t.organisation_id, t.kind, t.status, t.attempts, t.transport, t.last_error, t.updated_at from public.mails t
                 where t.last_error is not null order by t.updated_at desc limit least(most, 100)) m
          join public.organisations o on o.id = m.organisation_id
         where m.status in ('failed', 'queued') order by m.updated_at desc, m.id
      $$;
      revoke all on function mail_failures(int) from public;
      grant execute on function mail_failures(int) to ${application};
    `);
  },
};

export default step;

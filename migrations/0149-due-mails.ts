import type { Step } from "./step.ts";

/** How long a mail is due before its job counts as lost. */
const FORGOTTEN = "10 minutes";

/**
 * When a queued mail is tried next: these rows are a queue that one job per organisation drains. Null for the mails of the version before,
 * which have a job each.
 */
const step: Step = {
  async up({ sql, application }) {
    await sql(`
      alter table mails add column due_at timestamptz;
      create index mails_due on mails (organisation_id, due_at) where status = 'queued' and due_at is not null;

      -- Leaves a job for every active organisation with mail that was due and that no job sends, such as one that became a dead letter.
      create function schedule_forgotten_mails() returns int language sql security definer set search_path = public as $$
        with forgotten as (
          insert into outbox (id, organisation_id, job, payload, dedupe)
          select gen_random_uuid(), o.id, 'mail.wake', '{}', 'mails' from organisations o where o.status = 'active' and exists (
            select from mails m where m.organisation_id = o.id and m.status = 'queued'
              and m.due_at < statement_timestamp() - interval '${FORGOTTEN}')
          returning 1)
        select count(*)::int from forgotten $$;
      revoke all on function schedule_forgotten_mails() from public;
      grant execute on function schedule_forgotten_mails() to ${application};
    `);
  },
};

export default step;

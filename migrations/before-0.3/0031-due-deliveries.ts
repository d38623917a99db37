import type { Step } from "../step.ts";

/** How long a message may be under way before the node that sent it counts as gone. */
const UNDER_WAY = "5 minutes";

/**
 * Names the organisations for which something is to be sent now: a look at an index per organisation, where a job for each of them four
 * times a minute would mostly find nothing.
 */
const step: Step = {
  async up({ sql, application }) {
    await sql(`
      -- Leaves one delivery job for every active organisation with something due; the relay joins it to one that is there already.
      create function schedule_due_deliveries() returns int language sql security definer set search_path = public as $$
        with due as (
          insert into outbox (id, organisation_id, job, payload, dedupe)
          select gen_random_uuid(), o.id, 'notifications.deliver', '{}', 'schedule' from organisations o
           where o.status = 'active' and (
             exists (select from notification_deliveries d where d.organisation_id = o.id and d.way in ('email', 'push', 'channel')
               and d.status = 'pending' and d.due_at <= statement_timestamp())
             or exists (select from notification_deliveries d where d.organisation_id = o.id and d.status = 'sending'
               and d.claimed_at < statement_timestamp() - interval '${UNDER_WAY}'))
          returning 1)
        select count(*)::int from due $$;
      revoke all on function schedule_due_deliveries() from public;
      grant execute on function schedule_due_deliveries() to ${application};
    `);
  },
};
export default step;

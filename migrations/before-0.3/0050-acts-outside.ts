import { SEALED_TYPE, type Step, tenantTable } from "../step.ts";

/**
 * What requests have done outside of the service, from the provider's answer to the commit that records it: a node that dies in between
 * leaves the row, and the retry under its `Idempotency-Key`, or a job, records it without acting a second time. No key to `organisations`, as
 * for other records (0039).
 */
const step: Step = {
  async up({ sql, application }) {
    await sql(SEALED_TYPE);
    await sql(`
      create table outside_acts (
        -- The id of the work, by which the other side knows a repetition.
        id uuid primary key,
        organisation_id uuid not null,
        created_at timestamptz not null default statement_timestamp(),
        action text not null,
        -- The call, its caller, and what the action's prepare gave.
        content sealed not null,
        -- When a job records it; null where only the caller's own retry can, or all attempts have failed.
        due_at timestamptz,
        attempts int not null default 0,
        unique (organisation_id, id)
      );
      create index on outside_acts (due_at) where due_at is not null;
      create index on outside_acts (organisation_id, due_at);
      create index on outside_acts (created_at);
      ${tenantTable("outside_acts", application)}

      -- Removes acts by age, and leaves a job for every active organisation with one to record.
      create function schedule_due_acts() returns int language sql security definer set search_path = public as $$
        delete from outside_acts where created_at < now() - interval '7 days';
        with due as (
          insert into outbox (id, organisation_id, job, payload, dedupe)
          select gen_random_uuid(), o.id, 'jobs.record-acts', '{}', 'schedule' from organisations o
           where o.status = 'active' and o.id in (select a.organisation_id from outside_acts a where a.due_at <= now())
          returning 1)
        select count(*)::int from due $$;
      revoke all on function schedule_due_acts() from public;
      grant execute on function schedule_due_acts() to ${application};
    `);
  },
};
export default step;

import type { Step } from "./step.ts";

/** Most rows that one statement of an earlier version's job removes from now on. */
const MOST = 5_000;

/** A deletion that is limited, and passes rows that someone else has locked. */
const some = (table: string, condition: string): string =>
  `delete from ${table} where ctid = any(array(select ctid from ${table} where ${condition} limit ${MOST} for update skip locked));`;

const END_OAUTH = `
        update oauth_refresh_tokens set successor = null where successor is not null and rotated_at < now() - interval '30 seconds';
        update api_keys k set revoked_at = now(), updated_at = now()
         where k.oauth_client_id is not null and k.revoked_at is null and k.expires_at < now()
           and not exists (select from oauth_refresh_tokens r
             where r.organisation_id = k.organisation_id and r.key_id = k.id and r.expires_at > now());`;
const EXPIRE_MAILS = `
        update mails set status = 'failed', last_error = 'errors.email_expired', version = version + 1, updated_at = now()
         where status = 'queued' and created_at < now() - interval '8 days';`;

/**
 * Old rows are removed in batches by functions that follow their declarations and are created after the steps. What else the functions of
 * the jobs did has functions of its own. Nodes of the version before still call the former ones, which remove a batch from now on.
 */
const step: Step = {
  async up({ sql, application }) {
    await sql(`
      create function end_oauth() returns void language sql security definer set search_path = public as $$ ${END_OAUTH} $$;
      create function expire_mails() returns void language sql security definer set search_path = public as $$ ${EXPIRE_MAILS} $$;
      revoke all on function end_oauth(), expire_mails() from public;
      grant execute on function end_oauth(), expire_mails() to ${application};

      create or replace function clear_oauth() returns void language sql security definer set search_path = public as $$
        ${some("oauth_clients", "approved_at is null and created_at < now() - interval '24 hours'")}
        ${some("oauth_codes", "expires_at < now() - interval '1 day'")}
        ${END_OAUTH}
        ${some("oauth_refresh_tokens", "expires_at < now()")} $$;
      create or replace function clear_sign_ins() returns void language sql security definer set search_path = public as $$
        ${some("sign_in_challenges", "expires_at < now()")}
        ${some("account_tokens", "expires_at < now()")}
        ${some("sessions", "least(ended_at, expires_at) < now() - interval '1 day'")} $$;
      create or replace function clear_impersonations() returns void language sql security definer set search_path = public as $$
        ${some("impersonations", "coalesce(ended_at, expires_at) < now() - interval '1 day'")} $$;
      create or replace function remove_old_mails() returns void language sql security definer set search_path = public as $$
        ${some("mails", "status = 'kept' and created_at < now() - interval '24 hours'")}
        ${some("mails", "status in ('sent', 'failed') and created_at < now() - interval '30 days'")}
        ${EXPIRE_MAILS} $$;
      create or replace function remove_old_sms() returns void language sql security definer set search_path = public as $$
        ${some("sms_messages", "created_at < now() - interval '30 days'")} $$;

      create or replace function schedule_due_acts() returns int language sql security definer set search_path = public as $$
        ${some("outside_acts", "created_at < now() - interval '7 days'")}
        with due as (
          insert into outbox (id, organisation_id, job, payload, dedupe)
          select gen_random_uuid(), o.id, 'jobs.record-acts', '{}', 'schedule' from organisations o
           where o.status = 'active' and o.id in (select a.organisation_id from outside_acts a where a.due_at <= now())
          returning 1)
        select count(*)::int from due $$;

      create or replace function jobs.clear_expired() returns void language sql security definer set search_path = pg_catalog as $$
        ${some("public.idempotency_keys", "created_at < now() - interval '24 hours'")}
        ${some("public.sessions", "least(ended_at, expires_at) < now() - interval '1 day'")} $$;
      create or replace function jobs.forget() returns void language plpgsql security definer set search_path = pg_catalog as $$
      begin
        ${some(
          "jobs.agenda_jobs",
          `type = 'normal' and locked_at is null and next_run_at is null
          and coalesce(failed_at, last_finished_at, created_at) < now() - interval '30 days'`,
        )}
        ${some("jobs.ordered", "dead_at < now() - interval '30 days'")}
        ${some(
          "public.outbox",
          "relayed_at < now() - interval '1 day' and not exists (select from jobs.ordered o where o.event_id = public.outbox.id)",
        )}
        ${some("jobs.occurrences", "made_at < now() - interval '7 days'")}
        ${some("jobs.definitions", "seen_at < now() - interval '30 days'")}
        ${some("jobs.workers", "seen_at < now() - interval '180 seconds'")}
      end $$;
    `);
  },
};

export default step;

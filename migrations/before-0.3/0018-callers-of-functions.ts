import type { Step } from "../step.ts";

/**
 * A function that runs as the owner asks what its caller may have: the kept mail of every organisation goes to the session of an instance
 * administrator, and the list of organisations to nobody outside of the functions that work through it.
 */
const step: Step = {
  async up({ sql, application }) {
    // Only an embedded installation keeps mail, and that is one process: no node of the version before asks for it in the old way.
    await sql(`
      drop function kept_mails(uuid);
      create function kept_mails(administrator_session uuid, wanted uuid) returns table (mail jsonb, organisation jsonb)
        language sql stable security definer set search_path = public as $$
        select to_jsonb(m), to_jsonb(o) from mails m join organisations o on o.id = m.organisation_id
         where m.status = 'kept' and m.created_at > now() - interval '24 hours' and o.status <> 'deleted' and (wanted is null or m.id = wanted)
           and exists (select from sessions s
             join accounts a on a.id = s.account_id and a.is_active and a.is_superuser
             join memberships b on b.organisation_id = s.organisation_id and b.account_id = s.account_id and b.deactivated_at is null
            where s.organisation_id = current_organisation() and s.id = administrator_session and s.ended_at is null and s.expires_at > now())
         order by m.created_at desc, m.id desc limit 200 $$;
      revoke all on function kept_mails(uuid, uuid) from public;
      grant execute on function kept_mails(uuid, uuid) to ${application};

      -- Asked by an organisation about an account of its own, and by nobody else (access §4.6).
      create or replace function is_live_elsewhere(account uuid, organisation uuid) returns boolean language sql stable security definer
        set search_path = public as $$
        select coalesce(organisation = current_organisation(), false)
          and exists (select 1 from memberships m where m.organisation_id = organisation and m.account_id = account)
          and exists (select 1 from memberships m join organisations o on o.id = m.organisation_id
            where m.account_id = account and m.organisation_id <> organisation and m.deactivated_at is null and o.status <> 'deleted') $$;

      -- Only an account whose address was never proven: whoever registered it keeps no way in (access §4.4).
      create or replace function strip_account(account uuid) returns void language plpgsql security definer set search_path = public as $$
      begin
        perform from accounts where id = account and not is_verified for update;
        if not found then return; end if;
        update accounts set password_hash = null, updated_at = statement_timestamp() where id = account and password_hash is not null;
        delete from two_factors where account_id = account;
        update api_keys set revoked_at = now(), updated_at = now() where account_id = account and revoked_at is null;
        perform end_sessions(account, null);
      end $$;
    `);
    await sql(`
      -- The one a worker names before it enters it, unless it is deleted. Nobody is given the list.
      create or replace function jobs.organisations(one uuid) returns setof public.organisations language sql stable security definer
        set search_path = pg_catalog as
        $$ select * from public.organisations o where o.id = one and o.status <> 'deleted' $$;

      -- Jobs of a schedule, one per active organisation, once per moment; an organisation whose last one has not ended is left out.
      create function jobs.fan_out(job_name text, due timestamptz, own_queue boolean) returns jsonb
        language plpgsql security definer set search_path = pg_catalog as $$
      declare
        organisation uuid;
        one jsonb;
        handed jsonb[] := '{}';
      begin
        insert into jobs.occurrences (name, due) values (job_name, due) on conflict do nothing;
        if not found then return '[]'; end if;
        for organisation in select o.id from public.organisations o where o.status = 'active' order by o.id loop
          one := jobs.place(gen_random_uuid(), job_name, organisation, '{}', null, organisation || ' schedule', now(), 'end', null, own_queue);
          if one is not null then handed := handed || one; end if;
        end loop;
        return to_jsonb(handed);
      end $$;
      -- Nodes of the version before name the organisations, of which they are given none any more.
      create or replace function jobs.fan_out(job_name text, due timestamptz, organisations uuid[], own_queue boolean) returns jsonb
        language sql security definer set search_path = pg_catalog as $$ select jobs.fan_out(job_name, due, own_queue) $$;

      -- Whether an ordered job may run now: 'run', with its event; 'done' when it has ended before; 'wait' when it is not its turn.
      create or replace function jobs.begin(job_id uuid) returns jsonb language plpgsql security definer set search_path = pg_catalog as $$
      declare
        mine jobs.ordered;
      begin
        perform set_config('synchronous_commit', 'off', true);
        select * into mine from jobs.ordered o where o.id = job_id;
        -- Inside an organisation there are only that organisation's jobs.
        if not found or mine.data ->> 'organisation' <> public.current_organisation()::text then return '{"state": "done"}'; end if;
        perform jobs.lock_lane(mine.name, mine.key);
        if mine.dead_at is not null then
          update jobs.ordered o set dead_at = null, started_at = null, seq = nextval(pg_get_serial_sequence('jobs.ordered', 'seq'))
           where o.id = job_id returning * into mine;
        end if;
        if exists (select from jobs.ordered o where o.name = mine.name and o.key = mine.key and o.dead_at is null and o.seq < mine.seq) then
          update jobs.ordered o set handed_at = null where o.id = job_id;
          return '{"state": "wait"}';
        end if;
        update jobs.ordered o set started_at = now(), handed_at = coalesce(o.handed_at, now()) where o.id = job_id;
        return jsonb_build_object('state', 'run', 'event', (select jsonb_build_object('id', e.id, 'name', e.event, 'entityType', e.entity_type,
            'entityId', e.entity_id, 'payload', e.payload, 'actorAccountId', e.actor_account_id, 'requestId', e.request_id,
            'occurredAt', to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
          from public.outbox e where e.id = mine.event_id));
      end $$;
      revoke all on all functions in schema jobs from public;
      grant execute on function jobs.fan_out(text, timestamptz, boolean) to ${application};
    `);
  },
};

export default step;

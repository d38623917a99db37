/** Any fixed number: one relay at a time over all nodes, so that what happened first is handed on first. */
const RELAY_LOCK = 7_315_043;
/** A subscriber or job that no node has declared for this long is permanently gone. */
const FORGOTTEN = "7 days";

/**
 * The functions around the queue as step 0007 makes them, frozen with it: a text that changed here would give a new installation other
 * functions than those that took the step before. They run as their owner because they work across organisations. `own_queue`: Agenda's
 * table is in this database, so jobs go straight into it; else they are given to the caller, who puts them where Agenda looks.
 *
 * To change one, a new step replaces it (`create or replace function`, its whole text, in a file of that step). Names that carry a digest,
 * as the search functions have, would not do: those follow from declarations and only read, so a node of each version may keep its own,
 * while these write the one queue that the nodes of both versions share, and must be the same for all of them.
 */
export function queueFunctions(application: string): string {
  return `
    create function jobs.lock_lane(job_name text, lane text) returns void language sql as
      $$ select pg_advisory_xact_lock(hashtextextended(job_name || ' ' || lane, 7315044)) $$;

    -- Puts one job into Agenda's table; gives it to the caller where the queue is elsewhere.
    create function jobs.hand(job_id uuid, job_name text, body jsonb, due timestamptz, own_queue boolean) returns jsonb
      language plpgsql as $$
    begin
      if own_queue then
        insert into jobs.agenda_jobs (id, name, next_run_at, data) values (job_id, job_name, due, body) on conflict (id) do nothing;
      end if;
      return jsonb_build_object('id', job_id, 'name', job_name, 'data', body, 'due', due);
    end $$;

    -- Places one job: joins another of the same dedupe text, waits in its lane, or is handed over.
    create function jobs.place(job_id uuid, job_name text, organisation uuid, payload jsonb, lane text, once text, due timestamptz,
        until text, of_event uuid, own_queue boolean) returns jsonb language plpgsql as $$
    declare
      body jsonb := jsonb_build_object('id', job_id, 'organisation', organisation, 'payload', payload, 'due', due)
        || jsonb_strip_nulls(jsonb_build_object('key', lane, 'dedupe', once, 'until', case when once is not null then until end,
          'event', of_event));
      is_first boolean;
    begin
      if lane is null then
        if once is not null and own_queue then
          update jobs.agenda_jobs a set next_run_at = least(a.next_run_at, due)
           where a.name = job_name and a.data ? 'dedupe' and a.data ->> 'dedupe' = once
             and (a.locked_at is null and a.next_run_at is not null or until = 'end' and a.locked_at is not null);
          if found then return null; end if;
        end if;
        return jobs.hand(job_id, job_name, body, due, own_queue);
      end if;
      perform jobs.lock_lane(job_name, lane);
      if once is not null and exists (select from jobs.ordered o where o.name = job_name and o.key = lane and o.dedupe = once
          and o.dead_at is null and (o.started_at is null or until = 'end')) then
        return null;
      end if;
      is_first := not exists (select from jobs.ordered o where o.name = job_name and o.key = lane and o.dead_at is null);
      insert into jobs.ordered (id, name, key, dedupe, event_id, data, run_at, handed_at)
        values (job_id, job_name, lane, once, of_event, body, due, case when is_first then statement_timestamp() end)
        on conflict (id) do nothing;
      if not found or not is_first then return null; end if;
      return jobs.hand(job_id, job_name, body, due, own_queue);
    end $$;

    -- Moves what has been committed from the outbox to the queue: scheduled jobs as they are, events once per subscriber.
    create function jobs.relay(most int, own_queue boolean) returns jsonb language plpgsql security definer
      set search_path = pg_catalog as $$
    declare
      entry record;
      subscriber record;
      one jsonb;
      handed jsonb[] := '{}';
      batch bigint[];
    begin
      -- A crash that takes this back takes back all of it: the outbox is then as full as before.
      perform set_config('synchronous_commit', 'off', true), pg_advisory_xact_lock(${RELAY_LOCK});
      -- What commits from here on is the next batch's.
      select array_agg(b.seq) into batch from (select o.seq from public.outbox o where o.relayed_at is null order by o.seq limit most) b;
      if batch is null then return '{"taken": 0, "handed": []}'; end if;
      delete from public.outbox o where o.seq = any(batch) and o.event is not null and not exists (
        select from jobs.definitions d where d.event = o.event and d.seen_at > now() - interval '${FORGOTTEN}');
      for entry in select * from public.outbox o where o.seq = any(batch) order by o.seq loop
        if entry.job is not null then
          one := jobs.place(entry.id, entry.job, entry.organisation_id, entry.payload,
            entry.organisation_id || ' ' || entry.key, entry.organisation_id || ' ' || entry.dedupe,
            greatest(entry.run_at, entry.created_at),
            coalesce((select d.dedupe from jobs.definitions d where d.name = entry.job), 'start'), null, own_queue);
          if one is not null then handed := handed || one; end if;
        else
          for subscriber in select d.name from jobs.definitions d
              where d.event = entry.event and d.seen_at > now() - interval '${FORGOTTEN}' order by d.name loop
            one := jobs.place(md5(entry.id || subscriber.name)::uuid, subscriber.name, entry.organisation_id, '{}',
              entry.entity_id::text, null, entry.created_at, null, entry.id, own_queue);
            if one is not null then handed := handed || one; end if;
          end loop;
        end if;
      end loop;
      delete from public.outbox o where o.seq = any(batch) and o.job is not null;
      update public.outbox o set relayed_at = now() where o.seq = any(batch);
      return jsonb_build_object('taken', cardinality(batch), 'handed', to_jsonb(handed));
    end $$;

    -- Whether an ordered job may run now: 'run', with its event; 'done' when it has ended before; 'wait' when it is not its turn.
    create function jobs.begin(job_id uuid) returns jsonb language plpgsql security definer set search_path = pg_catalog as $$
    declare
      mine jobs.ordered;
    begin
      perform set_config('synchronous_commit', 'off', true);
      select * into mine from jobs.ordered o where o.id = job_id;
      if not found then return '{"state": "done"}'; end if;
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

    -- Ends an ordered job and hands over the next of its lane. A dead one stays, with its event, and holds nobody back.
    create function jobs.finish(job_id uuid, is_dead boolean, own_queue boolean) returns jsonb language plpgsql security definer
      set search_path = pg_catalog as $$
    declare
      mine jobs.ordered;
      following jobs.ordered;
    begin
      select * into mine from jobs.ordered o where o.id = job_id;
      if not found then return null; end if;
      perform jobs.lock_lane(mine.name, mine.key);
      if is_dead then
        update jobs.ordered o set dead_at = now() where o.id = job_id;
      else
        if mine.event_id is not null then perform from public.outbox e where e.id = mine.event_id for update; end if;
        delete from jobs.ordered o where o.id = job_id;
        delete from public.outbox e where e.id = mine.event_id and not exists (select from jobs.ordered o where o.event_id = e.id);
      end if;
      select * into following from jobs.ordered o where o.name = mine.name and o.key = mine.key and o.dead_at is null order by o.seq limit 1;
      if not found or following.handed_at is not null then return null; end if;
      update jobs.ordered o set handed_at = now() where o.id = following.id;
      return jobs.hand(following.id, following.name, following.data, greatest(following.run_at, now()), own_queue);
    end $$;

    -- Jobs of a schedule, one per organisation, once per moment; an organisation whose last one has not ended is left out.
    create function jobs.fan_out(job_name text, due timestamptz, organisations uuid[], own_queue boolean) returns jsonb
      language plpgsql security definer set search_path = pg_catalog as $$
    declare
      organisation uuid;
      one jsonb;
      handed jsonb[] := '{}';
    begin
      insert into jobs.occurrences (name, due) values (job_name, due) on conflict do nothing;
      if not found then return '[]'; end if;
      foreach organisation in array organisations loop
        one := jobs.place(gen_random_uuid(), job_name, organisation, '{}', null, organisation || ' schedule', now(), 'end', null, own_queue);
        if one is not null then handed := handed || one; end if;
      end loop;
      return to_jsonb(handed);
    end $$;

    -- Ordered jobs that stand in a queue which has lost them (an operator removed them) end; a lane whose first was never handed over moves.
    create function jobs.mend(missing uuid[], own_queue boolean) returns jsonb language plpgsql security definer
      set search_path = pg_catalog as $$
    declare
      lost uuid;
      first jobs.ordered;
      one jsonb;
      handed jsonb[] := '{}';
    begin
      for lost in select o.id from jobs.ordered o
          where coalesce(o.dead_at, o.handed_at) < now() - interval '30 seconds' and case when own_queue
            then not exists (select from jobs.agenda_jobs a where a.id = o.id) else o.id = any(missing) end limit 1000 loop
        one := jobs.finish(lost, false, own_queue);
        if one is not null then handed := handed || one; end if;
      end loop;
      for first in select o.* from jobs.ordered o where o.dead_at is null and o.handed_at is null and not exists (
          select from jobs.ordered e where e.name = o.name and e.key = o.key and e.dead_at is null and e.seq < o.seq) limit 1000 loop
        perform jobs.lock_lane(first.name, first.key);
        update jobs.ordered o set handed_at = now() where o.id = first.id and o.handed_at is null and not exists (
          select from jobs.ordered e where e.name = o.name and e.key = o.key and e.dead_at is null and e.seq < o.seq);
        if found then handed := handed || jobs.hand(first.id, first.name, first.data, greatest(first.run_at, now()), own_queue); end if;
      end loop;
      return to_jsonb(handed);
    end $$;

    -- What is kept of the past: dead letters and their events 30 days, moments of schedules 7, workers 180 seconds.
    create function jobs.forget() returns void language plpgsql security definer set search_path = pg_catalog as $$
    begin
      delete from jobs.agenda_jobs a where a.type = 'normal' and a.locked_at is null and a.next_run_at is null
        and coalesce(a.failed_at, a.last_finished_at, a.created_at) < now() - interval '30 days';
      delete from jobs.ordered o where o.dead_at < now() - interval '30 days';
      delete from public.outbox e where e.relayed_at < now() - interval '1 day'
        and not exists (select from jobs.ordered o where o.event_id = e.id);
      delete from jobs.occurrences where made_at < now() - interval '7 days';
      delete from jobs.definitions where seen_at < now() - interval '30 days';
      delete from jobs.workers where seen_at < now() - interval '180 seconds';
    end $$;

    -- Remembered answers, ended sessions: kept a day at most (conventions §20).
    create function jobs.clear_expired() returns void language sql security definer set search_path = pg_catalog as $$
      delete from public.idempotency_keys where created_at < now() - interval '24 hours';
      delete from public.sessions where least(ended_at, expires_at) < now() - interval '1 day' $$;

    -- Hosted trials that are over.
    create function jobs.expire_trials() returns int language sql security definer set search_path = pg_catalog as $$
      with ended as (update public.organisations set plan = 'none', updated_at = now()
        where plan = 'trial' and plan_ends_at <= now() returning 1) select count(*)::int from ended $$;

    -- Grants permissions that are new since the last start to the system roles that default to them (conventions §4.4).
    -- The first start only takes note: its organisations were made with everything there was.
    create function jobs.ship_permissions(catalogue text[], defaults jsonb) returns text[] language plpgsql security definer
      set search_path = pg_catalog as $$
    declare
      is_first boolean := not exists (select from jobs.shipped_permissions);
      new_ones text[];
    begin
      with added as (insert into jobs.shipped_permissions (permission) select unnest(catalogue) on conflict do nothing returning permission)
        select coalesce(array_agg(permission order by permission), '{}') into new_ones from added;
      if is_first or cardinality(new_ones) = 0 then return '{}'; end if;
      update public.roles r set permissions = r.permissions || added.grants, version = r.version + 1, updated_at = now()
        from (select o.id, array_agg(g.value) as grants from public.roles o join jsonb_each(defaults) d(role, grants) on d.role = o.key
            cross join jsonb_array_elements_text(d.grants) g
           where o.is_system and regexp_replace(g.value, ':(own|any)$', '') = any(new_ones) and not g.value = any(o.permissions)
           group by o.id) added
       where r.id = added.id;
      return new_ones;
    end $$;

    -- Active organisations, or the one asked for whatever its state, unless it is deleted.
    create function jobs.organisations(one uuid) returns setof public.organisations language sql stable security definer
      set search_path = pg_catalog as
      $$ select * from public.organisations o where case when one is null then o.status = 'active' else o.id = one and o.status <> 'deleted' end $$;

    revoke all on all functions in schema jobs from public;
    grant execute on function jobs.relay(int, boolean), jobs.begin(uuid), jobs.finish(uuid, boolean, boolean),
      jobs.fan_out(text, timestamptz, uuid[], boolean), jobs.mend(uuid[], boolean), jobs.forget(), jobs.organisations(uuid),
      jobs.clear_expired(), jobs.expire_trials(), jobs.ship_permissions(text[], jsonb)
      to ${application};
  `;
}

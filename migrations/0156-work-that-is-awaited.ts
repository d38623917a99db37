import type { Step } from "./step.ts";

/**
 * Which work a clock set off, also through other jobs and events, so that work that a person waits for does not wait behind it. The flag
 * `clock` of a job's data says so, and an index finds the jobs without it.
 */
const step: Step = {
  async up({ sql }) {
    await sql(`
      alter table outbox add column by_clock boolean not null default false;
      create index agenda_jobs_awaited_idx on jobs.agenda_jobs (name, next_run_at)
        where not disabled and locked_at is null and not data ? 'clock';

      drop function jobs.place(uuid, text, uuid, jsonb, text, text, timestamptz, text, uuid, boolean, text);
      create function jobs.place(job_id uuid, job_name text, organisation uuid, payload jsonb, lane text, once text, due timestamptz, until text,
        of_event uuid, own_queue boolean, trace text default null, by_clock boolean default false) returns jsonb language plpgsql as $$
    declare
      is_clocks boolean := by_clock or coalesce(once = organisation || ' schedule', false);
      body jsonb := jsonb_build_object('id', job_id, 'organisation', organisation, 'payload', payload, 'due', due)
        || jsonb_strip_nulls(jsonb_build_object('key', lane, 'dedupe', once, 'until', case when once is not null then until end,
          'event', of_event, 'trace', trace, 'clock', case when is_clocks then true end));
      is_first boolean;
    begin
      if lane is null then
        if once is not null and own_queue then
          -- Work that a person waits for makes the job that is there already its own.
          update jobs.agenda_jobs a set next_run_at = least(a.next_run_at, due), data = case when is_clocks then a.data else a.data - 'clock' end
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
      revoke all on function jobs.place(uuid, text, uuid, jsonb, text, text, timestamptz, text, uuid, boolean, text, boolean) from public;

      create or replace function jobs.relay(most integer, own_queue boolean) returns jsonb
        language plpgsql security definer set search_path = pg_catalog
        set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_material = off set enable_memoize = off as $$
      declare
        entry record;
        one jsonb;
        handed jsonb[] := '{}';
        delivered jsonb;
        batch bigint[];
      begin
        -- A crash that takes this back takes back all of it: the outbox is then as full as before.
        perform set_config('synchronous_commit', 'off', true), pg_advisory_xact_lock(7315043);
        -- What commits from here on is the next batch's.
        select array_agg(b.seq) into batch from (select o.seq from public.outbox o where o.relayed_at is null order by o.seq limit most) b;
        if batch is null then return '{"taken": 0, "handed": []}'; end if;
        delete from public.outbox o where o.seq = any(batch) and o.event is not null and not exists (
          select from jobs.definitions d where d.event = o.event and d.seen_at > now() - interval '7 days');
        perform pg_advisory_xact_lock(l.lane) from (
          select distinct hashtextextended(p.name || ' ' || p.key, 7315044) as lane from (
          select o.job, o.organisation_id || ' ' || o.key from public.outbox o
           where o.seq = any(batch) and o.job is not null and o.key is not null
          union all
          select d.name, coalesce(o.entity_id, o.id)::text from public.outbox o
            join jobs.definitions d on d.event = o.event and d.seen_at > now() - interval '7 days' where o.seq = any(batch)) p(name, key) order by 1) l;
        for entry in select o.id, o.organisation_id, o.job, o.payload, o.key, o.dedupe, o.run_at, o.created_at, o.traceparent, o.by_clock
            from public.outbox o where o.seq = any(batch) and o.job is not null order by o.seq loop
          one := jobs.place(entry.id, entry.job, entry.organisation_id, entry.payload,
            entry.organisation_id || ' ' || entry.key, entry.organisation_id || ' ' || entry.dedupe,
            greatest(entry.run_at, entry.created_at),
            coalesce((select d.dedupe from jobs.definitions d where d.name = entry.job), 'start'), null, own_queue,
            entry.traceparent, entry.by_clock);
          if one is not null then handed := handed || one; end if;
        end loop;
        with delivery as materialized (
          select md5(o.id || d.name)::uuid as id, d.name, coalesce(o.entity_id, o.id)::text as key, o.id as event_id, o.organisation_id,
              o.created_at, o.traceparent, o.by_clock, o.seq, row_number() over (partition by d.name, coalesce(o.entity_id, o.id) order by o.seq) = 1 as leads
            from public.outbox o join jobs.definitions d on d.event = o.event and d.seen_at > now() - interval '7 days'
           where o.seq = any(batch)
        ), placed as (
          insert into jobs.ordered (id, name, key, event_id, data, run_at, handed_at)
            select v.id, v.name, v.key, v.event_id, jsonb_build_object('id', v.id, 'organisation', v.organisation_id, 'payload', '{}'::jsonb,
                'due', v.created_at, 'key', v.key, 'event', v.event_id)
                || case when v.traceparent is null then '{}' else jsonb_build_object('trace', v.traceparent) end
                || case when v.by_clock then '{"clock": true}'::jsonb else '{}' end, v.created_at,
                case when v.leads and (select o.seq from jobs.ordered o where o.name = v.name and o.key = v.key and o.dead_at is null
                  order by o.seq limit 1) is null then statement_timestamp() end
              from delivery v order by v.seq, v.name
            on conflict (id) do nothing returning id, name, data, run_at, handed_at
        ), queued as (
          insert into jobs.agenda_jobs (id, name, next_run_at, data)
            select p.id, p.name, p.run_at, p.data from placed p where own_queue and p.handed_at is not null on conflict (id) do nothing
        )
        select coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'name', p.name, 'data', p.data, 'due', p.run_at)), '[]') into delivered
          from placed p where p.handed_at is not null;
        delete from public.outbox o where o.seq = any(batch) and o.job is not null;
        update public.outbox o set relayed_at = now() where o.seq = any(batch);
        return jsonb_build_object('taken', cardinality(batch), 'handed', to_jsonb(handed) || delivered);
      end $$;
    `);
  },
};

export default step;

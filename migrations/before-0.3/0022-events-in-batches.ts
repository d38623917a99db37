import type { Step } from "../step.ts";

/** As in step 0007: one relay at a time over all nodes, and the family of the locks of ordered queues. */
const RELAY_LOCK = 7_315_043;
const LANES = 7_315_044;
const FORGOTTEN = "7 days";

/**
 * A plan is kept for as long as its connection, and mostly made while nothing waits: PostgreSQL would then rather read all of a table than
 * look a row up, and do so when thousands wait. So it may only look up, and the texts below ask for each row by its key.
 */
const BY_INDEX = ["seqscan", "hashjoin", "mergejoin", "material", "memoize"].map((way) => `set enable_${way} = off`).join(" ");

/** Locks the ordered queues of a batch in the order of their locks, so that two batches never wait for each other. */
const lockLanes = (lanes: string) => `perform pg_advisory_xact_lock(l.lane) from (
          select distinct hashtextextended(p.name || ' ' || p.key, ${LANES}) as lane from (${lanes}) p(name, key) order by 1) l`;

/**
 * Events are placed, begun and ended many at a time. The relay takes the events of a batch in one statement where it took a step of a loop
 * for each; what a worker has to know before it begins comes for all the jobs it has claimed, and their ends are written together.
 */
const step: Step = {
  async up({ sql, application }) {
    await sql(`
      -- Moves what has been committed from the outbox to the queue: scheduled jobs as they are, events once per subscriber.
      create or replace function jobs.relay(most int, own_queue boolean) returns jsonb language plpgsql security definer
        set search_path = pg_catalog ${BY_INDEX} as $$
      declare
        entry record;
        one jsonb;
        handed jsonb[] := '{}';
        delivered jsonb;
        batch bigint[];
      begin
        -- A crash that takes this back takes back all of it: the outbox is then as full as before.
        perform set_config('synchronous_commit', 'off', true), pg_advisory_xact_lock(${RELAY_LOCK});
        -- What commits from here on is the next batch's.
        select array_agg(b.seq) into batch from (select o.seq from public.outbox o where o.relayed_at is null order by o.seq limit most) b;
        if batch is null then return '{"taken": 0, "handed": []}'; end if;
        delete from public.outbox o where o.seq = any(batch) and o.event is not null and not exists (
          select from jobs.definitions d where d.event = o.event and d.seen_at > now() - interval '${FORGOTTEN}');
        ${lockLanes(`
          select o.job, o.organisation_id || ' ' || o.key from public.outbox o
           where o.seq = any(batch) and o.job is not null and o.key is not null
          union all
          select d.name, coalesce(o.entity_id, o.id)::text from public.outbox o
            join jobs.definitions d on d.event = o.event and d.seen_at > now() - interval '${FORGOTTEN}' where o.seq = any(batch)`)};
        for entry in select o.id, o.organisation_id, o.job, o.payload, o.key, o.dedupe, o.run_at, o.created_at
            from public.outbox o where o.seq = any(batch) and o.job is not null order by o.seq loop
          one := jobs.place(entry.id, entry.job, entry.organisation_id, entry.payload,
            entry.organisation_id || ' ' || entry.key, entry.organisation_id || ' ' || entry.dedupe,
            greatest(entry.run_at, entry.created_at),
            coalesce((select d.dedupe from jobs.definitions d where d.name = entry.job), 'start'), null, own_queue);
          if one is not null then handed := handed || one; end if;
        end loop;
        with delivery as materialized (
          select md5(o.id || d.name)::uuid as id, d.name, coalesce(o.entity_id, o.id)::text as key, o.id as event_id, o.organisation_id,
              o.created_at, o.seq, row_number() over (partition by d.name, coalesce(o.entity_id, o.id) order by o.seq) = 1 as leads
            from public.outbox o join jobs.definitions d on d.event = o.event and d.seen_at > now() - interval '${FORGOTTEN}'
           where o.seq = any(batch)
        ), placed as (
          insert into jobs.ordered (id, name, key, event_id, data, run_at, handed_at)
            select v.id, v.name, v.key, v.event_id, jsonb_build_object('id', v.id, 'organisation', v.organisation_id, 'payload', '{}'::jsonb,
                'due', v.created_at, 'key', v.key, 'event', v.event_id), v.created_at,
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

      -- Of these ordered jobs those whose turn it plainly is, each with its event. What has to be written down to begin is jobs.begin's:
      -- a dead one that is tried again, and one whose start lets another of its dedupe text be made.
      create function jobs.turns(job_ids uuid[]) returns jsonb language plpgsql stable security definer
        set search_path = pg_catalog ${BY_INDEX} as $$
      begin
        return (select coalesce(jsonb_object_agg(o.id, case when e.id is not null then jsonb_build_object('id', e.id, 'name', e.event,
            'entityType', e.entity_type, 'entityId', e.entity_id, 'payload', e.payload, 'actorAccountId', e.actor_account_id,
            'requestId', e.request_id, 'occurredAt', to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) end), '{}')
          from unnest(job_ids) w(id) cross join lateral (select o.id, o.seq, o.name, o.key, o.dedupe, o.event_id, o.data, o.handed_at, o.dead_at
              from jobs.ordered o where o.id = w.id offset 0) o
            left join public.outbox e on e.id = o.event_id
         where o.dead_at is null and o.handed_at is not null and o.dedupe is null
           -- Inside an organisation there are only that organisation's jobs.
           and coalesce(o.data ->> 'organisation' = public.current_organisation()::text, true)
           and o.seq = (select b.seq from jobs.ordered b where b.name = o.name and b.key = o.key and b.dead_at is null
             order by b.seq limit 1));
      end $$;

      -- Ends jobs of the queue in this database, with the ordered ones among them, and hands over the next of their lanes.
      create function jobs.finish_all(queued uuid[], ended uuid[]) returns jsonb language plpgsql security definer
        set search_path = pg_catalog ${BY_INDEX} as $$
      declare
        names text[];
        keys text[];
        events uuid[];
        handed jsonb;
      begin
        -- The end of a job is the one thing about it that must survive a crash of the server: lost locks only make it run again.
        perform set_config('synchronous_commit', 'on', true);
        ${lockLanes("select o.name, o.key from unnest(ended) w(id) join jobs.ordered o on o.id = w.id")};
        -- The last subscriber of an event takes it away: they end one after another.
        perform from (select distinct o.event_id from unnest(ended) w(id) join jobs.ordered o on o.id = w.id order by 1) h
          join public.outbox e on e.id = h.event_id for update of e;
        with gone as (delete from jobs.ordered o using unnest(ended) w(id) where o.id = w.id returning o.name, o.key, o.event_id)
          select array_agg(g.name), array_agg(g.key), array_agg(g.event_id) into names, keys, events from gone g;
        delete from public.outbox e using (select distinct u.id from unnest(events) u(id)) h where e.id = h.id
          and (select o.id from jobs.ordered o where o.event_id = e.id limit 1) is null;
        with following as (
          select f.id from (select distinct l.name, l.key from unnest(names, keys) l(name, key)) lane cross join lateral (
            select o.id, o.handed_at from jobs.ordered o where o.name = lane.name and o.key = lane.key and o.dead_at is null
             order by o.seq limit 1) f
           where f.handed_at is null
        ), over as (
          update jobs.ordered o set handed_at = now() from following f where o.id = f.id
            returning o.id, o.name, o.data, greatest(o.run_at, now()) as due
        ), put as (
          insert into jobs.agenda_jobs (id, name, next_run_at, data) select v.id, v.name, v.due, v.data from over v on conflict (id) do nothing
        )
        select coalesce(jsonb_agg(jsonb_build_object('id', v.id, 'name', v.name, 'data', v.data, 'due', v.due)), '[]') into handed from over v;
        delete from jobs.agenda_jobs a using unnest(queued) w(id) where a.id = w.id;
        return handed;
      end $$;

      -- Ordered jobs that stand in a queue which has lost them (an operator removed them) end; a lane whose first was never handed over moves.
      create or replace function jobs.mend(missing uuid[], own_queue boolean) returns jsonb language plpgsql security definer
        set search_path = pg_catalog as $$
      declare
        gone uuid[] := array(select o.id from jobs.ordered o
          where coalesce(o.dead_at, o.handed_at) < now() - interval '30 seconds' and case when own_queue
            then not exists (select from jobs.agenda_jobs a where a.id = o.id) else o.id = any(missing) end limit 1000);
        stuck uuid[] := array(select o.id from jobs.ordered o where o.dead_at is null and o.handed_at is null and not exists (
          select from jobs.ordered e where e.name = o.name and e.key = o.key and e.dead_at is null and e.seq < o.seq) limit 1000);
        lost uuid;
        first jobs.ordered;
        one jsonb;
        handed jsonb[] := '{}';
      begin
        ${lockLanes("select o.name, o.key from jobs.ordered o where o.id = any(gone || stuck)")};
        foreach lost in array gone loop
          one := jobs.finish(lost, false, own_queue);
          if one is not null then handed := handed || one; end if;
        end loop;
        for first in update jobs.ordered o set handed_at = now() where o.id = any(stuck) and o.dead_at is null and o.handed_at is null
            and not exists (select from jobs.ordered e where e.name = o.name and e.key = o.key and e.dead_at is null and e.seq < o.seq)
            returning o.* loop
          handed := handed || jobs.hand(first.id, first.name, first.data, greatest(first.run_at, now()), own_queue);
        end loop;
        return to_jsonb(handed);
      end $$;

      revoke all on all functions in schema jobs from public;
      grant execute on function jobs.turns(uuid[]), jobs.finish_all(uuid[], uuid[]) to ${application};
    `);
  },
};

export default step;

-- Written by `npm run schema -- baseline` from the steps of the schema: the next run replaces it.

-- # extensions, schemas, collations and domains
create extension if not exists btree_gin with schema public;
create extension if not exists pg_trgm with schema public;
create extension if not exists unaccent with schema public;
create schema jobs;
create collation kantoor_text (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
create domain sealed as text constraint sealed_check CHECK ((VALUE ~ '^v1[.][0-9a-f]{8}[.]'::text));
create domain wall_time as text constraint wall_time_check CHECK ((VALUE ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'::text));

-- # functions
CREATE OR REPLACE FUNCTION jobs."analyse"(grown oid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog'
AS $function$
      declare
        one regclass;
      begin
        for one in select c.oid from pg_class c join pg_namespace n on n.oid = c.relnamespace
            where c.oid = any(grown) and c.relkind = 'r' and n.nspname in ('public', 'jobs') loop
          -- A table that is locked is being analysed already, or is about to change its plans.
          execute format('analyze (skip_locked) %s', one);
        end loop;
      end $function$
;
CREATE OR REPLACE FUNCTION jobs.begin(job_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog'
AS $function$
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
      end $function$
;
CREATE OR REPLACE FUNCTION jobs.expire_trials()
 RETURNS integer
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog'
AS $function$
      with ended as (update public.organisations set plan = 'none', updated_at = now()
        where plan = 'trial' and plan_ends_at <= now() returning 1) select count(*)::int from ended $function$
;
CREATE OR REPLACE FUNCTION jobs.fan_out(job_name text, due timestamp with time zone, own_queue boolean)
 RETURNS jsonb
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog'
AS $function$ select jobs.fan_out_to(job_name, due, '{}', own_queue) $function$
;
CREATE OR REPLACE FUNCTION jobs.fan_out(job_name text, due timestamp with time zone, organisations uuid[], own_queue boolean)
 RETURNS jsonb
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog'
AS $function$ select jobs.fan_out(job_name, due, own_queue) $function$
;
CREATE OR REPLACE FUNCTION jobs.fan_out_due(job_name text, moment timestamp with time zone, due_rows text, tables text[], minutes integer, own_queue boolean)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog'
AS $function$
      declare
        chosen text := case when due_rows is null then coalesce((select string_agg(
            format('exists (select from public.%I r where r.organisation_id = o.id)', t.name), ' or ') from unnest(tables) t(name)), 'true')
          else format('o.id in (select jobs.%I())', due_rows) end;
        organisations uuid[];
        organisation uuid;
        milliseconds bigint;
        one jsonb;
        handed jsonb[] := '{}';
      begin
        if due_rows !~ '_due_[0-9a-f]{8}$' then raise exception 'jobs.% chooses no organisations', due_rows; end if;
        insert into jobs.occurrences (name, due) values (job_name, moment) on conflict do nothing;
        if not found then return '[]'; end if;
        execute 'select array(select o.id from public.organisations o where o.status = ''active'' and (' || chosen || ') order by o.id)'
          into organisations;
        milliseconds := case when cardinality(organisations) > 50 then minutes * 60000 else 0 end;
        foreach organisation in array organisations loop
          one := jobs.place(gen_random_uuid(), job_name, organisation, '{}', null, organisation || ' schedule',
            now() + case when milliseconds = 0 then interval '0' else make_interval(secs =>
              (hashtextextended(job_name || organisation, 0) & 9223372036854775807) % milliseconds / 1000.0) end, 'end', null, own_queue);
          if one is not null then handed := handed || one; end if;
        end loop;
        return to_jsonb(handed);
      end $function$
;
CREATE OR REPLACE FUNCTION jobs.fan_out_to(job_name text, due timestamp with time zone, tables text[], own_queue boolean)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog'
AS $function$
      declare
        wanted text := coalesce((select string_agg(
          format('exists (select from public.%I r where r.organisation_id = o.id)', t.name), ' or ') from unnest(tables) t(name)), 'true');
        organisation uuid;
        one jsonb;
        handed jsonb[] := '{}';
      begin
        insert into jobs.occurrences (name, due) values (job_name, due) on conflict do nothing;
        if not found then return '[]'; end if;
        for organisation in execute
            'select o.id from public.organisations o where o.status = ''active'' and (' || wanted || ') order by o.id' loop
          one := jobs.place(gen_random_uuid(), job_name, organisation, '{}', null, organisation || ' schedule', now(), 'end', null, own_queue);
          if one is not null then handed := handed || one; end if;
        end loop;
        return to_jsonb(handed);
      end $function$
;
CREATE OR REPLACE FUNCTION jobs.finish(job_id uuid, is_dead boolean, own_queue boolean)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog'
AS $function$
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
    end $function$
;
CREATE OR REPLACE FUNCTION jobs.finish_all(queued uuid[], ended uuid[])
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_material TO 'off'
 SET enable_memoize TO 'off'
AS $function$
      declare
        names text[];
        keys text[];
        events uuid[];
        handed jsonb;
      begin
        -- The end of a job is the one thing about it that must survive a crash of the server: lost locks only make it run again.
        perform set_config('synchronous_commit', 'on', true);
        perform pg_advisory_xact_lock(l.lane) from (
          select distinct hashtextextended(p.name || ' ' || p.key, 7315044) as lane from (select o.name, o.key from unnest(ended) w(id) join jobs.ordered o on o.id = w.id) p(name, key) order by 1) l;
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
      end $function$
;
CREATE OR REPLACE FUNCTION jobs.forget()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog'
AS $function$
      begin
        delete from jobs.agenda_jobs where ctid = any(array(select ctid from jobs.agenda_jobs where type = 'normal' and locked_at is null and next_run_at is null
          and coalesce(failed_at, last_finished_at, created_at) < now() - interval '30 days' limit 5000 for update skip locked));
        delete from jobs.ordered where ctid = any(array(select ctid from jobs.ordered where dead_at < now() - interval '30 days' limit 5000 for update skip locked));
        delete from public.outbox where ctid = any(array(select ctid from public.outbox where relayed_at < now() - interval '1 day' and not exists (select from jobs.ordered o where o.event_id = public.outbox.id) limit 5000 for update skip locked));
        delete from jobs.occurrences where ctid = any(array(select ctid from jobs.occurrences where made_at < now() - interval '7 days' limit 5000 for update skip locked));
        delete from jobs.definitions where ctid = any(array(select ctid from jobs.definitions where seen_at < now() - interval '30 days' limit 5000 for update skip locked));
        delete from jobs.workers where ctid = any(array(select ctid from jobs.workers where seen_at < now() - interval '180 seconds' limit 5000 for update skip locked));
      end $function$
;
CREATE OR REPLACE FUNCTION jobs.hand(job_id uuid, job_name text, body jsonb, due timestamp with time zone, own_queue boolean)
 RETURNS jsonb
 LANGUAGE plpgsql
AS $function$
    begin
      if own_queue then
        insert into jobs.agenda_jobs (id, name, next_run_at, data) values (job_id, job_name, due, body) on conflict (id) do nothing;
      end if;
      return jsonb_build_object('id', job_id, 'name', job_name, 'data', body, 'due', due);
    end $function$
;
CREATE OR REPLACE FUNCTION jobs.lock_lane(job_name text, lane text)
 RETURNS void
 LANGUAGE sql
AS $function$ select pg_advisory_xact_lock(hashtextextended(job_name || ' ' || lane, 7315044)) $function$
;
CREATE OR REPLACE FUNCTION jobs.mend(missing uuid[], own_queue boolean)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog'
AS $function$
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
        perform pg_advisory_xact_lock(l.lane) from (
          select distinct hashtextextended(p.name || ' ' || p.key, 7315044) as lane from (select o.name, o.key from jobs.ordered o where o.id = any(gone || stuck)) p(name, key) order by 1) l;
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
      end $function$
;
CREATE OR REPLACE FUNCTION jobs.outbox_backlog(OUT waiting bigint, OUT oldest_seconds double precision)
 RETURNS record
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog'
AS $function$
        select count(*), coalesce(extract(epoch from now() - min(w.created_at)), 0)::float8
          from (select o.created_at from public.outbox o where o.relayed_at is null order by o.seq limit 100000) w
      $function$
;
CREATE OR REPLACE FUNCTION jobs.place(job_id uuid, job_name text, organisation uuid, payload jsonb, lane text, once text, due timestamp with time zone, until text, of_event uuid, own_queue boolean, trace text DEFAULT NULL::text, by_clock boolean DEFAULT false)
 RETURNS jsonb
 LANGUAGE plpgsql
AS $function$
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
    end $function$
;
CREATE OR REPLACE FUNCTION jobs.queue_backlog()
 RETURNS TABLE(name text, waiting bigint, oldest_seconds double precision, dead bigint)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog'
AS $function$
        select q.name::text, count(*) filter (where not q.is_dead),
               coalesce(extract(epoch from now() - min(q.at) filter (where not q.is_dead)), 0)::float8, count(*) filter (where q.is_dead)
          from ((select j.name, j.next_run_at as at, false as is_dead from jobs.agenda_jobs j
                  where j.next_run_at <= now() and j.locked_at is null and not j.disabled order by j.next_run_at limit 100000)
                union all
                (select j.name, j.failed_at, true from jobs.agenda_jobs j
                  where j.failed_at is not null and j.next_run_at is null and j.locked_at is null limit 100000)) q
         group by q.name
      $function$
;
CREATE OR REPLACE FUNCTION jobs.relay(most integer, own_queue boolean)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_material TO 'off'
 SET enable_memoize TO 'off'
AS $function$
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
      end $function$
;
CREATE OR REPLACE FUNCTION public.bump_access(organisation uuid)
 RETURNS void
 LANGUAGE sql
AS $function$update organisations set access_revision = access_revision + 1 where id = organisation$function$
;
CREATE OR REPLACE FUNCTION public.bump_access_of_everyone()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public'
AS $function$
      begin
        update organisations set access_revision = access_revision + 1;
        return null;
      end $function$
;
CREATE OR REPLACE FUNCTION public.bump_access_of_organisation()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        new.access_revision := old.access_revision + 1;
        return new;
      end $function$
;
CREATE OR REPLACE FUNCTION public.bump_access_of_row()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public'
AS $function$
      begin
        if tg_op <> 'INSERT' then perform bump_access(old.organisation_id); end if;
        if tg_op <> 'DELETE' and (tg_op = 'INSERT' or new.organisation_id <> old.organisation_id) then
          perform bump_access(new.organisation_id);
        end if;
        return null;
      end $function$
;
CREATE OR REPLACE FUNCTION public.client_of_work(organisation uuid, company uuid, project uuid, task uuid)
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'public'
AS $function$
      declare
        client uuid := company;
        parent record;
      begin
        if client is null and project is not null then
          select p.company_id into client from projects p where p.organisation_id = organisation and p.id = project;
          if not found then client := gone_client(organisation, 'project', project); end if;
        end if;
        if client is null and task is not null then
          select t.company_id, t.project_id into parent from tasks t where t.organisation_id = organisation and t.id = task;
          client := case when found then client_of_work(organisation, parent.company_id, parent.project_id, null)
            else gone_client(organisation, 'task', task) end;
        end if;
        return client;
      end $function$
;
CREATE OR REPLACE FUNCTION public.companies_of_member(account uuid)
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE
AS $function$
        select c from member_access m, selected_companies(m.sources) c
         where m.organisation_id = current_organisation() and m.account_id = account $function$
;
CREATE OR REPLACE FUNCTION public.company_keys(name text, legal_name text, website text, phone text, invoice_email text, vat_number text, coc_number text)
 RETURNS TABLE(kind text, key text)
 LANGUAGE sql
 STABLE PARALLEL SAFE
 SET search_path TO 'public'
AS $function$
    select distinct m.kind, left(m.key, 400) from (
      select 'name', match_name(name) union all select 'name', match_name(legal_name)
      union all select 'domain', match_host(website)
      union all select 'vat_number', match_number(vat_number) union all select 'coc_number', match_number(coc_number)
      union all select 'phone', match_phone(phone)
      union all select p.kind, p.key from regexp_split_to_table(invoice_email, '[,;[:space:]]+') a(address)
        cross join lateral (values ('email', nullif(lower(a.address), '')), ('domain', match_host(split_part(a.address, '@', 2)))) p(kind, key)
    ) m(kind, key) where m.key is not null
  $function$
;
CREATE OR REPLACE FUNCTION public.contact_keys(first_name text, last_name text, email text, phone text)
 RETURNS TABLE(kind text, key text)
 LANGUAGE sql
 STABLE PARALLEL SAFE
 SET search_path TO 'public'
AS $function$
    select distinct m.kind, left(m.key, 400) from (
      select 'name', case when last_name is not null then match_name(first_name || ' ' || last_name) end
      union all select 'email', lower(email) union all select 'phone', match_phone(phone)
    ) m(kind, key) where m.key is not null
  $function$
;
CREATE OR REPLACE FUNCTION public.count_change_of_row()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      new.version := old.version + 1;
      new.updated_at := statement_timestamp();
      return new;
    end $function$
;
CREATE OR REPLACE FUNCTION public.count_cleared_reference()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      new.version := old.version + 1;
      new.updated_at := statement_timestamp();
      return new;
    end $function$
;
CREATE OR REPLACE FUNCTION public.count_emptied()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        insert into public.count_changes (organisation_id, list, key, rows)
          select organisation_id, list, key, -sum(rows) from (
            select organisation_id, list, key, rows from public.kept_counts where list = tg_table_name
            union all select organisation_id, list, key, rows from public.count_changes where list = tg_table_name) counted
          group by 1, 2, 3 having sum(rows) <> 0;
        return null;
      end $function$
;
CREATE OR REPLACE FUNCTION public.current_organisation()
 RETURNS uuid
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$ select nullif(current_setting('app.organisation_id', true), '')::uuid $function$
;
CREATE OR REPLACE FUNCTION public.enter_organisation(organisation uuid, revision bigint, read_only boolean)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public'
AS $function$
      begin
        if revision is not null and not exists (select 1 from organisations o where o.id = organisation and o.access_revision = revision) then
          raise exception 'access has changed' using errcode = 'KT001';
        end if;
        perform set_config('app.organisation_id', organisation::text, true);
        if read_only then perform set_config('transaction_read_only', 'on', true); end if;
      end $function$
;
CREATE OR REPLACE FUNCTION public.fold_counts()
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public'
AS $function$
      declare
        folded bigint := 0;
      begin
        if pg_try_advisory_xact_lock(hashtextextended('fold_counts', 0)) then
          with gone as (delete from count_changes returning organisation_id, list, key, rows),
          summed as materialized (select organisation_id, list, key, sum(rows)::bigint as rows, count(*) as changes from gone group by 1, 2, 3),
          sums as (select s.organisation_id, s.list, s.key, s.rows, coalesce(k.rows, 0) + s.rows = 0 as is_empty from summed s
            left join kept_counts k on k.organisation_id = s.organisation_id and k.list = s.list and k.key = s.key),
          emptied as (delete from kept_counts k using sums s
            where s.is_empty and k.organisation_id = s.organisation_id and k.list = s.list and k.key = s.key),
          kept as (insert into kept_counts as k (organisation_id, list, key, rows)
            select organisation_id, list, key, rows from sums where not is_empty and rows <> 0
            on conflict (organisation_id, list, key) do update set rows = k.rows + excluded.rows)
          select coalesce(sum(changes), 0)::bigint into folded from summed;
        end if;
        return folded;
      end $function$
;
CREATE OR REPLACE FUNCTION public.folded(value text)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
        select lower(public.unaccent('public.unaccent', normalize(value, NFKC)) collate "und-x-icu") $function$
;
CREATE OR REPLACE FUNCTION public.folded_words(words text[])
 RETURNS text[]
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
        select array(select f.word from (select distinct public.folded(w) as word from unnest(words) w) f
          order by char_length(f.word) desc, f.word) $function$
;
CREATE OR REPLACE FUNCTION public.gone_client(organisation uuid, kind text, gone uuid)
 RETURNS uuid
 LANGUAGE sql
 STABLE
 SET search_path TO 'public'
AS $function$
        select g.companies[1] from gone_rows g
         where g.organisation_id = organisation and g.entity_type = kind and g.entity_id = gone and g.reason = 'deleted'
         order by g.gone_at desc limit 1 $function$
;
CREATE OR REPLACE FUNCTION public.kept_mails(administrator_session uuid, wanted uuid)
 RETURNS TABLE(mail jsonb, organisation jsonb)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public'
AS $function$
        select to_jsonb(m), to_jsonb(o) from mails m join organisations o on o.id = m.organisation_id
         where m.status = 'kept' and m.created_at > now() - interval '24 hours' and o.status <> 'deleted' and (wanted is null or m.id = wanted)
           and exists (select from sessions s
             join accounts a on a.id = s.account_id and a.is_active and a.is_superuser
             join memberships b on b.organisation_id = s.organisation_id and b.account_id = s.account_id and b.deactivated_at is null
            where s.organisation_id = current_organisation() and s.id = administrator_session and s.ended_at is null and s.expires_at > now())
         order by m.created_at desc, m.id desc limit 200 $function$
;
CREATE OR REPLACE FUNCTION public.link_lost_by_deletion()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        execute format('update %I t set version = t.version + 1, updated_at = statement_timestamp()
          from (select distinct organisation_id, %2$I as id from gone) g where t.organisation_id = g.organisation_id and t.id = g.id',
          tg_argv[0], tg_argv[1]);
        return null;
      end $function$
;
CREATE OR REPLACE FUNCTION public.match_host(address text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog'
AS $function$
    select h.host from (select regexp_replace(regexp_replace(lower(address), '^[a-z]+://', ''), '^www[.]|[/:?#].*$', '', 'g') as host) h
     where h.host ~ '^[^@[:space:]]+[.][^@[:space:]]+$' and h.host <> all ('{gmail.com,googlemail.com,hotmail.com,hotmail.nl,outlook.com,live.com,live.nl,msn.com,icloud.com,me.com,mac.com,yahoo.com,ziggo.nl,kpnmail.nl,kpnplanet.nl,planet.nl,home.nl,hetnet.nl,casema.nl,xs4all.nl,chello.nl,upcmail.nl,telfort.nl,telenet.be,skynet.be,proton.me,protonmail.com,gmx.de,gmx.net,web.de,t-online.de,facebook.com,instagram.com,linkedin.com,linktr.ee,sites.google.com}')
  $function$
;
CREATE OR REPLACE FUNCTION public.match_name(name text)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
 SET search_path TO 'public'
AS $function$
    select nullif(replace(coalesce(nullif(trim(regexp_replace(' ' || t.words || ' ', '\s(?:bv|nv|vof|cv|gmbh|mbh|ag|kg|ohg|ug|ltd|limited|llc|llp|plc|inc|incorporated|corp|sa|sas|sarl|srl|spa|bvba|sprl|oy|ab|as|aps)(?=\s)', ' ', 'g')), ''), t.words), ' ', ''), '')
      from (select trim(regexp_replace(replace(folded(name), '.', ''), '[^[:alnum:]]+', ' ', 'g')) as words) t
  $function$
;
CREATE OR REPLACE FUNCTION public.match_number(number text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog'
AS $function$
    select n.key from (select regexp_replace(regexp_replace(upper(number), '[^A-Z0-9]', '', 'g'), '^[A-Z]{2}(?=[0-9])', '') as key) n
     where length(n.key) >= 6 and n.key !~ '^0*$'
  $function$
;
CREATE OR REPLACE FUNCTION public.match_phone(phone text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog'
AS $function$
    select right(d.digits, 9) from (select regexp_replace(phone, '[^0-9]', '', 'g') as digits) d where length(d.digits) >= 9
  $function$
;
CREATE OR REPLACE FUNCTION public.message_key(header text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
        select nullif(case when position('@' in bare) = 0 then bare
            else regexp_replace(bare, '@[^@]*$', '') || lower(substring(bare from '@[^@]*$')) end, '')
          from (select btrim(header, E' \t\r\n<>') as bare) b $function$
;
CREATE OR REPLACE FUNCTION public.move_work_below(organisation uuid, project uuid, below uuid[], inherited jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'public'
AS $function$
      declare
        of_kind text;
        of_table text;
        found uuid[];
      begin
        for of_kind, of_table in values ('interaction', 'interactions'), ('time_entry', 'time_entries') loop
          execute format('select array(select t.id from %I t
            where t.organisation_id = $1 and t.company_id is null and (t.project_id = $2 or t.task_id = any($3)
              and not exists (select 1 from projects p where p.organisation_id = $1 and p.id = t.project_id and p.company_id is not null)))',
            of_table) into found using organisation, project, below;
          continue when found = '{}';
          execute format('select note_gone($3, to_jsonb(t) || $4, ''left_view'') from %I t where t.organisation_id = $1 and t.id = any($2)', of_table)
            using organisation, found, of_kind, inherited;
          execute format('update %I t set version = t.version + 1, updated_at = statement_timestamp()
            where t.organisation_id = $1 and t.id = any($2)', of_table) using organisation, found;
        end loop;
      end $function$
;
CREATE OR REPLACE FUNCTION public.moved_by_deletion()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        new.version := old.version + 1;
        new.updated_at := statement_timestamp();
        return new;
      end $function$
;
CREATE OR REPLACE FUNCTION public.note_deleted()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public'
AS $function$
      begin
        perform note_gone(tg_argv[0], to_jsonb(old), 'deleted');
        return old;
      end $function$
;
CREATE OR REPLACE FUNCTION public.note_gone(kind text, r jsonb, why text)
 RETURNS void
 LANGUAGE sql
 SET search_path TO 'public'
AS $function$
        insert into gone_rows (organisation_id, entity_type, entity_id, reason, companies, for_clients, needs, persons)
          select o.id, kind, (r ->> 'id')::uuid, why, a.companies, a.for_clients, a.needs, a.persons
            from organisations o, row_audience(kind, r) a where o.id = (r ->> 'organisation_id')::uuid $function$
;
CREATE OR REPLACE FUNCTION public.note_left_view()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public'
AS $function$
      begin
        if row_audience(tg_argv[0], to_jsonb(old)) is distinct from row_audience(tg_argv[0], to_jsonb(new)) then
          perform note_gone(tg_argv[0], to_jsonb(old), 'left_view');
        end if;
        return null;
      end $function$
;
CREATE OR REPLACE FUNCTION public.note_selection(organisation uuid, source uuid, company uuid, gained boolean)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'public'
AS $function$
      begin
        if not exists (select 1 from organisations o where o.id = organisation) then return; end if;
        if gained or exists (select 1 from companies c where c.organisation_id = organisation and c.id = company) then
          insert into selection_moves (organisation_id, source_id, moved_at) values (organisation, source, statement_timestamp())
            on conflict (organisation_id, source_id) do update set moved_at = excluded.moved_at
              where selection_moves.moved_at < excluded.moved_at;
        else
          -- The deletion of the client ends no copy: GET /deleted returns what its readers lost.
          insert into former_selections (organisation_id, source_id, company_id) values (organisation, source, company)
            on conflict (organisation_id, source_id, company_id) do update set gone_at = excluded.gone_at;
        end if;
      end $function$
;
CREATE OR REPLACE FUNCTION public.organisation_date(organisation uuid, instant timestamp with time zone)
 RETURNS date
 LANGUAGE plpgsql
 STABLE
AS $function$
      declare
        zone text;
      begin
        select o.timezone into zone from organisations o where o.id = organisation;
        return (instant at time zone coalesce(zone, 'Europe/Amsterdam'))::date;
      exception when invalid_parameter_value then
        return (instant at time zone 'Europe/Amsterdam')::date;
      end $function$
;
CREATE OR REPLACE FUNCTION public.organisation_today()
 RETURNS date
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'public'
AS $function$
    declare
      own uuid := current_organisation();
    begin
      return (select (statement_timestamp() at time zone o.timezone)::date from organisations o where o.id = own);
    exception when invalid_parameter_value then
      return (statement_timestamp() at time zone 'Europe/Amsterdam')::date;
    end $function$
;
CREATE OR REPLACE FUNCTION public.registers_of(organisation uuid, domain uuid, domain_name text)
 RETURNS TABLE(held_by_edge boolean, held_by_registrar boolean, expires_on date)
 LANGUAGE sql
 STABLE
AS $function$
        select coalesce(bool_or(l.edge), false), coalesce(bool_or(l.registrar), false), max(l.expires_on) from (
        select h.at_provider, false, (h.expires_at at time zone 'UTC')::date
          from edge_registrations h where h.organisation_id = organisation and not h.gone and (h.domain_id = domain or h.name = domain_name) union all
        select false, true, h.expires_on
          from registrar_domains h where h.organisation_id = organisation and h.registry_status is distinct from 'gone' and (h.domain_id = domain or h.name = domain_name)) l (edge, registrar, expires_on) $function$
;
CREATE OR REPLACE FUNCTION public.row_audience(kind text, r jsonb, OUT companies uuid[], OUT for_clients boolean, OUT needs text, OUT persons uuid[])
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'public'
AS $function$
      declare
        organisation uuid := (r ->> 'organisation_id')::uuid;
        row_id uuid := (r ->> 'id')::uuid;
        client uuid := (r ->> 'company_id')::uuid;
        -- A client that no row has, for rows that no selection includes.
        none constant uuid[] := array['00000000-0000-0000-0000-000000000000'::uuid];
      begin
        for_clients := true;
        persons := '{}';
        if kind = 'company' then companies := array[row_id];
        elsif kind = 'contact' then
          companies := case when (r ->> 'linked')::boolean then array(select l.company_id from contact_links l
            where l.organisation_id = organisation and l.contact_id = row_id order by l.company_id) else '{}' end;
          for_clients := companies <> '{}';
        elsif kind in ('ads_account', 'hosting', 'uptime_monitor') then
          companies := case when client is null then '{}' else array[client] end;
          if kind = 'uptime_monitor' then
            needs := 'uptime.monitor.read:any';
            persons := array(select a.account_id from company_assignees a
              where a.organisation_id = organisation and a.company_id = client order by a.account_id);
          end if;
        elsif kind in ('domain', 'marketing_link', 'subscription', 'website') then companies := case when client is null then none else array[client] end;
        elsif kind in ('invoice', 'quote') then
          companies := case when client is null then none else array[client] end;
          for_clients := kind = 'quote' or r ->> 'status' <> 'draft';
        elsif kind = 'ai_report' then
          companies := case when client is null then none else array[client] end;
          for_clients := false;
        elsif kind = 'report' then
          companies := case when client is null then none else array[client] end;
          needs := case when r ->> 'audience' <> 'client' then 'reporting.internal.read' end;
          for_clients := needs is null and r ->> 'published_at' is not null and not exists (select 1 from reports n
            where n.organisation_id = organisation and n.company_id = client and n.audience = r ->> 'audience'
              and n.period_start = (r ->> 'period_start')::date and n.published_at is not null and n.revision > (r ->> 'revision')::int);
        elsif kind = 'project' then
          companies := case when client is null then '{}' else array[client] end;
          for_clients := client is not null;
        elsif kind in ('task', 'interaction', 'time_entry') then
          for_clients := kind <> 'interaction' or client is not null and not r ? 'inherited';
          client := client_of_work(organisation, client, (r ->> 'project_id')::uuid, (r ->> 'task_id')::uuid);
          companies := case when client is null then '{}' else array[client] end;
          for_clients := for_clients and client is not null and (kind <> 'task' or (r ->> 'visible_to_client')::boolean);
          if kind = 'time_entry' and not r ? 'inherited' and coalesce(r ->> 'company_id', r ->> 'project_id', r ->> 'task_id') is null then
            needs := 'time.entry.read:any';
            persons := array[(r ->> 'user_id')::uuid];
          elsif kind = 'interaction' and r ->> 'status' <> 'logged' then
            -- No permission opens a moment that waits for its owner.
            needs := '';
            persons := array_remove(array[(r ->> 'owner_account_id')::uuid], null);
          end if;
        elsif kind = 'edge_zone' and r ->> 'domain_id' is not null then
          select array[d.company_id] into companies from domains d where d.organisation_id = organisation and d.id = (r ->> 'domain_id')::uuid;
          if companies is null then
            client := gone_client(organisation, 'domain', (r ->> 'domain_id')::uuid);
            companies := case when client is null then none else array[client] end;
          end if;
        elsif kind = 'edge_zone' then companies := '{}';
        elsif kind = 'leave_request' then
          needs := 'leave.request.read:any';
          persons := array[(r ->> 'user_id')::uuid];
        end if;
      end $function$
;
CREATE OR REPLACE FUNCTION public.schedule_due_acts()
 RETURNS integer
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public'
AS $function$
        delete from outside_acts where ctid = any(array(select ctid from outside_acts where created_at < now() - interval '7 days' limit 5000 for update skip locked));
        with due as (
          insert into outbox (id, organisation_id, job, payload, dedupe)
          select gen_random_uuid(), o.id, 'jobs.record-acts', '{}', 'schedule' from organisations o
           where o.status = 'active' and o.id in (select a.organisation_id from outside_acts a where a.due_at <= now())
          returning 1)
        select count(*)::int from due $function$
;
CREATE OR REPLACE FUNCTION public.selected_companies(sources uuid[])
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE
AS $function$
        select company_id from company_group_companies where organisation_id = current_organisation() and group_id = any(sources)
        union all
        select company_id from contact_links where organisation_id = current_organisation() and contact_id = any(sources)
        union all
        select c from companies_of_impersonation(sources[2]) c where sources[1] = 'ffffffff-ffff-ffff-ffff-ffffffffffff' $function$
;
CREATE OR REPLACE FUNCTION public.word_patterns(words text[])
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
        select array(select '%' || regexp_replace(w.word, '([\\%_])', '\\\1', 'g') || '%'
          from unnest(words) with ordinality w(word, place) order by w.place) $function$
;

-- # tables
create table caller_views (
  organisation_id uuid not null,
  caller text not null,
  digest text not null,
  holds_since timestamp with time zone not null
);
create table count_changes (
  organisation_id uuid not null,
  list text collate "C" not null,
  key text collate "C" not null,
  change bigint generated always as identity not null,
  rows bigint not null
);
create table idempotency_keys (
  organisation_id uuid not null,
  principal_id uuid not null,
  path text not null,
  key text not null,
  body_hash bytea not null,
  status integer,
  body text,
  headers jsonb,
  row_id text,
  created_at timestamp with time zone default statement_timestamp() not null,
  work_id uuid,
  held_until timestamp with time zone
);
create table installation (
  only_row boolean default true not null,
  id uuid default gen_random_uuid() not null,
  installed_at timestamp with time zone default statement_timestamp() not null,
  latest_version text,
  latest_release_url text,
  latest_checked_at timestamp with time zone,
  constraint installation_only_row_check CHECK (only_row)
);
create table jobs.agenda_jobs (
  id uuid default gen_random_uuid() not null,
  name character varying(255) not null,
  priority integer default 0 not null,
  next_run_at timestamp with time zone,
  type character varying(10) default 'normal'::character varying not null,
  locked_at timestamp with time zone,
  last_finished_at timestamp with time zone,
  failed_at timestamp with time zone,
  fail_count integer,
  fail_reason text,
  repeat_timezone character varying(100),
  last_run_at timestamp with time zone,
  repeat_interval character varying(255),
  data jsonb default '{}'::jsonb,
  repeat_at character varying(255),
  disabled boolean default false,
  progress real,
  fork boolean default false,
  last_modified_by character varying(255),
  debounce_started_at timestamp with time zone,
  start_date timestamp with time zone,
  end_date timestamp with time zone,
  skip_days jsonb,
  created_at timestamp with time zone default now(),
  updated_at timestamp with time zone default now(),
  constraint agenda_jobs_type_check CHECK (((type) in ('normal', 'single')))
) with (fillfactor=60, autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=500);
create table jobs.definitions (
  name text not null,
  service text not null,
  event text,
  dedupe text default 'start'::text not null,
  facts jsonb default '{}'::jsonb not null,
  seen_at timestamp with time zone default statement_timestamp() not null,
  constraint definitions_dedupe_check CHECK ((dedupe = ANY (ARRAY['start'::text, 'end'::text])))
);
create table jobs.leases (
  name text not null,
  node text not null,
  ends_at timestamp with time zone not null
);
create table jobs.occurrences (
  name text not null,
  due timestamp with time zone not null,
  made_at timestamp with time zone default statement_timestamp() not null
);
create table jobs.ordered (
  seq bigint generated by default as identity not null,
  id uuid not null,
  name text not null,
  key text not null,
  dedupe text,
  event_id uuid,
  data jsonb not null,
  run_at timestamp with time zone not null,
  handed_at timestamp with time zone,
  started_at timestamp with time zone,
  dead_at timestamp with time zone
) with (fillfactor=70, autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=500);
create table jobs.shipped_permissions (
  permission text not null
);
create table jobs.workers (
  node text not null,
  seen_at timestamp with time zone default statement_timestamp() not null,
  beat_at timestamp with time zone,
  figures jsonb default '{}'::jsonb not null
);
create table kept_counts (
  organisation_id uuid not null,
  list text collate "C" not null,
  key text collate "C" not null,
  rows bigint not null
) with (fillfactor=70);
create table organisation_domains (
  id uuid default gen_random_uuid() not null,
  organisation_id uuid not null,
  hostname text not null,
  verified_at timestamp with time zone,
  created_at timestamp with time zone default statement_timestamp() not null,
  constraint organisation_domains_hostname_check CHECK ((hostname = lower(hostname)))
);
create table organisations (
  id uuid default gen_random_uuid() not null,
  slug text not null,
  name text not null,
  status text default 'active'::text not null,
  locale text default 'nl'::text not null,
  timezone text default 'Europe/Amsterdam'::text not null,
  currency text default 'EUR'::text not null,
  country text default 'NL'::text not null,
  enabled_modules text[] default '{}'::text[] not null,
  plan text default 'trial'::text not null,
  plan_ends_at timestamp with time zone,
  access_revision bigint default 1 not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  brand_name text,
  logo_url text,
  primary_color text,
  instance_mail boolean default true not null,
  icon_url text,
  accent_color text,
  sso_enforced boolean default false not null,
  constraint organisations_accent_color_check CHECK ((accent_color ~ '^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$'::text)),
  constraint organisations_brand_name_check CHECK ((brand_name <> ''::text)),
  constraint organisations_name_check CHECK ((name <> ''::text)),
  constraint organisations_plan_check CHECK ((plan = ANY (ARRAY['trial'::text, 'standard'::text, 'unlimited'::text, 'none'::text]))),
  constraint organisations_primary_color_check CHECK ((primary_color ~ '^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$'::text)),
  constraint organisations_slug_check CHECK ((slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'::text)),
  constraint organisations_status_check CHECK ((status = ANY (ARRAY['active'::text, 'suspended'::text, 'deleted'::text])))
);
create table outbox (
  id uuid not null,
  organisation_id uuid not null,
  event text,
  entity_type text,
  entity_id uuid,
  payload jsonb not null,
  actor_account_id uuid,
  request_id text,
  created_at timestamp with time zone default statement_timestamp() not null,
  seq bigint generated always as identity not null,
  job text,
  key text,
  dedupe text,
  run_at timestamp with time zone,
  relayed_at timestamp with time zone,
  traceparent text,
  by_clock boolean default false not null,
  constraint outbox_kind CHECK ((num_nonnulls(event, job) = 1))
);
create table outside_acts (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  action text not null,
  content sealed not null,
  due_at timestamp with time zone,
  attempts integer default 0 not null
);
create table product_licences (
  module text not null,
  expires_at timestamp with time zone not null,
  grace_days integer default 0 not null,
  constraint product_licences_grace_days_check CHECK ((grace_days >= 0))
);
create unlogged table provider_paces (
  bucket text not null,
  slots timestamp with time zone[] not null
);
create table provider_troubles (
  provider text not null,
  account text not null,
  failures integer default 0 not null,
  closed_until timestamp with time zone,
  paused_until timestamp with time zone,
  last_failure text not null,
  last_status integer,
  since timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null
);
create table rate_windows (
  bucket text not null,
  minute bigint not null,
  used bigint not null
);
create table selection_moves (
  organisation_id uuid not null,
  source_id uuid not null,
  moved_at timestamp with time zone not null
);

-- # functions of rows
CREATE OR REPLACE FUNCTION jobs.organisations(one uuid)
 RETURNS SETOF organisations
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog'
AS $function$ select * from public.organisations o where o.id = one and o.status <> 'deleted' $function$
;
CREATE OR REPLACE FUNCTION public.resolve_host(host text, slug_of_host text)
 RETURNS SETOF organisations
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public'
AS $function$
        (select o.* from organisation_domains d join organisations o on o.id = d.organisation_id
          where d.hostname = host and d.verified_at is not null and o.status <> 'deleted')
        union all
        (select o.* from organisations o where o.slug = slug_of_host and o.status <> 'deleted')
        limit 1 $function$
;

-- # keys and indexes
alter table caller_views add constraint caller_views_pkey PRIMARY KEY (organisation_id, caller);
alter table count_changes add constraint count_changes_pkey PRIMARY KEY (organisation_id, list, key, change);
alter table idempotency_keys add constraint idempotency_keys_pkey PRIMARY KEY (organisation_id, principal_id, path, key);
CREATE INDEX idempotency_keys_created_at_idx ON public.idempotency_keys USING btree (created_at);
alter table installation add constraint installation_pkey PRIMARY KEY (only_row);
alter table jobs.agenda_jobs add constraint agenda_jobs_pkey PRIMARY KEY (id);
CREATE INDEX agenda_jobs_find_and_lock_idx ON jobs.agenda_jobs USING btree (name, next_run_at, priority DESC) WHERE ((NOT disabled) AND (locked_at IS NULL));
CREATE UNIQUE INDEX agenda_jobs_single_job_idx ON jobs.agenda_jobs USING btree (name) WHERE ((type)::text = 'single'::text);
CREATE INDEX agenda_jobs_locked_at_idx ON jobs.agenda_jobs USING btree (name, locked_at) WHERE (locked_at IS NOT NULL);
CREATE INDEX agenda_jobs_next_run_at_idx ON jobs.agenda_jobs USING btree (next_run_at) WHERE (next_run_at IS NOT NULL);
CREATE INDEX agenda_jobs_dedupe_idx ON jobs.agenda_jobs USING btree (name, ((data ->> 'dedupe'::text))) WHERE (data ? 'dedupe'::text);
CREATE INDEX agenda_jobs_failed_idx ON jobs.agenda_jobs USING btree (failed_at) WHERE (failed_at IS NOT NULL);
CREATE INDEX agenda_jobs_awaited_idx ON jobs.agenda_jobs USING btree (name, next_run_at) WHERE ((NOT disabled) AND (locked_at IS NULL) AND (NOT (data ? 'clock'::text)));
alter table jobs.definitions add constraint definitions_pkey PRIMARY KEY (name);
CREATE INDEX definitions_event ON jobs.definitions USING btree (event) WHERE (event IS NOT NULL);
alter table jobs.leases add constraint leases_pkey PRIMARY KEY (name);
alter table jobs.occurrences add constraint occurrences_pkey PRIMARY KEY (name, due);
alter table jobs.ordered add constraint ordered_pkey PRIMARY KEY (seq);
alter table jobs.ordered add constraint ordered_id_key UNIQUE (id);
CREATE INDEX ordered_lane ON jobs.ordered USING btree (name, key, seq) WHERE (dead_at IS NULL);
CREATE INDEX ordered_event ON jobs.ordered USING btree (event_id) WHERE (event_id IS NOT NULL);
CREATE INDEX ordered_handed ON jobs.ordered USING btree (handed_at) WHERE (dead_at IS NULL);
alter table jobs.shipped_permissions add constraint shipped_permissions_pkey PRIMARY KEY (permission);
alter table jobs.workers add constraint workers_pkey PRIMARY KEY (node);
alter table kept_counts add constraint kept_counts_pkey PRIMARY KEY (organisation_id, list, key);
alter table organisation_domains add constraint organisation_domains_pkey PRIMARY KEY (id);
alter table organisation_domains add constraint organisation_domains_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE UNIQUE INDEX organisation_domains_verified ON public.organisation_domains USING btree (hostname) WHERE (verified_at IS NOT NULL);
alter table organisations add constraint organisations_pkey PRIMARY KEY (id);
alter table organisations add constraint organisations_slug_key UNIQUE (slug);
alter table outbox add constraint outbox_pkey PRIMARY KEY (id);
alter table outbox add constraint outbox_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE UNIQUE INDEX outbox_order ON public.outbox USING btree (seq);
CREATE INDEX outbox_waiting ON public.outbox USING btree (seq) WHERE (relayed_at IS NULL);
CREATE INDEX outbox_relayed ON public.outbox USING btree (relayed_at) WHERE (relayed_at IS NOT NULL);
alter table outside_acts add constraint outside_acts_pkey PRIMARY KEY (id);
alter table outside_acts add constraint outside_acts_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE INDEX outside_acts_due_at_idx ON public.outside_acts USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX outside_acts_organisation_id_due_at_idx ON public.outside_acts USING btree (organisation_id, due_at);
CREATE INDEX outside_acts_created_at_idx ON public.outside_acts USING btree (created_at);
alter table product_licences add constraint product_licences_pkey PRIMARY KEY (module);
alter table provider_paces add constraint provider_paces_pkey PRIMARY KEY (bucket);
alter table provider_troubles add constraint provider_troubles_pkey PRIMARY KEY (provider, account);
alter table rate_windows add constraint rate_windows_pkey PRIMARY KEY (bucket, minute);
alter table selection_moves add constraint selection_moves_pkey PRIMARY KEY (organisation_id, source_id);

-- # views
create view member_access with (security_invoker=true) as
 SELECT m.organisation_id,
    m.id AS membership_id,
    m.account_id,
    p.id AS contact_id,
    ((m.deactivated_at IS NULL) AND a.is_active) AS is_live,
    held.grants,
    held.is_client,
    held.sources,
        CASE
            WHEN (held.is_owner OR ((held.sources = '{}'::uuid[]) AND (NOT held.is_client))) THEN NULL::uuid[]
            ELSE held.sources
        END AS selection
   FROM (((memberships m
     JOIN accounts a ON ((a.id = m.account_id)))
     LEFT JOIN contacts p ON (((p.organisation_id = m.organisation_id) AND (p.account_id = m.account_id))))
     CROSS JOIN LATERAL ( SELECT ARRAY( SELECT g.g
                   FROM ((membership_roles mr
                     JOIN roles r ON (((r.organisation_id = mr.organisation_id) AND (r.id = mr.role_id))))
                     CROSS JOIN LATERAL unnest(r.permissions) g(g))
                  WHERE ((mr.organisation_id = m.organisation_id) AND (mr.membership_id = m.id))) AS grants,
            (EXISTS ( SELECT
                   FROM members_holding(m.organisation_id, ARRAY['*'::text]) h(h)
                  WHERE (h.h = m.id))) AS is_owner,
            ((p.id IS NOT NULL) OR (EXISTS ( SELECT
                   FROM (membership_roles mr
                     JOIN roles r ON (((r.organisation_id = mr.organisation_id) AND (r.id = mr.role_id))))
                  WHERE ((mr.organisation_id = m.organisation_id) AND (mr.membership_id = m.id) AND r.is_system AND (r.key = 'client'::text))))) AS is_client,
            (ARRAY( SELECT gm.group_id
                   FROM company_group_memberships gm
                  WHERE ((gm.organisation_id = m.organisation_id) AND (gm.membership_id = m.id))) || array_remove(ARRAY[p.id], NULL::uuid)) AS sources
         OFFSET 0) held);

-- # references
alter table organisation_domains add constraint organisation_domains_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table memberships add constraint memberships_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table roles add constraint roles_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table membership_roles add constraint membership_roles_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table sessions add constraint sessions_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table service_accounts add constraint service_accounts_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table api_keys add constraint api_keys_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table access_audit add constraint access_audit_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table company_groups add constraint company_groups_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table company_group_companies add constraint company_group_companies_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table company_group_memberships add constraint company_group_memberships_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table company_settings add constraint company_settings_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table contact_types add constraint contact_types_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table custom_field_definitions add constraint custom_field_definitions_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table email_settings add constraint email_settings_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table email_templates add constraint email_templates_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table leave_types add constraint leave_types_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table leave_types_seeded add constraint leave_types_seeded_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table leave_settings add constraint leave_settings_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table leave_profiles add constraint leave_profiles_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table leave_contracts add constraint leave_contracts_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table leave_contracted add constraint leave_contracted_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table leave_holidays add constraint leave_holidays_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table leave_entitlements add constraint leave_entitlements_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table leave_recurring_days add constraint leave_recurring_days_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table leave_requests add constraint leave_requests_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table leave_availability add constraint leave_availability_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table leave_calendar_tokens add constraint leave_calendar_tokens_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table hr_documents add constraint hr_documents_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table sms_messages add constraint sms_messages_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table sign_in_challenges add constraint sign_in_challenges_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table account_tokens add constraint account_tokens_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table user_preferences add constraint user_preferences_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table project_budget_warnings add constraint project_budget_warnings_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table task_statuses add constraint task_statuses_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table task_labels add constraint task_labels_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table task_checklist_templates add constraint task_checklist_templates_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table task_label_links add constraint task_label_links_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table task_links add constraint task_links_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table task_checklists add constraint task_checklists_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table task_templates add constraint task_templates_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table task_template_items add constraint task_template_items_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table task_schedules add constraint task_schedules_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table task_calendar_tokens add constraint task_calendar_tokens_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table task_reminders add constraint task_reminders_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table interaction_kinds add constraint interaction_kinds_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table interaction_suppressions add constraint interaction_suppressions_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table time_entry_types add constraint time_entry_types_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table time_entry_types_seeded add constraint time_entry_types_seeded_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table time_drafts add constraint time_drafts_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table timesheet_reminders add constraint timesheet_reminders_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table tax_rates add constraint tax_rates_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table products add constraint products_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table invoice_templates add constraint invoice_templates_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table invoicing_settings add constraint invoicing_settings_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table subscription_types add constraint subscription_types_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table subscription_type_task_templates add constraint subscription_type_task_templates_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table subscription_templates add constraint subscription_templates_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table subscriptions add constraint subscriptions_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table subscription_prices add constraint subscription_prices_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table subscription_projects add constraint subscription_projects_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table subscription_tasks add constraint subscription_tasks_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table period_claims add constraint period_claims_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table external_refs add constraint external_refs_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table invoice_daily_mails add constraint invoice_daily_mails_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table payment_accounts add constraint payment_accounts_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table payment_intents add constraint payment_intents_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table invoice_payments add constraint invoice_payments_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table providers add constraint providers_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table domains add constraint domains_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table tld_prices add constraint tld_prices_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table hostings add constraint hostings_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table websites add constraint websites_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table edge_accounts add constraint edge_accounts_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table edge_zones add constraint edge_zones_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table edge_zone_leases add constraint edge_zone_leases_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table edge_redirects add constraint edge_redirects_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table edge_observations add constraint edge_observations_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table edge_projects add constraint edge_projects_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table edge_page_links add constraint edge_page_links_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table edge_registrations add constraint edge_registrations_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table registrar_accounts add constraint registrar_accounts_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table registrar_domains add constraint registrar_domains_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table notification_preferences add constraint notification_preferences_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table notification_channels add constraint notification_channels_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table notification_channel_routes add constraint notification_channel_routes_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table notification_push_keys add constraint notification_push_keys_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table notification_push_devices add constraint notification_push_devices_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table automation_rules add constraint automation_rules_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table webhook_endpoints add constraint webhook_endpoints_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table ai_settings add constraint ai_settings_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table ai_usage add constraint ai_usage_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table ai_reservations add constraint ai_reservations_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table ai_reports add constraint ai_reports_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table nav_layouts add constraint nav_layouts_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table oauth_clients add constraint oauth_clients_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table oauth_approvals add constraint oauth_approvals_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table oauth_codes add constraint oauth_codes_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table oauth_refresh_tokens add constraint oauth_refresh_tokens_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table sso_settings add constraint sso_settings_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table sso_links add constraint sso_links_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table sso_provisionings add constraint sso_provisionings_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table service_access_grants add constraint service_access_grants_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table impersonations add constraint impersonations_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table issued_looks add constraint issued_looks_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table workspace_settings add constraint workspace_settings_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table workspace_connections add constraint workspace_connections_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table uptime_instances add constraint uptime_instances_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table uptime_leases add constraint uptime_leases_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table uptime_profiles add constraint uptime_profiles_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table uptime_monitors add constraint uptime_monitors_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table uptime_heartbeats add constraint uptime_heartbeats_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table uptime_untracked add constraint uptime_untracked_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table impex_jobs add constraint impex_jobs_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table workspace_calendars add constraint workspace_calendars_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table workspace_calendar_events add constraint workspace_calendar_events_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table workspace_calendar_channels add constraint workspace_calendar_channels_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table workspace_calendar_mirrors add constraint workspace_calendar_mirrors_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table drive_links add constraint drive_links_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table drive_provisions add constraint drive_provisions_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table drive_creations add constraint drive_creations_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table drive_listings add constraint drive_listings_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table workspace_mailboxes add constraint workspace_mailboxes_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table workspace_mail_skips add constraint workspace_mail_skips_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table marketing_settings add constraint marketing_settings_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table marketing_company_settings add constraint marketing_company_settings_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table marketing_links add constraint marketing_links_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table marketing_days add constraint marketing_days_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table marketing_period_values add constraint marketing_period_values_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table marketing_answers add constraint marketing_answers_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table marketing_website_credentials add constraint marketing_website_credentials_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table ads_settings add constraint ads_settings_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table ads_accounts add constraint ads_accounts_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table ads_days add constraint ads_days_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table ads_changes add constraint ads_changes_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table ads_policies add constraint ads_policies_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table ads_intents add constraint ads_intents_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table ads_decisions add constraint ads_decisions_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table ads_budget_turns add constraint ads_budget_turns_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table reporting_settings add constraint reporting_settings_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table report_tones add constraint report_tones_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table report_templates add constraint report_templates_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table report_profiles add constraint report_profiles_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table reports add constraint reports_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table report_turns add constraint report_turns_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table report_mails add constraint report_mails_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table workspace_ended_grants add constraint workspace_ended_grants_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table marketing_months add constraint marketing_months_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table kept_documents add constraint kept_documents_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table uptime_incidents add constraint uptime_incidents_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table gone_rows add constraint gone_rows_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id) ON DELETE CASCADE;
alter table former_selections add constraint former_selections_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id) ON DELETE CASCADE;
alter table caller_views add constraint caller_views_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id) ON DELETE CASCADE;
alter table selection_moves add constraint selection_moves_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id) ON DELETE CASCADE;
alter table organisation_suspensions add constraint organisation_suspensions_organisation_fkey FOREIGN KEY (organisation) REFERENCES organisations(id) ON DELETE CASCADE;
alter table company_distinct_pairs add constraint company_distinct_pairs_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table contact_distinct_pairs add constraint contact_distinct_pairs_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table bank_statements add constraint bank_statements_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table bank_entries add constraint bank_entries_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table bank_allocations add constraint bank_allocations_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table bank_settings add constraint bank_settings_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table record_aliases add constraint record_aliases_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table client_terms add constraint client_terms_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table quote_instalments add constraint quote_instalments_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table dunning_settings add constraint dunning_settings_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table dunning_notices add constraint dunning_notices_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table dunning_pauses add constraint dunning_pauses_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table sepa_mandates add constraint sepa_mandates_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);
alter table task_blockers add constraint task_blockers_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id);

-- # triggers
CREATE TRIGGER access_changed AFTER INSERT OR DELETE OR UPDATE ON public.organisation_domains FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION bump_access_of_row();
CREATE TRIGGER access_changed BEFORE UPDATE OF slug, name, status, locale, timezone, currency, country, enabled_modules, plan, plan_ends_at ON public.organisations FOR EACH ROW EXECUTE FUNCTION bump_access_of_organisation();
CREATE TRIGGER enforcement_changed BEFORE UPDATE OF sso_enforced ON public.organisations FOR EACH ROW WHEN ((old.sso_enforced IS DISTINCT FROM new.sso_enforced)) EXECUTE FUNCTION bump_access_of_organisation();
CREATE TRIGGER access_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.product_licences FOR EACH STATEMENT EXECUTE FUNCTION bump_access_of_everyone();

-- # row-level security
alter table caller_views enable row level security, force row level security;
create policy owner on caller_views for all to current_user using (true) with check (true);
create policy tenant on caller_views for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table count_changes enable row level security, force row level security;
create policy owner on count_changes for all to current_user using (true) with check (true);
create policy tenant on count_changes for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table idempotency_keys enable row level security, force row level security;
create policy owner on idempotency_keys for all to current_user using (true) with check (true);
create policy tenant on idempotency_keys for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table kept_counts enable row level security, force row level security;
create policy owner on kept_counts for all to current_user using (true) with check (true);
create policy tenant on kept_counts for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table organisation_domains enable row level security, force row level security;
create policy owner on organisation_domains for all to current_user using (true) with check (true);
create policy tenant on organisation_domains for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table organisations enable row level security, force row level security;
create policy owner on organisations for all to current_user using (true) with check (true);
create policy tenant on organisations for all using ((id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table outbox enable row level security, force row level security;
create policy owner on outbox for all to current_user using (true) with check (true);
create policy tenant on outbox for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table outside_acts enable row level security, force row level security;
create policy owner on outside_acts for all to current_user using (true) with check (true);
create policy tenant on outside_acts for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table selection_moves enable row level security, force row level security;
create policy owner on selection_moves for all to current_user using (true) with check (true);
create policy tenant on selection_moves for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));

-- # comments
comment on table caller_views is 'Since when a caller that copies lists has its present permissions and selection';
comment on table count_changes is 'Rows that statements added to lists or removed from them, since the last fold';
comment on table kept_counts is 'Rows of lists by key, without the changes that are not folded yet';
comment on table selection_moves is 'When a source of selections last gained a client, or lost one that was not deleted';
comment on function client_of_work(uuid,uuid,uuid,uuid) is 'The client of a task, contact moment or time entry: its own, else its project''s, else its task''s';
comment on function fold_counts() is 'Adds the changes of counts to the counts that they changed';
comment on function gone_client(uuid,text,uuid) is 'The client that a deleted record had';
comment on function link_lost_by_deletion() is 'The state of a record that lost links to a deleted record';
comment on function message_key(text) is 'A Message-ID without angle brackets and with its domain in lower case: equal for the same message in two mailboxes';
comment on function moved_by_deletion() is 'The state of a row whose reference a deletion elsewhere has emptied';
comment on function row_audience(text,jsonb) is 'Who reads a row of a list: the clients of it, and the persons or the permission that it needs';

-- # grants
grant usage on schema jobs to :application;
grant usage on schema public to :application;
grant delete, insert, select, update on caller_views to :application;
grant delete, insert, select, update on count_changes to :application;
grant delete, insert, select, update on idempotency_keys to :application;
grant select on installation to :application;
grant delete, insert, select, update on jobs.agenda_jobs to :application;
grant delete, insert, select, update on jobs.definitions to :application;
grant delete, insert, select, update on jobs.leases to :application;
grant select on jobs.ordered to :application;
grant delete, insert, select, update on jobs.workers to :application;
grant delete, insert, select, update on kept_counts to :application;
grant delete, insert, select, update on organisation_domains to :application;
grant select on organisations to :application;
grant delete, insert, select, update on outbox to :application;
grant delete, insert, select, update on outside_acts to :application;
grant select on product_licences to :application;
grant delete, insert, select, update on provider_paces to :application;
grant delete, insert, select, update on provider_troubles to :application;
grant delete, insert, select, update on rate_windows to :application;
grant delete, insert, select, update on selection_moves to :application;
grant update (latest_version, latest_release_url, latest_checked_at) on installation to :application;
grant update (name, locale, timezone, currency, country, enabled_modules, updated_at, brand_name, logo_url, primary_color, icon_url, accent_color) on organisations to :application;
revoke all on function fold_counts() from public;
grant execute on function fold_counts() to :application;
revoke all on function folded(text) from public;
grant execute on function folded(text) to :application;
revoke all on function folded_words(text[]) from public;
grant execute on function folded_words(text[]) to :application;
revoke all on function jobs."analyse"(oid[]) from public;
grant execute on function jobs."analyse"(oid[]) to :application;
revoke all on function jobs.begin(uuid) from public;
grant execute on function jobs.begin(uuid) to :application;
revoke all on function jobs.expire_trials() from public;
grant execute on function jobs.expire_trials() to :application;
revoke all on function jobs.fan_out(text,timestamp with time zone,boolean) from public;
grant execute on function jobs.fan_out(text,timestamp with time zone,boolean) to :application;
revoke all on function jobs.fan_out(text,timestamp with time zone,uuid[],boolean) from public;
grant execute on function jobs.fan_out(text,timestamp with time zone,uuid[],boolean) to :application;
revoke all on function jobs.fan_out_due(text,timestamp with time zone,text,text[],integer,boolean) from public;
grant execute on function jobs.fan_out_due(text,timestamp with time zone,text,text[],integer,boolean) to :application;
revoke all on function jobs.fan_out_to(text,timestamp with time zone,text[],boolean) from public;
grant execute on function jobs.fan_out_to(text,timestamp with time zone,text[],boolean) to :application;
revoke all on function jobs.finish(uuid,boolean,boolean) from public;
grant execute on function jobs.finish(uuid,boolean,boolean) to :application;
revoke all on function jobs.finish_all(uuid[],uuid[]) from public;
grant execute on function jobs.finish_all(uuid[],uuid[]) to :application;
revoke all on function jobs.forget() from public;
grant execute on function jobs.forget() to :application;
revoke all on function jobs.hand(uuid,text,jsonb,timestamp with time zone,boolean) from public;
revoke all on function jobs.lock_lane(text,text) from public;
revoke all on function jobs.mend(uuid[],boolean) from public;
grant execute on function jobs.mend(uuid[],boolean) to :application;
revoke all on function jobs.organisations(uuid) from public;
grant execute on function jobs.organisations(uuid) to :application;
revoke all on function jobs.outbox_backlog() from public;
grant execute on function jobs.outbox_backlog() to :application;
revoke all on function jobs.place(uuid,text,uuid,jsonb,text,text,timestamp with time zone,text,uuid,boolean,text,boolean) from public;
revoke all on function jobs.queue_backlog() from public;
grant execute on function jobs.queue_backlog() to :application;
revoke all on function jobs.relay(integer,boolean) from public;
grant execute on function jobs.relay(integer,boolean) to :application;
revoke all on function kept_mails(uuid,uuid) from public;
grant execute on function kept_mails(uuid,uuid) to :application;
grant execute on function message_key(text) to :application;
revoke all on function organisation_today() from public;
grant execute on function organisation_today() to :application;
revoke all on function schedule_due_acts() from public;
grant execute on function schedule_due_acts() to :application;
revoke all on function word_patterns(text[]) from public;
grant execute on function word_patterns(text[]) to :application;

-- # rows
insert into installation default values;
insert into migrations (name) values
  ('0001-tenancy-and-access'),
  ('0002-trail-outbox-and-companies'),
  ('0003-contacts'),
  ('0004-custom-fields'),
  ('0005-keys-and-accounts'),
  ('0006-files'),
  ('0007-jobs'),
  ('0008-mail'),
  ('0009-leave'),
  ('0010-hr'),
  ('0012-providers'),
  ('0013-sign-in'),
  ('0014-logs-without-parent'),
  ('0015-update-check'),
  ('0016-sign-ins-end'),
  ('0018-callers-of-functions'),
  ('0019-patterns-of-re2'),
  ('0020-searches-walk-indexes'),
  ('0021-work'),
  ('0022-events-in-batches'),
  ('0023-money'),
  ('0024-held-idempotency-keys'),
  ('0025-assets'),
  ('0026-notifications'),
  ('0027-automation'),
  ('0028-webhooks'),
  ('0029-ai'),
  ('0030-navigation-and-live-inbox'),
  ('0031-due-deliveries'),
  ('0032-oauth'),
  ('0033-single-sign-on'),
  ('0034-portal'),
  ('0035-matches-before-runs'),
  ('0036-domains-know-their-registers'),
  ('0037-templates-move-the-revision'),
  ('0038-fewer-indexes-to-write'),
  ('0039-records-leave-their-organisation-free'),
  ('0040-hours-have-a-day'),
  ('0041-hours-settled'),
  ('0042-exact-prices-and-issued-looks'),
  ('0043-issued-documents-have-a-look'),
  ('0046-member-access'),
  ('0050-acts-outside'),
  ('0052-old-runs-do-not-fire'),
  ('0054-edge-names-in-ascii'),
  ('0055-edge-remembers-targets'),
  ('0056-outbox-backlog'),
  ('0057-searches-by-words'),
  ('0058-changes-of-one-inbox'),
  ('0061-runs-by-record-and-status'),
  ('0062-deliveries-keep-their-attempts'),
  ('0063-positions-within-bounds'),
  ('0064-deletions-move-what-they-cut'),
  ('0065-one-reminder-at-a-time'),
  ('0066-agreements-end-with-the-month'),
  ('0067-newest-of-conversations'),
  ('0068-orders-of-large-lists'),
  ('0069-workspace-connections'),
  ('0070-uptime'),
  ('0072-import-jobs'),
  ('0073-broken-off-runs-and-overdue-invoices'),
  ('0074-workspace-calendars'),
  ('0075-drive'),
  ('0076-mailbox-moments'),
  ('0077-workspace-mailboxes'),
  ('0078-marketing'),
  ('0079-advertising'),
  ('0080-advertising-writes'),
  ('0082-provider-paces'),
  ('0084-reporting'),
  ('0085-watches-of-a-person'),
  ('0086-reports'),
  ('0088-report-turns'),
  ('0089-report-mails'),
  ('0090-ended-grants'),
  ('0091-searched-reports'),
  ('0092-all-ended-grants'),
  ('0093-marketing-months'),
  ('0094-turns-one-by-one'),
  ('0095-report-runs-begin'),
  ('0096-ended-access'),
  ('0098-last-boundaries'),
  ('0100-people-gone-from-clients'),
  ('0101-zones-by-their-shown-name'),
  ('0103-monitors-without-their-client'),
  ('0104-links-gone-from-agreements'),
  ('0105-former-values'),
  ('0106-labels-without-case'),
  ('0107-renamed-domains'),
  ('0108-days-that-were-read'),
  ('0109-report-revisions'),
  ('0110-documents-that-left'),
  ('0111-members-who-left'),
  ('0112-outages-of-monitors'),
  ('0113-notified-messages'),
  ('0114-names-in-calendars'),
  ('0115-superseded-writes'),
  ('0116-former-clients-of-accounts'),
  ('0117-older-days-of-accounts'),
  ('0118-rows-that-are-gone'),
  ('0119-views-that-move-below'),
  ('0120-views-of-callers'),
  ('0121-pauses-of-monitors'),
  ('0124-analysis-of-grown-tables'),
  ('0127-kept-counts'),
  ('0128-counts-of-present-rows'),
  ('0133-folders-move-the-revision'),
  ('0134-hours-by-minutes'),
  ('0135-primary-assignees-of-tasks'),
  ('0138-task-statuses-move-the-revision'),
  ('0140-queue-backlog'),
  ('0145-clocks-where-there-is-work'),
  ('0146-due-looks-at-dns'),
  ('0148-what-operators-see'),
  ('0149-due-mails'),
  ('0150-traces-of-work'),
  ('0151-instance-administrators'),
  ('0152-suspended-organisations'),
  ('0154-failed-mails'),
  ('0155-clocks-of-due-rows'),
  ('0156-work-that-is-awaited'),
  ('0157-clearing-by-batches'),
  ('0158-match-keys'),
  ('0160-triggers-of-whole-organisations'),
  ('0161-organisation-backups'),
  ('0162-purges-in-batches'),
  ('0163-withdrawn-credit'),
  ('0164-bank-statements'),
  ('0166-record-aliases'),
  ('0167-match-keys-of-present-records'),
  ('0168-payment-terms'),
  ('0169-task-positions'),
  ('0170-transfer-codes'),
  ('0171-payment-discounts'),
  ('0172-deposits'),
  ('0173-quote-instalments'),
  ('0174-dunning'),
  ('0175-sepa-mandates'),
  ('0177-blocked-tasks'),
  ('0178-more-addresses-of-contacts');

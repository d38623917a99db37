import type { Step } from "./step.ts";

/** Up to so many jobs of a moment begin at once: a node runs them in seconds. */
const FEW = 50;

/**
 * A clock's jobs only for organisations that have due rows, and those of many organisations begin one after another. Modules declare which
 * rows are due; the functions that find them follow their declarations and are created after the steps.
 */
const step: Step = {
  async up({ sql, application }) {
    await sql(`
      -- Jobs of a schedule, once per moment, for each active organisation that a function chooses, or that has a row in one of these tables;
      -- without either for all of them. Those of many begin within so many minutes, by a hash of job and organisation.
      create function jobs.fan_out_due(job_name text, moment timestamptz, due_rows text, tables text[], minutes int, own_queue boolean)
        returns jsonb language plpgsql security definer set search_path = pg_catalog as $$
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
        milliseconds := case when cardinality(organisations) > ${FEW} then minutes * 60000 else 0 end;
        foreach organisation in array organisations loop
          one := jobs.place(gen_random_uuid(), job_name, organisation, '{}', null, organisation || ' schedule',
            now() + case when milliseconds = 0 then interval '0' else make_interval(secs =>
              (hashtextextended(job_name || organisation, 0) & 9223372036854775807) % milliseconds / 1000.0) end, 'end', null, own_queue);
          if one is not null then handed := handed || one; end if;
        end loop;
        return to_jsonb(handed);
      end $$;
      revoke all on function jobs.fan_out_due(text, timestamptz, text, text[], int, boolean) from public;
      grant execute on function jobs.fan_out_due(text, timestamptz, text, text[], int, boolean) to ${application};

      -- Where a clock would read all rows of an organisation to learn that none is due.
      create index payment_intents_to_check on payment_intents (organisation_id, created_at)
        where settled_at is null and status not in ('failed', 'expired', 'canceled');
      create index payment_intents_unanswered on payment_intents (organisation_id, updated_at) where external_id is null;
      create index uptime_monitors_unsettled on uptime_monitors (organisation_id)
        where flapping or announced <> case when outage_since is null then 'up' else 'down' end;
      create index uptime_monitors_by_heartbeat on uptime_monitors (organisation_id, last_heartbeat_at) where last_heartbeat_at is not null;
      create index workspace_calendar_mirrors_absent on workspace_calendar_mirrors (organisation_id, updated_at)
        where status = 'done' and presence = 'absent';
    `);
  },
};

export default step;

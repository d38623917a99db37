import type { Step } from "./step.ts";

/**
 * A clock's jobs only for organisations that have a row in one of the tables it works on. One statement of index look-ups replaces a job
 * for each idle organisation.
 */
const step: Step = {
  async up({ sql, application }) {
    await sql(`
      -- Jobs of a schedule, once per moment, for each active organisation with a row in one of these tables; no tables: for all of them.
      create function jobs.fan_out_to(job_name text, due timestamptz, tables text[], own_queue boolean) returns jsonb
        language plpgsql security definer set search_path = pg_catalog as $$
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
      end $$;
      -- Nodes of the version before make the jobs of all organisations.
      create or replace function jobs.fan_out(job_name text, due timestamptz, own_queue boolean) returns jsonb
        language sql security definer set search_path = pg_catalog as $$ select jobs.fan_out_to(job_name, due, '{}', own_queue) $$;
      revoke all on function jobs.fan_out_to(text, timestamptz, text[], boolean) from public;
      grant execute on function jobs.fan_out_to(text, timestamptz, text[], boolean) to ${application};
    `);
  },
};

export default step;

import type { Step } from "../step.ts";

/**
 * The day an entry counts on, stored with its start (work §4.1). The service computes it from the organisation's zone; the triggers fill it in
 * for nodes of the version before, which write no `work_date`, and settle what their entries belong to. They alone name a zone to
 * PostgreSQL.
 */
const step: Step = {
  async up({ sql }) {
    await sql(`
      alter table time_entries add column work_date date;

      -- The date of an instant where an organisation is. An unset or unknown zone is the instance's (conventions §15).
      create function organisation_date(organisation uuid, instant timestamptz) returns date language plpgsql stable as $$
      declare
        zone text;
      begin
        select o.timezone into zone from organisations o where o.id = organisation;
        return (instant at time zone coalesce(zone, 'Europe/Amsterdam'))::date;
      exception when invalid_parameter_value then
        return (instant at time zone 'Europe/Amsterdam')::date;
      end $$;

      create function settle_new_hours() returns trigger language plpgsql as $$
      begin
        new.work_date := organisation_date(new.organisation_id, new.started_at);
        if new.project_id is null and new.task_id is not null then
          select t.project_id into new.project_id from tasks t where t.organisation_id = new.organisation_id and t.id = new.task_id;
        end if;
        if new.company_id is null then
          new.company_id := coalesce(
            (select p.company_id from projects p where p.organisation_id = new.organisation_id and p.id = new.project_id),
            (select t.company_id from tasks t where t.organisation_id = new.organisation_id and t.id = new.task_id));
        end if;
        return new;
      end $$;
      create trigger time_entries_settled before insert on time_entries for each row
        when (new.work_date is null) execute function settle_new_hours();

      -- A node that knows the day writes it with every start, also where it stays; of two triggers the first in the alphabet fires first.
      create function note_given_day() returns trigger language plpgsql as $$
      begin
        perform set_config('app.day_given', new.id::text, true);
        return new;
      end $$;
      create function settle_moved_hours() returns trigger language plpgsql as $$
      begin
        if current_setting('app.day_given', true) is distinct from new.id::text then
          new.work_date := organisation_date(new.organisation_id, new.started_at);
        end if;
        return new;
      end $$;
      create trigger time_entries_day_given before update of work_date on time_entries for each row
        when (new.started_at is distinct from old.started_at) execute function note_given_day();
      create trigger time_entries_day_kept before update of started_at on time_entries for each row
        when (new.started_at is distinct from old.started_at) execute function settle_moved_hours();

      -- The day of a row that has none yet is no change of it.
      drop trigger change_counted on time_entries;
      create trigger change_counted before update on time_entries for each row
        when (new.version = old.version and new.work_date is not distinct from old.work_date) execute function count_change_of_row();
    `);
  },
};

export default step;

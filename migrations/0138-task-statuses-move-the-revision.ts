import type { Step } from "./step.ts";

/**
 * Every write of a task reads the statuses of its organisation: nodes cache them by the access revision. The first statuses of an
 * organisation do not move it, because no node caches that there are none.
 */
const step: Step = {
  async up({ sql }) {
    await sql(`
      create function bump_access_of_added_statuses() returns trigger language plpgsql security definer set search_path = public as $$
      begin
        perform bump_access(a.organisation_id) from (select distinct organisation_id from added) a
         where exists (select from task_statuses s where s.organisation_id = a.organisation_id and s.id not in (select n.id from added n));
        return null;
      end $$;

      create trigger access_changed_by_added after insert on task_statuses referencing new table as added
        for each statement execute function bump_access_of_added_statuses();
      create trigger access_changed after delete or update of key, position, is_terminal, is_default, requires_interaction
        on task_statuses for each row execute function bump_access_of_row();
    `);
  },
};

export default step;

import type { Step } from "../step.ts";

/**
 * A monitor whose named client is deleted follows the client of its website, domain or hosting again. Monitors without a client that is
 * named stay as they are: someone may have set none.
 */
const step: Step = {
  async up({ sql }) {
    await sql(`
      create or replace function uptime_monitor_client() returns trigger language plpgsql as $$
      begin
        -- Only the deletion of the client empties the reference from within another trigger.
        if tg_op = 'UPDATE' and pg_trigger_depth() > 1 and old.company_id is not null and new.company_id is null then
          new.company_given := false;
        end if;
        if not new.company_given then
          new.company_id := coalesce(
            (select w.company_id from websites w where w.organisation_id = new.organisation_id and w.id = new.website_id),
            (select d.company_id from domains d where d.organisation_id = new.organisation_id and d.id = new.domain_id),
            (select h.company_id from hostings h where h.organisation_id = new.organisation_id and h.id = new.hosting_id));
        end if;
        return new;
      end $$;
      drop trigger moved_by_deletion on uptime_monitors;
      create trigger moved_by_deletion before update of parent_id, profile_id, website_id, domain_id, hosting_id, company_id
        on uptime_monitors for each row when (pg_trigger_depth() > 0 and new.version = old.version
          and (old.parent_id is not null and new.parent_id is null or old.profile_id is not null and new.profile_id is null
            or old.website_id is not null and new.website_id is null or old.domain_id is not null and new.domain_id is null
            or old.hosting_id is not null and new.hosting_id is null
            or old.company_id is not null and new.company_id is distinct from old.company_id))
        execute function moved_by_deletion();
    `);
  },
};

export default step;

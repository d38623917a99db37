import type { Step } from "./step.ts";

/**
 * The rows that inherit their client or their readers from another row: where that one changes, they leave the view of its former readers,
 * and their state moves, so that those who see them now get them (conventions §10).
 */
const step: Step = {
  async up({ sql }) {
    await sql(`
      create function move_below_project() returns trigger language plpgsql set search_path = public as $$
      declare
        inherited constant jsonb := jsonb_build_object('company_id', old.company_id, 'project_id', null, 'task_id', null, 'inherited', true);
        below constant uuid[] := array(select t.id from tasks t
          where t.organisation_id = new.organisation_id and t.project_id = new.id and t.company_id is null);
      begin
        perform note_gone('task', to_jsonb(t) || inherited, 'left_view') from tasks t
          where t.organisation_id = new.organisation_id and t.id = any(below);
        update tasks t set version = t.version + 1, updated_at = statement_timestamp()
          where t.organisation_id = new.organisation_id and t.id = any(below);
        perform move_work_below(new.organisation_id, new.id, below, inherited);
        return null;
      end $$;

      create function move_below_task() returns trigger language plpgsql set search_path = public as $$
      declare
        before constant uuid := client_of_work(old.organisation_id, old.company_id, old.project_id, null);
      begin
        if before is distinct from client_of_work(new.organisation_id, new.company_id, new.project_id, null) then
          perform move_work_below(new.organisation_id, null, array[new.id],
            jsonb_build_object('company_id', before, 'project_id', null, 'task_id', null, 'inherited', true));
        end if;
        return null;
      end $$;

      create function move_work_below(organisation uuid, project uuid, below uuid[], inherited jsonb) returns void
        language plpgsql volatile set search_path = public as $$
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
      end $$;

      create trigger moved_below after update of company_id on projects for each row
        when (old.company_id is distinct from new.company_id) execute function move_below_project();
      create trigger moved_below after update of company_id, project_id on tasks for each row
        when (old.company_id is distinct from new.company_id or old.project_id is distinct from new.project_id)
        execute function move_below_task();

      create function move_below_domain() returns trigger language plpgsql set search_path = public as $$
      begin
        insert into gone_rows (organisation_id, entity_type, entity_id, reason, companies, for_clients)
          select z.organisation_id, 'edge_zone', z.id, 'left_view', array[old.company_id], true from edge_zones z
            where z.organisation_id = new.organisation_id and z.domain_id = new.id;
        update edge_zones z set version = z.version + 1, updated_at = statement_timestamp()
          where z.organisation_id = new.organisation_id and z.domain_id = new.id;
        return null;
      end $$;
      create trigger moved_below after update of company_id on domains for each row
        when (old.company_id is distinct from new.company_id) execute function move_below_domain();

      -- A contact is seen with each of its clients.
      create function note_unlinked_contact() returns trigger language plpgsql set search_path = public as $$
      begin
        insert into gone_rows (organisation_id, entity_type, entity_id, reason, companies, for_clients)
          select c.organisation_id, 'contact', c.id, 'left_view', array[old.company_id], true from contacts c
            where c.organisation_id = old.organisation_id and c.id = old.contact_id;
        return null;
      end $$;
      create trigger noted_view after delete or update of company_id, contact_id on contact_links for each row
        execute function note_unlinked_contact();

      -- Members without the permission for all monitors see those of the clients on whose rosters they are.
      create function move_monitors_of_roster() returns trigger language plpgsql set search_path = public as $$
      declare
        moved company_assignees := case tg_op when 'INSERT' then new else old end;
      begin
        if tg_op = 'DELETE' then
          insert into gone_rows (organisation_id, entity_type, entity_id, reason, companies, for_clients, needs, persons)
            select m.organisation_id, 'uptime_monitor', m.id, 'left_view', array[m.company_id], true, 'uptime.monitor.read:any',
                array[moved.account_id]
              from uptime_monitors m where m.organisation_id = moved.organisation_id and m.company_id = moved.company_id;
        else
          update uptime_monitors m set version = m.version + 1, updated_at = statement_timestamp()
            where m.organisation_id = moved.organisation_id and m.company_id = moved.company_id;
        end if;
        return null;
      end $$;
      create trigger moved_monitors after insert or delete on company_assignees for each row execute function move_monitors_of_roster();

      -- Client logins see the newest published revision of a report.
      create function move_other_revisions() returns trigger language plpgsql set search_path = public as $$
      declare
        moved reports := case tg_op when 'DELETE' then old else new end;
      begin
        if tg_op <> 'DELETE' and moved.published_at is not null then
          insert into gone_rows (organisation_id, entity_type, entity_id, reason, companies, for_clients)
            select o.organisation_id, 'report', o.id, 'left_view', array[o.company_id], true from reports o
              where o.organisation_id = moved.organisation_id and o.company_id = moved.company_id and o.audience = moved.audience
                and o.audience = 'client' and o.period_start = moved.period_start and o.revision < moved.revision and o.published_at is not null;
        else
          update reports o set version = o.version + 1, updated_at = statement_timestamp()
            where o.organisation_id = moved.organisation_id and o.company_id = moved.company_id and o.audience = moved.audience
              and o.audience = 'client' and o.period_start = moved.period_start and o.revision < moved.revision and o.published_at is not null;
        end if;
        return null;
      end $$;
      create trigger moved_revisions after update of published_at on reports for each row
        when ((old.published_at is null) <> (new.published_at is null)) execute function move_other_revisions();
      create trigger removed_revision after delete on reports for each row
        when (old.published_at is not null) execute function move_other_revisions();`);
  },
};

export default step;

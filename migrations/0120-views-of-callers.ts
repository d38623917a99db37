import { type Step, tenantTable } from "./step.ts";

/** Since when callers see and do what they see and do now: a copy that began before has to begin again (conventions §10). */
const step: Step = {
  async up({ sql, application }) {
    await sql(`
      create table caller_views (
        organisation_id uuid not null references organisations (id) on delete cascade,
        -- Kind and id: of an account, a key, a service account or an operator's visit.
        caller text not null,
        digest text not null,
        holds_since timestamptz not null,
        primary key (organisation_id, caller)
      );
      comment on table caller_views is 'Since when a caller that copies lists has its present permissions and selection';
      ${tenantTable("caller_views", application)}

      create table selection_moves (
        organisation_id uuid not null references organisations (id) on delete cascade,
        source_id uuid not null,
        moved_at timestamptz not null,
        primary key (organisation_id, source_id)
      );
      comment on table selection_moves is 'When a source of selections last gained a client, or lost one that was not deleted';
      ${tenantTable("selection_moves", application)}

      create function note_selection(organisation uuid, source uuid, company uuid, gained boolean) returns void
        language plpgsql volatile set search_path = public as $$
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
      end $$;

      create function note_group_selection() returns trigger language plpgsql set search_path = public as $$
      begin
        if tg_op <> 'INSERT' then perform note_selection(old.organisation_id, old.group_id, old.company_id, false); end if;
        if tg_op <> 'DELETE' then perform note_selection(new.organisation_id, new.group_id, new.company_id, true); end if;
        return null;
      end $$;
      create trigger noted_selection after insert or delete or update on company_group_companies for each row
        execute function note_group_selection();

      -- Only contacts with a login are sources of a selection; one that gets a login changes the login's digest.
      create function note_contact_selection() returns trigger language plpgsql set search_path = public as $$
      begin
        if tg_op <> 'INSERT' and exists (select 1 from contacts c where c.organisation_id = old.organisation_id and c.id = old.contact_id
            and c.account_id is not null) then
          perform note_selection(old.organisation_id, old.contact_id, old.company_id, false);
        end if;
        if tg_op <> 'DELETE' and exists (select 1 from contacts c where c.organisation_id = new.organisation_id and c.id = new.contact_id
            and c.account_id is not null) then
          perform note_selection(new.organisation_id, new.contact_id, new.company_id, true);
        end if;
        return null;
      end $$;
      create trigger noted_selection after insert or delete or update of company_id, contact_id on contact_links for each row
        execute function note_contact_selection();`);
  },
};

export default step;

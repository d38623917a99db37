import { type Step, tenantTable } from "../step.ts";

/** Staff who look into a client's login, and the selection of two people in which theirs meet. */
const step: Step = {
  async up({ sql, application }) {
    await sql(`
      create table impersonations (
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        -- It counts beside this session and nowhere else.
        session_id uuid not null,
        impersonator_account_id uuid not null references accounts (id) on delete cascade,
        target_account_id uuid not null references accounts (id) on delete cascade,
        -- The contact whose login it is, which has the trail.
        contact_id uuid not null,
        token_hash bytea not null,
        expires_at timestamptz not null,
        ended_at timestamptz,
        created_at timestamptz not null default statement_timestamp(),
        unique (organisation_id, id),
        unique (organisation_id, token_hash),
        foreign key (organisation_id, session_id) references sessions (organisation_id, id) on delete cascade,
        foreign key (organisation_id, contact_id) references contacts (organisation_id, id) on delete cascade
      );
      create unique index impersonations_one_at_a_time on impersonations (organisation_id, session_id) where ended_at is null;
      create index on impersonations (organisation_id, session_id);
      create index on impersonations (organisation_id, contact_id);
      create index on impersonations (impersonator_account_id);
      create index on impersonations (target_account_id);
      -- A new one was never cached.
      create trigger access_changed after delete or update of ended_at, expires_at on impersonations
        for each row execute function bump_access_of_row();
    `);
    await sql(tenantTable("impersonations", application));

    // Ending the session, the login or the membership ends the grant permanently: restoring them revives none.
    await sql(`
      create function end_impersonations_of_session() returns trigger language plpgsql as $$
      begin
        update impersonations set ended_at = now() where organisation_id = new.organisation_id and session_id = new.id and ended_at is null;
        return null;
      end $$;
      create trigger impersonations_end after update of ended_at on sessions for each row
        when (old.ended_at is null and new.ended_at is not null) execute function end_impersonations_of_session();

      create function end_impersonations_of_member() returns trigger language plpgsql as $$
      begin
        update impersonations set ended_at = now() where organisation_id = old.organisation_id and ended_at is null
           and old.account_id in (impersonator_account_id, target_account_id);
        return null;
      end $$;
      create trigger impersonations_end_with_member after update of deactivated_at on memberships for each row
        when (old.deactivated_at is null and new.deactivated_at is not null) execute function end_impersonations_of_member();
      create trigger impersonations_end_without_member after delete on memberships for each row
        execute function end_impersonations_of_member();

      -- An account is global, so it is disabled in every organisation.
      create function end_impersonations_of_account() returns trigger language plpgsql security definer set search_path = public as $$
      begin
        update impersonations set ended_at = now() where ended_at is null and new.id in (impersonator_account_id, target_account_id);
        return null;
      end $$;
      create trigger impersonations_end after update of is_active on accounts for each row
        when (old.is_active and not new.is_active) execute function end_impersonations_of_account();

      create function clear_impersonations() returns void language sql security definer set search_path = public as $$
        delete from impersonations where coalesce(ended_at, expires_at) < now() - interval '1 day' $$;
      revoke all on function clear_impersonations() from public;
      grant execute on function clear_impersonations() to ${application};
    `);

    // Two restricted people see what both see. Their selection is the largest UUID (RFC 9562), which no row has, and the grant: what both
    // have as sources is looked up as it is now. The first comparison needs no row, so that for any other selection the part is left out,
    // and the planner does not look into it.
    await sql(`
      create function companies_of_member(account uuid) returns setof uuid language sql stable as $$
        select gc.company_id from memberships m
          join company_group_memberships gm on gm.organisation_id = m.organisation_id and gm.membership_id = m.id
          join company_group_companies gc on gc.organisation_id = gm.organisation_id and gc.group_id = gm.group_id
         where m.organisation_id = current_organisation() and m.account_id = account
        union all
        select l.company_id from contacts p
          join contact_links l on l.organisation_id = p.organisation_id and l.contact_id = p.id
         where p.organisation_id = current_organisation() and p.account_id = account $$;

      create function companies_of_impersonation(grant_id uuid) returns setof uuid language plpgsql stable rows 10 as $$
      begin
        return query select seen.company_id from impersonations i, companies_of_member(i.target_account_id) seen(company_id)
          where i.organisation_id = current_organisation() and i.id = grant_id
            and seen.company_id in (select c from companies_of_member(i.impersonator_account_id) c);
      end $$;

      create or replace function selected_companies(sources uuid[]) returns setof uuid language sql stable as $$
        select company_id from company_group_companies where organisation_id = current_organisation() and group_id = any(sources)
        union all
        select company_id from contact_links where organisation_id = current_organisation() and contact_id = any(sources)
        union all
        select c from companies_of_impersonation(sources[2]) c where sources[1] = 'ffffffff-ffff-ffff-ffff-ffffffffffff' $$;
    `);
  },
};

export default step;

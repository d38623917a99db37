import type { Step } from "../step.ts";

/** A member's permissions and view, answered in one place: the function and the view are the access module's. */
const step: Step = {
  async up({ sql, application }) {
    // The planner sees into the function: a query for the holders of a grant joins the roles, one for one member looks it up.
    await sql(`
      create function members_holding(organisation uuid, wanted text[]) returns setof uuid language sql stable as $$
        select mr.membership_id from membership_roles mr join roles r on r.organisation_id = mr.organisation_id and r.id = mr.role_id
         where mr.organisation_id = organisation and r.permissions && wanted $$;
      comment on function members_holding is 'Memberships of which some role holds one of these stored grants, deactivated ones included';
    `);

    // The caller's own row-level security applies (security_invoker). A query that names few columns computes no others: the planner drops
    // unused outputs of the lateral query, and `offset 0` keeps it from computing one twice where \`selection\` needs it as well.
    await sql(`
      create view member_access with (security_invoker = true) as
        select m.organisation_id, m.id as membership_id, m.account_id, p.id as contact_id,
            m.deactivated_at is null and a.is_active as is_live,
            held.grants, held.is_client, held.sources,
            case when held.is_owner or held.sources = '{}' and not held.is_client then null else held.sources end as selection
          from memberships m
          join accounts a on a.id = m.account_id
          left join contacts p on p.organisation_id = m.organisation_id and p.account_id = m.account_id
         cross join lateral (
            select
              array(select g from membership_roles mr
                  join roles r on r.organisation_id = mr.organisation_id and r.id = mr.role_id cross join unnest(r.permissions) g
                 where mr.organisation_id = m.organisation_id and mr.membership_id = m.id) as grants,
              exists (select from members_holding(m.organisation_id, array['*']) h where h = m.id) as is_owner,
              p.id is not null or exists (select from membership_roles mr
                  join roles r on r.organisation_id = mr.organisation_id and r.id = mr.role_id
                 where mr.organisation_id = m.organisation_id and mr.membership_id = m.id and r.is_system and r.key = 'client') as is_client,
              array(select gm.group_id from company_group_memberships gm
                 where gm.organisation_id = m.organisation_id and gm.membership_id = m.id)
                || array_remove(array[p.id], null) as sources
            offset 0) held;
      grant select on member_access to ${application};

      comment on view member_access is 'What each member of an organisation may and sees now';
      comment on column member_access.contact_id is 'The contact whose login it is; null for everyone else';
      comment on column member_access.is_live is 'Neither deactivated here nor disabled altogether';
      comment on column member_access.grants is 'Stored grants of all roles; one that two roles give is in it twice';
      comment on column member_access.is_client is 'A client login: holds the client role, or is attached to a contact';
      comment on column member_access.sources is 'The groups and the contact that a selection is made of';
      comment on column member_access.selection is
        'What selected_companies takes; null for a member who sees every client: a holder of the wildcard, or staff without sources';
    `);

    // Where two selections meet, each is what its member's sources give now.
    await sql(`
      create or replace function companies_of_member(account uuid) returns setof uuid language sql stable as $$
        select c from member_access m, selected_companies(m.sources) c
         where m.organisation_id = current_organisation() and m.account_id = account $$;
    `);
  },
};

export default step;

import { type Step, tenantTable } from "../step.ts";

/** How people and their organisations order the navigation, and what streams of inboxes ask. */
const step: Step = {
  async up({ sql, application }) {
    await sql(`
      -- One row a person, and one of the organisation (without account), which alone has labels and groups.
      create table nav_layouts (
        id uuid primary key default gen_random_uuid(),
        organisation_id uuid not null references organisations (id),
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        version int not null default 1,
        account_id uuid references accounts (id) on delete cascade,
        items jsonb not null check (jsonb_typeof(items) = 'array'),
        groups jsonb not null check (jsonb_typeof(groups) = 'array'),
        unique (organisation_id, id),
        constraint nav_layouts_owner_key unique nulls not distinct (organisation_id, account_id)
      );
      create index on nav_layouts (account_id);
    `);
    await sql(tenantTable("nav_layouts", application));

    await sql(`
      -- A row is news from the moment it is visible, which may be long after it was written.
      create index notifications_by_visibility on notifications (organisation_id, visible_at) include (account_id);

      -- Whose inboxes have rows that became visible or changed at or after an instant, of those that are asked about; nothing of the rows.
      create function inboxes_with_news(asked_organisations uuid[], asked_accounts uuid[], since timestamptz)
        returns table (organisation_id uuid, account_id uuid) language sql stable security definer set search_path = public as $$
        select distinct n.organisation_id, n.account_id
          from (select distinct unnest(asked_organisations) as id) o
          cross join lateral (
            select t.organisation_id, t.account_id from notifications t
             where t.organisation_id = o.id and t.visible_at >= since and t.visible_at <= statement_timestamp()
            union all
            select t.organisation_id, t.account_id from notifications t where t.organisation_id = o.id and t.updated_at >= since) n
          join unnest(asked_organisations, asked_accounts) as asked (organisation_id, account_id)
            on asked.organisation_id = n.organisation_id and asked.account_id = n.account_id
        $$;
    `);
  },
};

export default step;

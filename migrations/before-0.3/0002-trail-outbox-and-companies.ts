import { type Step, searchIndexes, tenantTable } from "../step.ts";

/** The trail, the outbox, remembered answers, and the companies with their rosters, groups and numbering. */
const step: Step = {
  async up({ sql, application }) {
    await sql(`
      create table activity (
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        entity_type text not null,
        entity_id uuid not null,
        action text not null,
        payload jsonb not null default '{}',
        actor_account_id uuid,
        actor_service_account_id uuid,
        actor_name text,
        impersonator_name text,
        created_at timestamptz not null default statement_timestamp(),
        unique (organisation_id, id)
      );
      create index on activity (organisation_id, entity_type, entity_id, created_at desc, id desc);

      create table outbox (
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        event text not null,
        entity_type text not null,
        entity_id uuid not null,
        payload jsonb not null,
        actor_account_id uuid,
        request_id text,
        created_at timestamptz not null default statement_timestamp(),
        unique (organisation_id, id)
      );
      create index on outbox (organisation_id, entity_type, entity_id, id);

      create table idempotency_keys (
        organisation_id uuid not null references organisations (id),
        principal_id uuid not null,
        path text not null,
        key text not null,
        body_hash bytea not null,
        status int,
        body text,
        headers jsonb,
        row_id text,
        created_at timestamptz not null default statement_timestamp(),
        primary key (organisation_id, principal_id, path, key)
      );
      create index on idempotency_keys (created_at);

      create table declarations (
        service text primary key,
        digest text not null,
        body json not null,
        seen_at timestamptz not null default statement_timestamp()
      );
      grant select, insert, update on declarations to ${application};

      create table companies (
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        version int not null default 1,
        status text not null default 'active' check (status in ('lead', 'onboarding', 'active', 'offboarding', 'archived')),
        -- What \`q\` looks in: the fields in lower case, kept apart by a character that no caller can send.
        -- Like everything a list filters by it stands in front: PostgreSQL unpacks a row from there, and a search reads thousands.
        search_text text not null generated always as (
          lower(name collate "und-x-icu") || E'\\x1f' || lower(coalesce(legal_name, '') collate "und-x-icu") || E'\\x1f' ||
          lower(coalesce(client_number, '') collate "und-x-icu") || E'\\x1f' || lower(coalesce(website, '') collate "und-x-icu")
        ) stored,
        name text not null check (name <> ''),
        legal_name text,
        client_number text,
        website text,
        phone text,
        invoice_email text,
        vat_number text,
        coc_number text,
        address_line1 text,
        house_number text,
        address_line2 text,
        postal_code text,
        city text,
        country text,
        notes text,
        logo_file_id uuid,
        custom jsonb not null default '{}',
        unique (organisation_id, id),
        constraint companies_client_number_key unique (organisation_id, client_number)
      );
      create index companies_by_name on companies (organisation_id, name collate kantoor_text, id);
      create index companies_by_number on companies (organisation_id, client_number collate kantoor_text, name collate kantoor_text, id);
      create index companies_by_number_down on companies
        (organisation_id, client_number collate kantoor_text desc nulls last, name collate kantoor_text, id);
      create index companies_by_status on companies (organisation_id, status collate kantoor_text, name collate kantoor_text, id);
      create index companies_by_status_down on companies
        (organisation_id, status collate kantoor_text desc, name collate kantoor_text, id);
      create index companies_by_creation on companies (organisation_id, created_at, name collate kantoor_text, id);
      create index companies_by_change on companies (organisation_id, updated_at, name collate kantoor_text, id);
      ${searchIndexes("companies")}

      create table company_assignees (
        organisation_id uuid not null references organisations (id),
        company_id uuid not null,
        account_id uuid not null references accounts (id) on delete cascade,
        is_primary boolean not null default false,
        position int generated always as identity,
        created_at timestamptz not null default statement_timestamp(),
        primary key (organisation_id, company_id, account_id),
        foreign key (organisation_id, company_id) references companies (organisation_id, id) on delete cascade
      );
      create unique index company_assignees_one_primary on company_assignees (organisation_id, company_id) where is_primary;
      create index on company_assignees (organisation_id, account_id);
      create index on company_assignees (account_id);

      create table company_groups (
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        name text not null check (name <> ''),
        position int not null default 0,
        version int not null default 1,
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        unique (organisation_id, id),
        constraint company_groups_name_key unique (organisation_id, name)
      );

      create table company_group_companies (
        organisation_id uuid not null references organisations (id),
        group_id uuid not null,
        company_id uuid not null,
        primary key (organisation_id, group_id, company_id),
        foreign key (organisation_id, group_id) references company_groups (organisation_id, id) on delete cascade,
        foreign key (organisation_id, company_id) references companies (organisation_id, id) on delete cascade
      );
      create index on company_group_companies (organisation_id, company_id);

      create table company_group_memberships (
        organisation_id uuid not null references organisations (id),
        group_id uuid not null,
        membership_id uuid not null,
        primary key (organisation_id, group_id, membership_id),
        foreign key (organisation_id, group_id) references company_groups (organisation_id, id) on delete cascade,
        foreign key (organisation_id, membership_id) references memberships (organisation_id, id) on delete cascade
      );
      create index on company_group_memberships (organisation_id, membership_id);
      create trigger access_changed after insert or update or delete on company_group_memberships
        for each row execute function bump_access_of_row();

      create table company_settings (
        id uuid primary key,
        organisation_id uuid not null unique references organisations (id),
        client_number_format text not null default '{seq:4}',
        client_number_next_seq int not null default 1 check (client_number_next_seq >= 1),
        client_number_reset_yearly boolean not null default false,
        client_number_seq_year int,
        client_number_auto boolean not null default true,
        version int not null default 1,
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        unique (organisation_id, id)
      );

      -- The companies a restricted principal sees, from the sources of its selection. Contacts join the sources with their own module.
      create function selected_companies(sources uuid[]) returns setof uuid language sql stable as $$
        select company_id from company_group_companies where organisation_id = current_organisation() and group_id = any(sources) $$;
    `);
    for (const table of [
      "activity",
      "outbox",
      "idempotency_keys",
      "companies",
      "company_assignees",
      "company_groups",
      "company_group_companies",
      "company_group_memberships",
      "company_settings",
    ])
      await sql(tenantTable(table, application));
    await sql(`revoke update, delete on activity from ${application}`);
  },
};

export default step;

import { movesWhenCut, SEALED_TYPE, type Step, tenantTable } from "../step.ts";

/** Advertising accounts of clients, and what an organisation set for them (marketing-ads §3.1, §3.2). */
const step: Step = {
  async up({ sql, application }) {
    await sql(`${SEALED_TYPE}
      create table ads_settings (
        id uuid primary key,
        organisation_id uuid not null unique references organisations (id),
        version int not null default 1,
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        developer_token sealed,
        default_login_customer_id text check (default_login_customer_id ~ '^[0-9]+$'),
        writes_enabled boolean not null default true,
        unique (organisation_id, id)
      );

      create table ads_accounts (
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        version int not null default 1,
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        customer_id text collate "C" not null check (customer_id ~ '^[0-9]+$'),
        login_customer_id text check (login_customer_id ~ '^[0-9]+$'),
        company_id uuid,
        -- Whose grant it is called with.
        connection_id uuid,
        descriptive_name text collate kantoor_text not null,
        currency_code text,
        time_zone text,
        is_manager boolean not null default false,
        test_account boolean not null default false,
        conversion_tracking_status text,
        optimization_score numeric,
        active boolean not null default true,
        status text not null default 'active' check (status in ('active', 'error')),
        last_error text,
        last_verified_at timestamptz,
        last_synced_at timestamptz,
        -- When the backfill had come to its end; null: the nightly job queues it again.
        backfilled_at timestamptz,
        -- The first day that the backfill has stored, newest first; it goes on before it.
        backfilled_from date,
        unique (organisation_id, id),
        constraint ads_accounts_one unique (organisation_id, customer_id),
        foreign key (organisation_id, company_id) references companies (organisation_id, id) on delete set null (company_id),
        foreign key (organisation_id, connection_id) references workspace_connections (organisation_id, id)
          on delete set null (connection_id)
      );
      create index on ads_accounts (organisation_id, descriptive_name, customer_id);
      create index on ads_accounts (organisation_id, company_id) where company_id is not null;
      create index on ads_accounts (organisation_id, connection_id) where connection_id is not null;
      create index on ads_accounts (organisation_id, updated_at);

      -- Figures of a day in the account's zone: of the whole account (one row for each day that was read), of a campaign, of a kind of device.
      create table ads_days (
        organisation_id uuid not null references organisations (id),
        account_id uuid not null,
        dimension text collate "C" not null check (dimension in ('account', 'campaign', 'device')),
        day date not null,
        -- Empty for the account, else the id of the campaign or the word for the device.
        item text collate "C" not null,
        item_name text,
        impressions bigint not null,
        clicks bigint not null,
        cost_micros bigint not null,
        conversions numeric not null,
        conversions_value numeric not null,
        all_conversions numeric not null,
        stored_at timestamptz not null default statement_timestamp(),
        primary key (organisation_id, account_id, dimension, day, item),
        foreign key (organisation_id, account_id) references ads_accounts (organisation_id, id) on delete cascade
      );

      -- What people and rules changed at the provider; the time is in the account's zone.
      create table ads_changes (
        organisation_id uuid not null references organisations (id),
        account_id uuid not null,
        changed_at timestamp not null,
        resource_name text collate "C" not null,
        operation text collate "C" not null,
        resource_type text,
        client_type text,
        user_email text,
        campaign text,
        ad_group text,
        changed_fields text,
        stored_at timestamptz not null default statement_timestamp(),
        primary key (organisation_id, account_id, changed_at, resource_name, operation),
        foreign key (organisation_id, account_id) references ads_accounts (organisation_id, id) on delete cascade
      );
    `);
    for (const table of ["ads_settings", "ads_accounts", "ads_days", "ads_changes"]) await sql(tenantTable(table, application));
    await sql(movesWhenCut("ads_accounts", "company_id", "connection_id"));
  },
};

export default step;

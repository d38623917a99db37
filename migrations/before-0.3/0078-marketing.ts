import { movesWhenCut, SEALED_TYPE, type Step, tenantTable } from "../step.ts";

/** Metric sources of clients, their stored days, and how they are shown (marketing-ads §2). */
const step: Step = {
  async up({ sql, application }) {
    await sql(`${SEALED_TYPE}
      -- What an organisation set; one row at most.
      create table marketing_settings (
        id uuid primary key,
        organisation_id uuid not null unique references organisations (id),
        version int not null default 1,
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        ads_developer_token sealed,
        seranking_api_key sealed,
        default_compare text check (default_compare in ('year', 'previous')),
        rankings jsonb not null default '{}',
        report jsonb not null default '{}',
        unique (organisation_id, id)
      );

      create table marketing_company_settings (
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        version int not null default 1,
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        company_id uuid not null,
        show_key_events boolean not null default true,
        layout jsonb,
        compare text check (compare in ('year', 'previous')),
        rankings jsonb,
        report jsonb,
        unique (organisation_id, id),
        unique (organisation_id, company_id),
        foreign key (organisation_id, company_id) references companies (organisation_id, id) on delete cascade
      );

      create table marketing_links (
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        version int not null default 1,
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        company_id uuid not null,
        website_id uuid,
        source text collate "C" not null,
        external_id text collate "C" not null check (length(external_id) between 1 and 512),
        display_name text not null,
        config jsonb not null default '{}',
        active boolean not null default true,
        -- Whose grant it is read with; null for sources with a key, and where nobody was connected.
        connection_id uuid,
        backfill_done boolean not null default false,
        -- The day up to which the backfill has come, oldest first; it goes on behind it.
        backfilled_to date,
        last_synced_at timestamptz,
        -- A key of the locale files; null after a success.
        last_error text,
        -- No call before this instant: the provider's daily quota is used up.
        paused_until timestamptz,
        -- The run that reads now, over all nodes; a run that has lost its turn writes nothing any more.
        held_by uuid,
        held_until timestamptz,
        unique (organisation_id, id),
        constraint marketing_links_one unique (organisation_id, company_id, source, external_id),
        foreign key (organisation_id, company_id) references companies (organisation_id, id) on delete cascade,
        foreign key (organisation_id, website_id) references websites (organisation_id, id) on delete set null (website_id),
        foreign key (organisation_id, connection_id) references workspace_connections (organisation_id, id)
          on delete set null (connection_id)
      );
      create index on marketing_links (organisation_id, website_id) where website_id is not null;
      create index on marketing_links (organisation_id, connection_id) where connection_id is not null;
      create index on marketing_links (organisation_id, source, external_id);

      -- One row per link and day; metrics by the names of the source, exact numbers.
      create table marketing_days (
        organisation_id uuid not null references organisations (id),
        link_id uuid not null,
        company_id uuid not null,
        source text collate "C" not null,
        day date not null,
        metrics jsonb not null,
        -- Sessions by channel, of sources that tell them.
        channels jsonb,
        currency text,
        stored_at timestamptz not null default statement_timestamp(),
        primary key (organisation_id, link_id, day),
        foreign key (organisation_id, link_id) references marketing_links (organisation_id, id) on delete cascade
      );
      create index marketing_days_of_client on marketing_days (organisation_id, company_id, source, day);

      -- People of a whole span, who are not the sum of its days.
      create table marketing_period_values (
        organisation_id uuid not null references organisations (id),
        link_id uuid not null,
        metric text collate "C" not null,
        start_on date not null,
        end_on date not null,
        value numeric not null,
        stored_at timestamptz not null default statement_timestamp(),
        primary key (organisation_id, link_id, metric, start_on, end_on),
        foreign key (organisation_id, link_id) references marketing_links (organisation_id, id) on delete cascade
      );

      -- Answers of drilldowns and of the picker, kept for their time. Never a failure.
      create table marketing_answers (
        organisation_id uuid not null references organisations (id),
        cache_key text collate "C" not null,
        answer jsonb not null,
        fetched_at timestamptz not null default statement_timestamp(),
        primary key (organisation_id, cache_key)
      );

      -- The WordPress user that a website's plugin is read with.
      create table marketing_website_credentials (
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        version int not null default 1,
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        website_id uuid not null,
        address text not null,
        username text not null,
        password sealed not null,
        unique (organisation_id, id),
        unique (organisation_id, website_id),
        foreign key (organisation_id, website_id) references websites (organisation_id, id) on delete cascade
      );
    `);
    for (const table of [
      "marketing_settings",
      "marketing_company_settings",
      "marketing_links",
      "marketing_days",
      "marketing_period_values",
      "marketing_answers",
      "marketing_website_credentials",
    ])
      await sql(tenantTable(table, application));
    await sql(movesWhenCut("marketing_links", "website_id", "connection_id"));
  },
};

export default step;

import { SEALED_TYPE, type Step, tenantTable } from "../step.ts";

/** An organisation's models, their cost, and its stored reports. */
const step: Step = {
  async up({ sql, application }) {
    await sql(SEALED_TYPE);
    await sql(`
      create table ai_settings (
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        version int not null default 1,
        provider text not null check (provider in ('anthropic', 'openai', 'openai_compatible')),
        api_key sealed not null,
        -- Null is the provider's own address.
        base_url text,
        default_model text not null check (default_model <> ''),
        -- {key: {enabled, model}} of the features that were sent.
        features jsonb not null default '{}',
        house_style text,
        monthly_token_budget int check (monthly_token_budget >= 1),
        speech_provider text check (speech_provider in ('openai', 'openai_compatible')),
        speech_api_key sealed,
        speech_base_url text,
        speech_model text,
        monthly_audio_seconds_budget int check (monthly_audio_seconds_budget >= 1),
        unique (organisation_id, id),
        constraint ai_settings_one unique (organisation_id),
        check (speech_provider is not null or (speech_api_key is null and speech_base_url is null and speech_model is null))
      );

      -- Counts and labels by month, never content.
      create table ai_usage (
        organisation_id uuid not null references organisations (id),
        -- The first day of a calendar month in UTC.
        month date not null check (extract(day from month) = 1),
        feature text not null,
        tokens_in bigint not null default 0,
        tokens_out bigint not null default 0,
        requests int not null default 0,
        audio_seconds int not null default 0,
        primary key (organisation_id, month, feature)
      );

      -- What calls under way may still cost at most; one that a dead node left behind counts until it expires.
      create table ai_reservations (
        organisation_id uuid not null references organisations (id),
        id uuid not null,
        tokens int not null default 0,
        audio_seconds int not null default 0,
        expires_at timestamptz not null,
        primary key (organisation_id, id)
      );

      create table ai_reports (
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        version int not null default 1,
        -- Without a reference: a report outlives its client.
        company_id uuid not null,
        period text not null check (period ~ '^[0-9]{4}-(0[1-9]|1[0-2])$'),
        language text not null,
        title text not null check (title <> ''),
        content text not null default '',
        created_by_name text,
        unique (organisation_id, id)
      );
      create index on ai_reports (organisation_id, period desc, created_at desc, id);
      create index on ai_reports (organisation_id, company_id, period desc);
    `);
    for (const table of ["ai_settings", "ai_usage", "ai_reservations", "ai_reports"]) await sql(tenantTable(table, application));
  },
};

export default step;

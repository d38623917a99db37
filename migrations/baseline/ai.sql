-- Written by `npm run schema -- baseline` from the steps of the schema: the next run replaces it.

-- # tables
create table ai_reports (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  company_id uuid not null,
  period text not null,
  language text not null,
  title text not null,
  content text default ''::text not null,
  created_by_name text,
  constraint ai_reports_period_check CHECK ((period ~ '^[0-9]{4}-(0[1-9]|1[0-2])$'::text)),
  constraint ai_reports_title_check CHECK ((title <> ''::text))
);
create table ai_reservations (
  organisation_id uuid not null,
  id uuid not null,
  tokens integer default 0 not null,
  audio_seconds integer default 0 not null,
  expires_at timestamp with time zone not null
);
create table ai_settings (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  provider text not null,
  api_key sealed not null,
  base_url text,
  default_model text not null,
  features jsonb default '{}'::jsonb not null,
  house_style text,
  monthly_token_budget integer,
  speech_provider text,
  speech_api_key sealed,
  speech_base_url text,
  speech_model text,
  monthly_audio_seconds_budget integer,
  constraint ai_settings_check CHECK (((speech_provider IS NOT NULL) OR ((speech_api_key IS NULL) AND (speech_base_url IS NULL) AND (speech_model IS NULL)))),
  constraint ai_settings_default_model_check CHECK ((default_model <> ''::text)),
  constraint ai_settings_monthly_audio_seconds_budget_check CHECK ((monthly_audio_seconds_budget >= 1)),
  constraint ai_settings_monthly_token_budget_check CHECK ((monthly_token_budget >= 1)),
  constraint ai_settings_provider_check CHECK ((provider = ANY (ARRAY['anthropic'::text, 'openai'::text, 'openai_compatible'::text]))),
  constraint ai_settings_speech_provider_check CHECK ((speech_provider = ANY (ARRAY['openai'::text, 'openai_compatible'::text])))
);
create table ai_usage (
  organisation_id uuid not null,
  month date not null,
  feature text not null,
  tokens_in bigint default 0 not null,
  tokens_out bigint default 0 not null,
  requests integer default 0 not null,
  audio_seconds integer default 0 not null,
  constraint ai_usage_month_check CHECK ((EXTRACT(day FROM month) = (1)::numeric))
);

-- # keys and indexes
alter table ai_reports add constraint ai_reports_pkey PRIMARY KEY (id);
alter table ai_reports add constraint ai_reports_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE INDEX ai_reports_organisation_id_period_created_at_id_idx ON public.ai_reports USING btree (organisation_id, period DESC, created_at DESC, id);
CREATE INDEX ai_reports_organisation_id_company_id_period_idx ON public.ai_reports USING btree (organisation_id, company_id, period DESC);
alter table ai_reservations add constraint ai_reservations_pkey PRIMARY KEY (organisation_id, id);
alter table ai_settings add constraint ai_settings_pkey PRIMARY KEY (id);
alter table ai_settings add constraint ai_settings_organisation_id_id_key UNIQUE (organisation_id, id);
alter table ai_settings add constraint ai_settings_one UNIQUE (organisation_id);
alter table ai_usage add constraint ai_usage_pkey PRIMARY KEY (organisation_id, month, feature);

-- # triggers
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.ai_reports FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('ai_report');
CREATE TRIGGER noted_view AFTER UPDATE OF company_id ON public.ai_reports FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (old.company_id IS DISTINCT FROM new.company_id))) EXECUTE FUNCTION note_left_view('ai_report');

-- # row-level security
alter table ai_reports enable row level security, force row level security;
create policy owner on ai_reports for all to current_user using (true) with check (true);
create policy tenant on ai_reports for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table ai_reservations enable row level security, force row level security;
create policy owner on ai_reservations for all to current_user using (true) with check (true);
create policy tenant on ai_reservations for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table ai_settings enable row level security, force row level security;
create policy owner on ai_settings for all to current_user using (true) with check (true);
create policy tenant on ai_settings for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table ai_usage enable row level security, force row level security;
create policy owner on ai_usage for all to current_user using (true) with check (true);
create policy tenant on ai_usage for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));

-- # grants
grant delete, insert, select, update on ai_reports to :application;
grant delete, insert, select, update on ai_reservations to :application;
grant delete, insert, select, update on ai_settings to :application;
grant delete, insert, select, update on ai_usage to :application;

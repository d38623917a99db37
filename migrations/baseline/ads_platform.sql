-- Written by `npm run schema -- baseline` from the steps of the schema: the next run replaces it.

-- # tables
create table ads_accounts (
  id uuid not null,
  organisation_id uuid not null,
  version integer default 1 not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  customer_id text collate "C" not null,
  login_customer_id text,
  company_id uuid,
  connection_id uuid,
  descriptive_name text collate kantoor_text not null,
  currency_code text,
  time_zone text,
  is_manager boolean default false not null,
  test_account boolean default false not null,
  conversion_tracking_status text,
  optimization_score numeric,
  active boolean default true not null,
  status text default 'active'::text not null,
  last_error text,
  last_verified_at timestamp with time zone,
  last_synced_at timestamp with time zone,
  backfilled_at timestamp with time zone,
  backfilled_from date,
  constraint ads_accounts_customer_id_check CHECK ((customer_id ~ '^[0-9]+$'::text)),
  constraint ads_accounts_login_customer_id_check CHECK ((login_customer_id ~ '^[0-9]+$'::text)),
  constraint ads_accounts_status_check CHECK ((status = ANY (ARRAY['active'::text, 'error'::text])))
);
create table ads_budget_turns (
  organisation_id uuid not null,
  account_id uuid not null,
  budget_id text collate "C" not null,
  holder uuid not null,
  held_until timestamp with time zone not null
);
create table ads_changes (
  organisation_id uuid not null,
  account_id uuid not null,
  changed_at timestamp without time zone not null,
  resource_name text collate "C" not null,
  operation text collate "C" not null,
  resource_type text,
  client_type text,
  user_email text,
  campaign text,
  ad_group text,
  changed_fields text,
  stored_at timestamp with time zone default statement_timestamp() not null
);
create table ads_days (
  organisation_id uuid not null,
  account_id uuid not null,
  dimension text collate "C" not null,
  day date not null,
  item text collate "C" not null,
  item_name text,
  impressions bigint not null,
  clicks bigint not null,
  cost_micros bigint not null,
  conversions numeric not null,
  conversions_value numeric not null,
  all_conversions numeric not null,
  stored_at timestamp with time zone default statement_timestamp() not null,
  constraint ads_days_dimension_check CHECK ((dimension = ANY (ARRAY['account'::text, 'campaign'::text, 'device'::text])))
);
create table ads_decisions (
  id uuid not null,
  organisation_id uuid not null,
  version integer default 1 not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  account_id uuid not null,
  intent_id uuid,
  subject_type text collate "C" not null,
  subject text not null,
  subject_key text collate "C" not null,
  scope text collate "C" not null,
  decision text collate "C" not null,
  reason text default ''::text not null,
  applied boolean default false not null,
  source text collate "C" not null,
  payload jsonb default '{}'::jsonb not null,
  actor_account_id uuid,
  actor_service_account_id uuid,
  actor_name text,
  impersonator_name text,
  expires_on date,
  withdrawn_at timestamp with time zone,
  withdrawn_by_account_id uuid,
  withdrawn_by_service_account_id uuid,
  withdrawn_by_name text,
  constraint ads_decisions_source_check CHECK ((source = ANY (ARRAY['manual'::text, 'write'::text])))
);
create table ads_intents (
  id uuid not null,
  organisation_id uuid not null,
  version integer default 1 not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  account_id uuid not null,
  operation text not null,
  collection text not null,
  digest text collate "C" not null,
  state text collate "C" default 'pending'::text not null,
  work_id uuid,
  activity text not null,
  resource text not null,
  requested integer not null,
  skipped integer not null,
  planned jsonb not null,
  outcome jsonb,
  error_code text,
  settled_at timestamp with time zone,
  actor_account_id uuid,
  actor_service_account_id uuid,
  actor_name text,
  impersonator_name text,
  constraint ads_intents_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'applied'::text, 'refused'::text, 'unknown'::text, 'superseded'::text])))
);
create table ads_policies (
  id uuid not null,
  organisation_id uuid not null,
  version integer default 1 not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  account_id uuid,
  protected_terms text[] default '{}'::text[] not null,
  banned_phrases text[] default '{}'::text[] not null,
  always_exclude text[] default '{}'::text[] not null,
  max_daily_budget numeric,
  max_budget_increase_pct numeric,
  max_cpc numeric,
  waste_min_cost numeric,
  waste_min_clicks integer,
  steering text default ''::text not null,
  ad_copy_rules text default ''::text not null,
  constraint ads_policies_max_budget_increase_pct_check CHECK ((max_budget_increase_pct >= (0)::numeric)),
  constraint ads_policies_max_cpc_check CHECK ((max_cpc >= (0)::numeric)),
  constraint ads_policies_max_daily_budget_check CHECK ((max_daily_budget >= (0)::numeric)),
  constraint ads_policies_waste_min_clicks_check CHECK ((waste_min_clicks >= 0)),
  constraint ads_policies_waste_min_cost_check CHECK ((waste_min_cost >= (0)::numeric))
);
create table ads_settings (
  id uuid not null,
  organisation_id uuid not null,
  version integer default 1 not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  developer_token sealed,
  default_login_customer_id text,
  writes_enabled boolean default true not null,
  constraint ads_settings_default_login_customer_id_check CHECK ((default_login_customer_id ~ '^[0-9]+$'::text))
);

-- # keys and indexes
alter table ads_accounts add constraint ads_accounts_pkey PRIMARY KEY (id);
alter table ads_accounts add constraint ads_accounts_organisation_id_id_key UNIQUE (organisation_id, id);
alter table ads_accounts add constraint ads_accounts_one UNIQUE (organisation_id, customer_id);
CREATE INDEX ads_accounts_organisation_id_descriptive_name_customer_id_idx ON public.ads_accounts USING btree (organisation_id, descriptive_name, customer_id);
CREATE INDEX ads_accounts_organisation_id_company_id_idx ON public.ads_accounts USING btree (organisation_id, company_id) WHERE (company_id IS NOT NULL);
CREATE INDEX ads_accounts_organisation_id_connection_id_idx ON public.ads_accounts USING btree (organisation_id, connection_id) WHERE (connection_id IS NOT NULL);
CREATE INDEX ads_accounts_organisation_id_updated_at_idx ON public.ads_accounts USING btree (organisation_id, updated_at);
alter table ads_budget_turns add constraint ads_budget_turns_pkey PRIMARY KEY (organisation_id, account_id, budget_id);
alter table ads_changes add constraint ads_changes_pkey PRIMARY KEY (organisation_id, account_id, changed_at, resource_name, operation);
alter table ads_days add constraint ads_days_pkey PRIMARY KEY (organisation_id, account_id, dimension, day, item);
alter table ads_decisions add constraint ads_decisions_pkey PRIMARY KEY (id);
alter table ads_decisions add constraint ads_decisions_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE INDEX ads_decisions_organisation_id_account_id_created_at_id_idx ON public.ads_decisions USING btree (organisation_id, account_id, created_at DESC, id DESC);
CREATE INDEX ads_decisions_organisation_id_account_id_subject_key_scope__idx ON public.ads_decisions USING btree (organisation_id, account_id, subject_key, scope, created_at DESC, id DESC);
CREATE INDEX ads_decisions_organisation_id_account_id_updated_at_idx ON public.ads_decisions USING btree (organisation_id, account_id, updated_at);
CREATE INDEX ads_decisions_organisation_id_intent_id_idx ON public.ads_decisions USING btree (organisation_id, intent_id) WHERE (intent_id IS NOT NULL);
alter table ads_intents add constraint ads_intents_pkey PRIMARY KEY (id);
alter table ads_intents add constraint ads_intents_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE UNIQUE INDEX ads_intents_open ON public.ads_intents USING btree (organisation_id, account_id, digest) WHERE (state = ANY (ARRAY['pending'::text, 'unknown'::text]));
CREATE INDEX ads_intents_unsettled ON public.ads_intents USING btree (organisation_id, created_at) WHERE (state = ANY (ARRAY['pending'::text, 'unknown'::text]));
CREATE INDEX ads_intents_organisation_id_account_id_state_created_at_id_idx ON public.ads_intents USING btree (organisation_id, account_id, state, created_at DESC, id DESC);
CREATE INDEX ads_intents_organisation_id_work_id_idx ON public.ads_intents USING btree (organisation_id, work_id) WHERE (work_id IS NOT NULL);
CREATE INDEX ads_intents_changed ON public.ads_intents USING btree (organisation_id, account_id, (((((planned -> 0) -> 'operation'::text) -> 'update'::text) ->> 'resourceName'::text)), created_at) WHERE (((((planned -> 0) -> 'operation'::text) -> 'update'::text) ->> 'resourceName'::text) IS NOT NULL);
CREATE INDEX ads_intents_created ON public.ads_intents USING btree (organisation_id, account_id, (((outcome -> 0) ->> 'resource_name'::text))) WHERE ((operation = 'budgets.create'::text) AND (state = 'applied'::text));
alter table ads_policies add constraint ads_policies_pkey PRIMARY KEY (id);
alter table ads_policies add constraint ads_policies_organisation_id_id_key UNIQUE (organisation_id, id);
alter table ads_policies add constraint ads_policies_one UNIQUE NULLS NOT DISTINCT (organisation_id, account_id);
CREATE INDEX ads_policies_organisation_id_updated_at_idx ON public.ads_policies USING btree (organisation_id, updated_at);
alter table ads_settings add constraint ads_settings_pkey PRIMARY KEY (id);
alter table ads_settings add constraint ads_settings_organisation_id_key UNIQUE (organisation_id);
alter table ads_settings add constraint ads_settings_organisation_id_id_key UNIQUE (organisation_id, id);

-- # references
alter table ads_days add constraint ads_days_organisation_id_account_id_fkey FOREIGN KEY (organisation_id, account_id) REFERENCES ads_accounts(organisation_id, id) ON DELETE CASCADE;
alter table ads_changes add constraint ads_changes_organisation_id_account_id_fkey FOREIGN KEY (organisation_id, account_id) REFERENCES ads_accounts(organisation_id, id) ON DELETE CASCADE;
alter table ads_policies add constraint ads_policies_organisation_id_account_id_fkey FOREIGN KEY (organisation_id, account_id) REFERENCES ads_accounts(organisation_id, id) ON DELETE CASCADE;
alter table ads_intents add constraint ads_intents_organisation_id_account_id_fkey FOREIGN KEY (organisation_id, account_id) REFERENCES ads_accounts(organisation_id, id) ON DELETE CASCADE;
alter table ads_decisions add constraint ads_decisions_organisation_id_account_id_fkey FOREIGN KEY (organisation_id, account_id) REFERENCES ads_accounts(organisation_id, id) ON DELETE CASCADE;
alter table ads_budget_turns add constraint ads_budget_turns_organisation_id_account_id_fkey FOREIGN KEY (organisation_id, account_id) REFERENCES ads_accounts(organisation_id, id) ON DELETE CASCADE;
alter table ads_decisions add constraint ads_decisions_organisation_id_intent_id_fkey FOREIGN KEY (organisation_id, intent_id) REFERENCES ads_intents(organisation_id, id);

-- # triggers
CREATE TRIGGER moved_by_deletion BEFORE UPDATE OF company_id, connection_id ON public.ads_accounts FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((pg_trigger_depth() > 0) AND (new.version = old.version) AND (((old.company_id IS NOT NULL) AND (new.company_id IS NULL)) OR ((old.connection_id IS NOT NULL) AND (new.connection_id IS NULL)))))) EXECUTE FUNCTION moved_by_deletion();
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.ads_accounts FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('ads_account');
CREATE TRIGGER noted_view AFTER UPDATE OF company_id ON public.ads_accounts FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (old.company_id IS DISTINCT FROM new.company_id))) EXECUTE FUNCTION note_left_view('ads_account');

-- # row-level security
alter table ads_accounts enable row level security, force row level security;
create policy owner on ads_accounts for all to current_user using (true) with check (true);
create policy tenant on ads_accounts for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table ads_budget_turns enable row level security, force row level security;
create policy owner on ads_budget_turns for all to current_user using (true) with check (true);
create policy tenant on ads_budget_turns for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table ads_changes enable row level security, force row level security;
create policy owner on ads_changes for all to current_user using (true) with check (true);
create policy tenant on ads_changes for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table ads_days enable row level security, force row level security;
create policy owner on ads_days for all to current_user using (true) with check (true);
create policy tenant on ads_days for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table ads_decisions enable row level security, force row level security;
create policy owner on ads_decisions for all to current_user using (true) with check (true);
create policy tenant on ads_decisions for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table ads_intents enable row level security, force row level security;
create policy owner on ads_intents for all to current_user using (true) with check (true);
create policy tenant on ads_intents for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table ads_policies enable row level security, force row level security;
create policy owner on ads_policies for all to current_user using (true) with check (true);
create policy tenant on ads_policies for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table ads_settings enable row level security, force row level security;
create policy owner on ads_settings for all to current_user using (true) with check (true);
create policy tenant on ads_settings for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));

-- # grants
grant delete, insert, select, update on ads_accounts to :application;
grant delete, insert, select, update on ads_budget_turns to :application;
grant delete, insert, select, update on ads_changes to :application;
grant delete, insert, select, update on ads_days to :application;
grant delete, insert, select, update on ads_decisions to :application;
grant delete, insert, select, update on ads_intents to :application;
grant delete, insert, select, update on ads_policies to :application;
grant delete, insert, select, update on ads_settings to :application;

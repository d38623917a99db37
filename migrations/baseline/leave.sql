-- Written by `npm run schema -- baseline` from the steps of the schema: the next run replaces it.

-- # functions
CREATE OR REPLACE FUNCTION public.remember_contracted()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        insert into leave_contracted (organisation_id, user_id) select organisation_id, user_id from made on conflict do nothing;
        return null;
      end $function$
;

-- # tables
create table leave_availability (
  id uuid not null,
  organisation_id uuid not null,
  user_id uuid not null,
  kind text not null,
  date date not null,
  start_time wall_time,
  end_time wall_time,
  repeat_weeks integer,
  repeat_until date,
  note text,
  pair_id uuid,
  version integer default 1 not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  constraint leave_availability_check CHECK ((repeat_until >= date)),
  constraint leave_availability_check1 CHECK (((repeat_until IS NULL) OR (repeat_weeks IS NOT NULL))),
  constraint leave_availability_kind_check CHECK ((kind = ANY (ARRAY['extra'::text, 'unavailable'::text]))),
  constraint leave_availability_repeat_weeks_check CHECK (((repeat_weeks >= 1) AND (repeat_weeks <= 8)))
);
create table leave_calendar_tokens (
  id uuid not null,
  organisation_id uuid not null,
  membership_id uuid not null,
  token_hash bytea not null,
  version integer default 1 not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null
);
create table leave_contracted (
  organisation_id uuid not null,
  user_id uuid not null
);
create table leave_contracts (
  id uuid not null,
  organisation_id uuid not null,
  user_id uuid not null,
  start_date date not null,
  end_date date,
  employment_type text default 'employee'::text not null,
  contract_hours_per_week numeric(5,2),
  schedule jsonb,
  free_time_hours_per_week numeric(5,2),
  note text,
  version integer default 1 not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  constraint leave_contracts_check CHECK ((end_date >= start_date)),
  constraint leave_contracts_check1 CHECK (((employment_type = 'freelance'::text) OR (contract_hours_per_week IS NOT NULL))),
  constraint leave_contracts_contract_hours_per_week_check CHECK (((contract_hours_per_week > (0)::numeric) AND (contract_hours_per_week <= (80)::numeric))),
  constraint leave_contracts_employment_type_check CHECK ((employment_type = ANY (ARRAY['employee'::text, 'freelance'::text]))),
  constraint leave_contracts_free_time_hours_per_week_check CHECK (((free_time_hours_per_week >= (0)::numeric) AND (free_time_hours_per_week <= (80)::numeric)))
);
create table leave_entitlements (
  id uuid not null,
  organisation_id uuid not null,
  user_id uuid not null,
  leave_type_id uuid not null,
  year integer not null,
  hours numeric(6,2) not null,
  source text default 'generated'::text not null,
  note text,
  version integer default 1 not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  constraint leave_entitlements_hours_check CHECK ((hours >= (0)::numeric)),
  constraint leave_entitlements_source_check CHECK ((source = ANY (ARRAY['generated'::text, 'manual'::text]))),
  constraint leave_entitlements_year_check CHECK (((year >= 2000) AND (year <= 2100)))
);
create table leave_holidays (
  id uuid not null,
  organisation_id uuid not null,
  date date not null,
  name_i18n jsonb default '{}'::jsonb not null,
  active boolean default true not null,
  source text default 'manual'::text not null,
  key text,
  version integer default 1 not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null
);
create table leave_profiles (
  id uuid not null,
  organisation_id uuid not null,
  user_id uuid not null,
  schedule jsonb,
  hours_per_week numeric(5,2),
  hourly_rate numeric(8,2),
  version integer default 1 not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  constraint leave_profiles_hourly_rate_check CHECK (((hourly_rate >= (0)::numeric) AND (hourly_rate <= (100000)::numeric))),
  constraint leave_profiles_hours_per_week_check CHECK ((hours_per_week >= (0)::numeric))
);
create table leave_recurring_days (
  id uuid not null,
  organisation_id uuid not null,
  user_id uuid not null,
  leave_type_id uuid not null,
  anchor_date date not null,
  interval_weeks integer default 1 not null,
  days_per_year integer,
  start_time wall_time,
  end_time wall_time,
  note text,
  active boolean default true not null,
  version integer default 1 not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  constraint leave_recurring_days_days_per_year_check CHECK (((days_per_year >= 1) AND (days_per_year <= 366))),
  constraint leave_recurring_days_interval_weeks_check CHECK (((interval_weeks >= 1) AND (interval_weeks <= 8)))
);
create table leave_requests (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  user_id uuid not null,
  leave_type_id uuid not null,
  status text default 'pending'::text not null,
  start_date date not null,
  end_date date not null,
  start_time wall_time,
  end_time wall_time,
  resolved_start_time wall_time,
  resolved_end_time wall_time,
  hours numeric(6,2) not null,
  hours_override numeric(6,2),
  hours_override_by_user_id uuid,
  note text,
  decided_by_user_id uuid,
  decided_at timestamp with time zone,
  decision_note text,
  resubmitted_at timestamp with time zone,
  recurring_day_id uuid,
  recurring_date date,
  constraint leave_requests_check CHECK ((end_date >= start_date)),
  constraint leave_requests_hours_check CHECK ((hours >= (0)::numeric)),
  constraint leave_requests_hours_override_check CHECK ((hours_override > (0)::numeric)),
  constraint leave_requests_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'rejected'::text, 'cancelled'::text])))
);
create table leave_settings (
  id uuid not null,
  organisation_id uuid not null,
  default_schedule jsonb,
  holiday_country text,
  holiday_auto_import boolean default true not null,
  self_approval boolean default false not null,
  recurring_horizon_months integer default 12 not null,
  default_hourly_rate numeric(8,2),
  version integer default 1 not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  constraint leave_settings_default_hourly_rate_check CHECK (((default_hourly_rate >= (0)::numeric) AND (default_hourly_rate <= (100000)::numeric))),
  constraint leave_settings_recurring_horizon_months_check CHECK (((recurring_horizon_months >= 1) AND (recurring_horizon_months <= 24)))
);
create table leave_types (
  id uuid not null,
  organisation_id uuid not null,
  key text collate "C" not null,
  label_i18n jsonb default '{}'::jsonb not null,
  color text default 'emerald'::text not null,
  paid boolean default true not null,
  tracks_balance boolean default false not null,
  requires_approval boolean default true not null,
  accrues_schedule_gap boolean default false not null,
  calendar_display text default 'all_day'::text not null,
  "position" integer default 0 not null,
  active boolean default true not null,
  default_weeks numeric,
  carry_over_months integer,
  balance_group text,
  version integer default 1 not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  constraint leave_types_balance_group_check CHECK ((balance_group ~ '^[a-z0-9_]{1,50}$'::text)),
  constraint leave_types_calendar_display_check CHECK ((calendar_display = ANY (ARRAY['all_day'::text, 'timed'::text]))),
  constraint leave_types_carry_over_months_check CHECK (((carry_over_months >= 0) AND (carry_over_months <= 120))),
  constraint leave_types_default_weeks_check CHECK (((default_weeks >= (0)::numeric) AND (default_weeks <= (52)::numeric))),
  constraint leave_types_key_check CHECK ((key ~ '^[a-z0-9_]{1,50}$'::text))
);
create table leave_types_seeded (
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null
);

-- # keys and indexes
alter table leave_availability add constraint leave_availability_pkey PRIMARY KEY (id);
alter table leave_availability add constraint leave_availability_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE INDEX leave_availability_of_person ON public.leave_availability USING btree (organisation_id, user_id, date);
CREATE INDEX leave_availability_by_date ON public.leave_availability USING btree (organisation_id, date);
CREATE INDEX leave_availability_pairs ON public.leave_availability USING btree (organisation_id, pair_id) WHERE (pair_id IS NOT NULL);
alter table leave_calendar_tokens add constraint leave_calendar_tokens_pkey PRIMARY KEY (id);
alter table leave_calendar_tokens add constraint leave_calendar_tokens_organisation_id_id_key UNIQUE (organisation_id, id);
alter table leave_calendar_tokens add constraint leave_calendar_tokens_organisation_id_membership_id_key UNIQUE (organisation_id, membership_id);
alter table leave_calendar_tokens add constraint leave_calendar_tokens_organisation_id_token_hash_key UNIQUE (organisation_id, token_hash);
alter table leave_contracted add constraint leave_contracted_pkey PRIMARY KEY (organisation_id, user_id);
alter table leave_contracts add constraint leave_contracts_pkey PRIMARY KEY (id);
alter table leave_contracts add constraint leave_contracts_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE INDEX leave_contracts_of_person ON public.leave_contracts USING btree (organisation_id, user_id, start_date);
alter table leave_entitlements add constraint leave_entitlements_pkey PRIMARY KEY (id);
alter table leave_entitlements add constraint leave_entitlements_organisation_id_id_key UNIQUE (organisation_id, id);
alter table leave_entitlements add constraint leave_entitlements_one UNIQUE (organisation_id, user_id, leave_type_id, year);
CREATE INDEX leave_entitlements_of_type ON public.leave_entitlements USING btree (organisation_id, leave_type_id, year);
CREATE INDEX leave_entitlements_of_year ON public.leave_entitlements USING btree (organisation_id, year, user_id);
alter table leave_holidays add constraint leave_holidays_pkey PRIMARY KEY (id);
alter table leave_holidays add constraint leave_holidays_organisation_id_id_key UNIQUE (organisation_id, id);
alter table leave_holidays add constraint leave_holidays_date_key UNIQUE (organisation_id, date);
alter table leave_profiles add constraint leave_profiles_pkey PRIMARY KEY (id);
alter table leave_profiles add constraint leave_profiles_organisation_id_id_key UNIQUE (organisation_id, id);
alter table leave_profiles add constraint leave_profiles_one UNIQUE (organisation_id, user_id);
alter table leave_recurring_days add constraint leave_recurring_days_pkey PRIMARY KEY (id);
alter table leave_recurring_days add constraint leave_recurring_days_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE INDEX leave_recurring_days_of_person ON public.leave_recurring_days USING btree (organisation_id, user_id, anchor_date);
CREATE INDEX leave_recurring_days_of_type ON public.leave_recurring_days USING btree (organisation_id, leave_type_id);
alter table leave_requests add constraint leave_requests_pkey PRIMARY KEY (id);
alter table leave_requests add constraint leave_requests_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE INDEX leave_requests_of_person ON public.leave_requests USING btree (organisation_id, user_id, start_date, id);
CREATE INDEX leave_requests_of_type ON public.leave_requests USING btree (organisation_id, leave_type_id);
CREATE INDEX leave_requests_of_pattern ON public.leave_requests USING btree (organisation_id, recurring_day_id, recurring_date) WHERE (recurring_day_id IS NOT NULL);
CREATE INDEX leave_requests_by_start ON public.leave_requests USING btree (organisation_id, start_date, id);
CREATE INDEX leave_requests_by_change ON public.leave_requests USING btree (organisation_id, updated_at, start_date, id);
CREATE INDEX leave_requests_by_creation ON public.leave_requests USING btree (organisation_id, created_at, start_date, id);
CREATE INDEX leave_requests_by_end ON public.leave_requests USING btree (organisation_id, end_date, start_date, id);
CREATE INDEX leave_requests_by_hours ON public.leave_requests USING btree (organisation_id, hours, start_date, id);
CREATE INDEX leave_requests_by_hours_down ON public.leave_requests USING btree (organisation_id, hours DESC, start_date, id);
CREATE INDEX leave_requests_by_status ON public.leave_requests USING btree (organisation_id, status, start_date, id);
CREATE INDEX leave_requests_by_status_down ON public.leave_requests USING btree (organisation_id, status DESC, start_date, id);
alter table leave_settings add constraint leave_settings_pkey PRIMARY KEY (id);
alter table leave_settings add constraint leave_settings_organisation_id_id_key UNIQUE (organisation_id, id);
alter table leave_settings add constraint leave_settings_one UNIQUE (organisation_id);
alter table leave_types add constraint leave_types_pkey PRIMARY KEY (id);
alter table leave_types add constraint leave_types_organisation_id_id_key UNIQUE (organisation_id, id);
alter table leave_types add constraint leave_types_key_key UNIQUE (organisation_id, key);
alter table leave_types_seeded add constraint leave_types_seeded_pkey PRIMARY KEY (organisation_id);

-- # references
alter table leave_requests add constraint leave_requests_recurring_fkey FOREIGN KEY (organisation_id, recurring_day_id) REFERENCES leave_recurring_days(organisation_id, id) ON DELETE SET NULL (recurring_day_id);
alter table leave_entitlements add constraint leave_entitlements_type_fkey FOREIGN KEY (organisation_id, leave_type_id) REFERENCES leave_types(organisation_id, id) ON DELETE CASCADE;
alter table leave_recurring_days add constraint leave_recurring_days_type_fkey FOREIGN KEY (organisation_id, leave_type_id) REFERENCES leave_types(organisation_id, id) ON DELETE CASCADE;
alter table leave_requests add constraint leave_requests_type_fkey FOREIGN KEY (organisation_id, leave_type_id) REFERENCES leave_types(organisation_id, id);

-- # triggers
CREATE TRIGGER contracted AFTER INSERT ON public.leave_contracts REFERENCING NEW TABLE AS made FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION remember_contracted();
CREATE TRIGGER moved_by_deletion BEFORE UPDATE OF recurring_day_id ON public.leave_requests FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((pg_trigger_depth() > 0) AND (new.version = old.version) AND ((old.recurring_day_id IS NOT NULL) AND (new.recurring_day_id IS NULL))))) EXECUTE FUNCTION moved_by_deletion();
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.leave_requests FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('leave_request');
CREATE TRIGGER noted_view AFTER UPDATE OF user_id ON public.leave_requests FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (old.user_id IS DISTINCT FROM new.user_id))) EXECUTE FUNCTION note_left_view('leave_request');
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.leave_types FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('leave_type');

-- # row-level security
alter table leave_availability enable row level security, force row level security;
create policy owner on leave_availability for all to current_user using (true) with check (true);
create policy tenant on leave_availability for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table leave_calendar_tokens enable row level security, force row level security;
create policy owner on leave_calendar_tokens for all to current_user using (true) with check (true);
create policy tenant on leave_calendar_tokens for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table leave_contracted enable row level security, force row level security;
create policy owner on leave_contracted for all to current_user using (true) with check (true);
create policy tenant on leave_contracted for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table leave_contracts enable row level security, force row level security;
create policy owner on leave_contracts for all to current_user using (true) with check (true);
create policy tenant on leave_contracts for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table leave_entitlements enable row level security, force row level security;
create policy owner on leave_entitlements for all to current_user using (true) with check (true);
create policy tenant on leave_entitlements for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table leave_holidays enable row level security, force row level security;
create policy owner on leave_holidays for all to current_user using (true) with check (true);
create policy tenant on leave_holidays for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table leave_profiles enable row level security, force row level security;
create policy owner on leave_profiles for all to current_user using (true) with check (true);
create policy tenant on leave_profiles for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table leave_recurring_days enable row level security, force row level security;
create policy owner on leave_recurring_days for all to current_user using (true) with check (true);
create policy tenant on leave_recurring_days for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table leave_requests enable row level security, force row level security;
create policy owner on leave_requests for all to current_user using (true) with check (true);
create policy tenant on leave_requests for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table leave_settings enable row level security, force row level security;
create policy owner on leave_settings for all to current_user using (true) with check (true);
create policy tenant on leave_settings for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table leave_types enable row level security, force row level security;
create policy owner on leave_types for all to current_user using (true) with check (true);
create policy tenant on leave_types for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table leave_types_seeded enable row level security, force row level security;
create policy owner on leave_types_seeded for all to current_user using (true) with check (true);
create policy tenant on leave_types_seeded for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));

-- # grants
grant delete, insert, select, update on leave_availability to :application;
grant delete, insert, select, update on leave_calendar_tokens to :application;
grant delete, insert, select, update on leave_contracted to :application;
grant delete, insert, select, update on leave_contracts to :application;
grant delete, insert, select, update on leave_entitlements to :application;
grant delete, insert, select, update on leave_holidays to :application;
grant delete, insert, select, update on leave_profiles to :application;
grant delete, insert, select, update on leave_recurring_days to :application;
grant delete, insert, select, update on leave_requests to :application;
grant delete, insert, select, update on leave_settings to :application;
grant delete, insert, select, update on leave_types to :application;
grant delete, insert, select, update on leave_types_seeded to :application;

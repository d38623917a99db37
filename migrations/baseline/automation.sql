-- Written by `npm run schema -- baseline` from the steps of the schema: the next run replaces it.

-- # tables
create table automation_matches (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  trigger_event text not null,
  entity_type text not null,
  entity_id uuid not null,
  company_id uuid,
  depth integer not null,
  payload jsonb not null,
  identity text not null,
  run_ids uuid[] not null,
  rule_ids uuid[] not null,
  rule_names text[] not null,
  constraint automation_matches_depth_check CHECK ((depth >= 0))
) with (autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=500);
create table automation_rules (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  name text not null,
  trigger_event text not null,
  conditions jsonb default '{}'::jsonb not null,
  actions jsonb default '[]'::jsonb not null,
  enabled boolean default true not null,
  "position" integer default 0 not null,
  constraint automation_rules_name_check CHECK ((name <> ''::text)),
  constraint automation_rules_trigger_event_check CHECK ((trigger_event <> ''::text))
);
create table automation_runs (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  rule_id uuid,
  rule_name text not null,
  trigger_event text not null,
  entity_type text not null,
  entity_id uuid not null,
  company_id uuid,
  status text default 'pending'::text not null,
  depth integer default 0 not null,
  payload jsonb default '{}'::jsonb not null,
  steps jsonb default '[]'::jsonb not null,
  error text,
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  claimed_by uuid,
  identity text not null,
  actions jsonb,
  constraint automation_runs_depth_check CHECK ((depth >= 0)),
  constraint automation_runs_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'running'::text, 'succeeded'::text, 'failed'::text, 'skipped'::text])))
);

-- # keys and indexes
alter table automation_matches add constraint automation_matches_pkey PRIMARY KEY (organisation_id, id);
alter table automation_rules add constraint automation_rules_pkey PRIMARY KEY (id);
alter table automation_rules add constraint automation_rules_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE INDEX automation_rules_organisation_id_position_created_at_id_idx ON public.automation_rules USING btree (organisation_id, "position", created_at, id);
CREATE INDEX automation_rules_organisation_id_updated_at_idx ON public.automation_rules USING btree (organisation_id, updated_at);
CREATE INDEX automation_rules_organisation_id_trigger_event_position_cre_idx ON public.automation_rules USING btree (organisation_id, trigger_event, "position", created_at, id) WHERE enabled;
alter table automation_runs add constraint automation_runs_pkey PRIMARY KEY (id);
alter table automation_runs add constraint automation_runs_organisation_id_id_key UNIQUE (organisation_id, id);
alter table automation_runs add constraint automation_runs_identity_key UNIQUE (organisation_id, rule_id, identity);
CREATE INDEX automation_runs_organisation_id_created_at_id_idx ON public.automation_runs USING btree (organisation_id, created_at DESC, id DESC);
CREATE INDEX automation_runs_organisation_id_rule_id_created_at_id_idx ON public.automation_runs USING btree (organisation_id, rule_id, created_at DESC, id DESC);
CREATE INDEX automation_runs_organisation_id_updated_at_created_at_id_idx ON public.automation_runs USING btree (organisation_id, updated_at, created_at DESC, id);
CREATE INDEX automation_runs_organisation_id_company_id_idx ON public.automation_runs USING btree (organisation_id, company_id);
CREATE INDEX automation_runs_organisation_id_entity_id_created_at_id_idx ON public.automation_runs USING btree (organisation_id, entity_id, created_at DESC, id DESC);
CREATE INDEX automation_runs_organisation_id_status_created_at_id_idx ON public.automation_runs USING btree (organisation_id, status, created_at DESC, id DESC);

-- # references
alter table automation_runs add constraint automation_runs_rule_fkey FOREIGN KEY (organisation_id, rule_id) REFERENCES automation_rules(organisation_id, id) ON DELETE SET NULL (rule_id);

-- # triggers
CREATE TRIGGER access_changed AFTER INSERT OR DELETE OR UPDATE OF name, trigger_event, conditions, enabled, "position" ON public.automation_rules FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION bump_access_of_row();
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.automation_rules FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('automation_rule');
CREATE TRIGGER moved_by_deletion BEFORE UPDATE OF rule_id ON public.automation_runs FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((pg_trigger_depth() > 0) AND (new.version = old.version) AND ((old.rule_id IS NOT NULL) AND (new.rule_id IS NULL))))) EXECUTE FUNCTION moved_by_deletion();
CREATE TRIGGER reference_cleared BEFORE UPDATE OF rule_id ON public.automation_runs FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (new.version = old.version))) EXECUTE FUNCTION count_cleared_reference();

-- # row-level security
alter table automation_matches enable row level security, force row level security;
create policy owner on automation_matches for all to current_user using (true) with check (true);
create policy tenant on automation_matches for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table automation_rules enable row level security, force row level security;
create policy owner on automation_rules for all to current_user using (true) with check (true);
create policy tenant on automation_rules for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table automation_runs enable row level security, force row level security;
create policy owner on automation_runs for all to current_user using (true) with check (true);
create policy tenant on automation_runs for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));

-- # grants
grant delete, insert, select, update on automation_matches to :application;
grant delete, insert, select, update on automation_rules to :application;
grant delete, insert, select, update on automation_runs to :application;

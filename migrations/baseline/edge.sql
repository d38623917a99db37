-- Written by `npm run schema -- baseline` from the steps of the schema: the next run replaces it.

-- # tables
create table edge_accounts (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  name text not null,
  api_token sealed not null,
  edge_account_id text,
  edge_account_name text,
  provider_id uuid,
  active boolean default true not null,
  status text default 'active'::text not null,
  capabilities jsonb default '{}'::jsonb not null,
  capability_errors jsonb default '{}'::jsonb not null,
  last_verified_at timestamp with time zone,
  last_synced_at timestamp with time zone,
  last_error text,
  registrations_read_at timestamp with time zone,
  sync_asked integer default 0 not null,
  sync_ended integer default 0 not null,
  sync_asked_at timestamp with time zone,
  sync_asked_by jsonb,
  sync_result jsonb,
  constraint edge_accounts_check CHECK ((sync_ended <= sync_asked)),
  constraint edge_accounts_name_check CHECK ((name <> ''::text)),
  constraint edge_accounts_status_check CHECK ((status = ANY (ARRAY['active'::text, 'error'::text])))
);
create table edge_observations (
  organisation_id uuid not null,
  domain_id uuid not null,
  kind text not null,
  found jsonb not null,
  observed_at timestamp with time zone not null,
  targets text[] default '{}'::text[] not null,
  constraint edge_observations_kind_check CHECK ((kind = ANY (ARRAY['redirect_rule'::text, 'page_rule'::text])))
);
create table edge_page_links (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  project_id uuid not null,
  domain_id uuid not null,
  hostname text collate "C" not null,
  status text,
  last_error text,
  discovered_at timestamp with time zone,
  missing_at timestamp with time zone,
  last_checked_at timestamp with time zone
);
create table edge_projects (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  account_id uuid not null,
  name text collate "C" not null,
  subdomain text,
  production_branch text,
  gone boolean default false not null,
  last_synced_at timestamp with time zone
);
create table edge_redirects (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  zone_id uuid not null,
  domain_id uuid not null,
  target_url text not null,
  status_code integer not null,
  preserve_path boolean not null,
  preserve_query boolean not null,
  include_subdomains boolean not null,
  ruleset_id text,
  rule_id text,
  adopted boolean default false not null,
  last_status text default 'pending'::text not null,
  last_error text,
  last_checked_at timestamp with time zone,
  last_pushed_at timestamp with time zone,
  constraint edge_redirects_last_status_check CHECK ((last_status = ANY (ARRAY['pending'::text, 'active'::text, 'drift'::text, 'missing'::text, 'error'::text]))),
  constraint edge_redirects_status_code_check CHECK ((status_code = ANY (ARRAY[301, 302, 307, 308])))
);
create table edge_registrations (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  account_id uuid not null,
  name text collate "C" not null,
  domain_id uuid,
  current_registrar text,
  at_provider boolean not null,
  expires_at timestamp with time zone,
  auto_renew boolean,
  locked boolean,
  registry_statuses text[],
  gone boolean default false not null,
  last_synced_at timestamp with time zone
);
create table edge_zone_leases (
  organisation_id uuid not null,
  zone_id uuid not null,
  holder uuid not null,
  held_until timestamp with time zone not null
);
create table edge_zones (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  account_id uuid not null,
  edge_zone_id text collate "C" not null,
  name text collate "C" not null,
  status text not null,
  plan text,
  paused boolean,
  name_servers text[],
  original_name_servers text[],
  domain_id uuid,
  last_synced_at timestamp with time zone,
  label text
);

-- # keys and indexes
alter table edge_accounts add constraint edge_accounts_pkey PRIMARY KEY (id);
alter table edge_accounts add constraint edge_accounts_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE UNIQUE INDEX edge_accounts_name_key ON public.edge_accounts USING btree (organisation_id, lower((name COLLATE "und-x-icu")));
CREATE INDEX edge_accounts_organisation_id_provider_id_idx ON public.edge_accounts USING btree (organisation_id, provider_id) WHERE (provider_id IS NOT NULL);
alter table edge_observations add constraint edge_observations_pkey PRIMARY KEY (organisation_id, domain_id, kind);
alter table edge_page_links add constraint edge_page_links_pkey PRIMARY KEY (id);
alter table edge_page_links add constraint edge_page_links_organisation_id_id_key UNIQUE (organisation_id, id);
alter table edge_page_links add constraint edge_page_links_key UNIQUE (organisation_id, project_id, hostname);
CREATE INDEX edge_page_links_organisation_id_domain_id_idx ON public.edge_page_links USING btree (organisation_id, domain_id);
alter table edge_projects add constraint edge_projects_pkey PRIMARY KEY (id);
alter table edge_projects add constraint edge_projects_organisation_id_id_key UNIQUE (organisation_id, id);
alter table edge_projects add constraint edge_projects_key UNIQUE (organisation_id, account_id, name);
alter table edge_redirects add constraint edge_redirects_pkey PRIMARY KEY (id);
alter table edge_redirects add constraint edge_redirects_organisation_id_id_key UNIQUE (organisation_id, id);
alter table edge_redirects add constraint edge_redirects_domain_key UNIQUE (organisation_id, domain_id);
CREATE INDEX edge_redirects_organisation_id_zone_id_idx ON public.edge_redirects USING btree (organisation_id, zone_id);
alter table edge_registrations add constraint edge_registrations_pkey PRIMARY KEY (id);
alter table edge_registrations add constraint edge_registrations_organisation_id_id_key UNIQUE (organisation_id, id);
alter table edge_registrations add constraint edge_registrations_key UNIQUE (organisation_id, account_id, name);
CREATE INDEX edge_registrations_organisation_id_domain_id_idx ON public.edge_registrations USING btree (organisation_id, domain_id) WHERE (domain_id IS NOT NULL);
CREATE INDEX edge_registrations_organisation_id_name_idx ON public.edge_registrations USING btree (organisation_id, name);
alter table edge_zone_leases add constraint edge_zone_leases_pkey PRIMARY KEY (organisation_id, zone_id);
alter table edge_zones add constraint edge_zones_pkey PRIMARY KEY (id);
alter table edge_zones add constraint edge_zones_organisation_id_id_key UNIQUE (organisation_id, id);
alter table edge_zones add constraint edge_zones_key UNIQUE (organisation_id, edge_zone_id);
CREATE UNIQUE INDEX edge_zones_domain_key ON public.edge_zones USING btree (organisation_id, domain_id) WHERE (domain_id IS NOT NULL);
CREATE INDEX edge_zones_organisation_id_name_id_idx ON public.edge_zones USING btree (organisation_id, name, id);
CREATE INDEX edge_zones_organisation_id_account_id_name_id_idx ON public.edge_zones USING btree (organisation_id, account_id, name, id);
CREATE INDEX edge_zones_organisation_id_updated_at_idx ON public.edge_zones USING btree (organisation_id, updated_at);

-- # references
alter table edge_zones add constraint edge_zones_account_fkey FOREIGN KEY (organisation_id, account_id) REFERENCES edge_accounts(organisation_id, id) ON DELETE CASCADE;
alter table edge_projects add constraint edge_projects_account_fkey FOREIGN KEY (organisation_id, account_id) REFERENCES edge_accounts(organisation_id, id) ON DELETE CASCADE;
alter table edge_registrations add constraint edge_registrations_account_fkey FOREIGN KEY (organisation_id, account_id) REFERENCES edge_accounts(organisation_id, id) ON DELETE CASCADE;
alter table edge_page_links add constraint edge_page_links_project_fkey FOREIGN KEY (organisation_id, project_id) REFERENCES edge_projects(organisation_id, id) ON DELETE CASCADE;
alter table edge_zone_leases add constraint edge_zone_leases_zone_fkey FOREIGN KEY (organisation_id, zone_id) REFERENCES edge_zones(organisation_id, id) ON DELETE CASCADE;
alter table edge_redirects add constraint edge_redirects_zone_fkey FOREIGN KEY (organisation_id, zone_id) REFERENCES edge_zones(organisation_id, id) ON DELETE CASCADE;

-- # triggers
CREATE TRIGGER moved_by_deletion BEFORE UPDATE OF provider_id ON public.edge_accounts FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((pg_trigger_depth() > 0) AND (new.version = old.version) AND ((old.provider_id IS NOT NULL) AND (new.provider_id IS NULL))))) EXECUTE FUNCTION moved_by_deletion();
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.edge_accounts FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('edge_account');
CREATE TRIGGER domains_told_of_added AFTER INSERT ON public.edge_registrations REFERENCING NEW TABLE AS written FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION tell_domains();
CREATE TRIGGER domains_told_of_changed AFTER UPDATE ON public.edge_registrations REFERENCING NEW TABLE AS written FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION tell_domains();
CREATE TRIGGER domains_told_of_changed_from AFTER UPDATE ON public.edge_registrations REFERENCING OLD TABLE AS written FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION tell_domains();
CREATE TRIGGER domains_told_of_removed AFTER DELETE ON public.edge_registrations REFERENCING OLD TABLE AS written FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION tell_domains();
CREATE TRIGGER moved_by_deletion BEFORE UPDATE OF domain_id ON public.edge_registrations FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((pg_trigger_depth() > 0) AND (new.version = old.version) AND ((old.domain_id IS NOT NULL) AND (new.domain_id IS NULL))))) EXECUTE FUNCTION moved_by_deletion();
CREATE TRIGGER moved_by_deletion BEFORE UPDATE OF domain_id ON public.edge_zones FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((pg_trigger_depth() > 0) AND (new.version = old.version) AND ((old.domain_id IS NOT NULL) AND (new.domain_id IS NULL))))) EXECUTE FUNCTION moved_by_deletion();
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.edge_zones FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('edge_zone');
CREATE TRIGGER noted_view AFTER UPDATE OF domain_id ON public.edge_zones FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (old.domain_id IS DISTINCT FROM new.domain_id))) EXECUTE FUNCTION note_left_view('edge_zone');

-- # row-level security
alter table edge_accounts enable row level security, force row level security;
create policy owner on edge_accounts for all to current_user using (true) with check (true);
create policy tenant on edge_accounts for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table edge_observations enable row level security, force row level security;
create policy owner on edge_observations for all to current_user using (true) with check (true);
create policy tenant on edge_observations for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table edge_page_links enable row level security, force row level security;
create policy owner on edge_page_links for all to current_user using (true) with check (true);
create policy tenant on edge_page_links for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table edge_projects enable row level security, force row level security;
create policy owner on edge_projects for all to current_user using (true) with check (true);
create policy tenant on edge_projects for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table edge_redirects enable row level security, force row level security;
create policy owner on edge_redirects for all to current_user using (true) with check (true);
create policy tenant on edge_redirects for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table edge_registrations enable row level security, force row level security;
create policy owner on edge_registrations for all to current_user using (true) with check (true);
create policy tenant on edge_registrations for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table edge_zone_leases enable row level security, force row level security;
create policy owner on edge_zone_leases for all to current_user using (true) with check (true);
create policy tenant on edge_zone_leases for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table edge_zones enable row level security, force row level security;
create policy owner on edge_zones for all to current_user using (true) with check (true);
create policy tenant on edge_zones for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));

-- # grants
grant delete, insert, select, update on edge_accounts to :application;
grant delete, insert, select, update on edge_observations to :application;
grant delete, insert, select, update on edge_page_links to :application;
grant delete, insert, select, update on edge_projects to :application;
grant delete, insert, select, update on edge_redirects to :application;
grant delete, insert, select, update on edge_registrations to :application;
grant delete, insert, select, update on edge_zone_leases to :application;
grant delete, insert, select, update on edge_zones to :application;

-- Written by `npm run schema -- baseline` from the steps of the schema: the next run replaces it.

-- # tables
create table registrar_accounts (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  adapter text default 'oxxa'::text not null,
  name text not null,
  api_user text not null,
  api_password sealed not null,
  provider_id uuid,
  active boolean default true not null,
  status text default 'active'::text not null,
  tlds text[] default '{}'::text[] not null,
  funds_available numeric(14,2),
  last_verified_at timestamp with time zone,
  last_synced_at timestamp with time zone,
  last_error text,
  pushing uuid,
  pushing_until timestamp with time zone,
  sync_asked integer default 0 not null,
  sync_ended integer default 0 not null,
  sync_asked_at timestamp with time zone,
  sync_asked_by jsonb,
  sync_result jsonb,
  constraint registrar_accounts_api_user_check CHECK ((api_user <> ''::text)),
  constraint registrar_accounts_check CHECK ((sync_ended <= sync_asked)),
  constraint registrar_accounts_name_check CHECK ((name <> ''::text)),
  constraint registrar_accounts_status_check CHECK ((status = ANY (ARRAY['active'::text, 'error'::text])))
);
create table registrar_domains (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  account_id uuid not null,
  name text collate "C" not null,
  label text not null,
  sld text collate "C" not null,
  tld text collate "C",
  domain_id uuid,
  expires_on date,
  transfer_lock boolean,
  autorenew boolean,
  dnssec boolean,
  nsgroup_ref text,
  ns_observed text[],
  ns_desired text[],
  ns_push_status text,
  registry_status text,
  contact_refs jsonb,
  registrant text,
  last_error text,
  last_synced_at timestamp with time zone,
  constraint registrar_domains_ns_push_status_check CHECK ((ns_push_status = ANY (ARRAY['pending'::text, 'active'::text, 'drift'::text, 'missing'::text, 'error'::text])))
);

-- # keys and indexes
alter table registrar_accounts add constraint registrar_accounts_pkey PRIMARY KEY (id);
alter table registrar_accounts add constraint registrar_accounts_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE UNIQUE INDEX registrar_accounts_name_key ON public.registrar_accounts USING btree (organisation_id, lower((name COLLATE "und-x-icu")));
CREATE INDEX registrar_accounts_organisation_id_provider_id_idx ON public.registrar_accounts USING btree (organisation_id, provider_id) WHERE (provider_id IS NOT NULL);
alter table registrar_domains add constraint registrar_domains_pkey PRIMARY KEY (id);
alter table registrar_domains add constraint registrar_domains_organisation_id_id_key UNIQUE (organisation_id, id);
alter table registrar_domains add constraint registrar_domains_key UNIQUE (organisation_id, account_id, name);
CREATE INDEX registrar_domains_organisation_id_domain_id_idx ON public.registrar_domains USING btree (organisation_id, domain_id) WHERE (domain_id IS NOT NULL);
CREATE INDEX registrar_domains_organisation_id_name_idx ON public.registrar_domains USING btree (organisation_id, name);
CREATE INDEX registrar_domains_organisation_id_label_id_idx ON public.registrar_domains USING btree (organisation_id, label COLLATE kantoor_text, id);
CREATE INDEX registrar_domains_organisation_id_updated_at_idx ON public.registrar_domains USING btree (organisation_id, updated_at);

-- # references
alter table registrar_domains add constraint registrar_domains_account_fkey FOREIGN KEY (organisation_id, account_id) REFERENCES registrar_accounts(organisation_id, id) ON DELETE CASCADE;

-- # triggers
CREATE TRIGGER moved_by_deletion BEFORE UPDATE OF provider_id ON public.registrar_accounts FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((pg_trigger_depth() > 0) AND (new.version = old.version) AND ((old.provider_id IS NOT NULL) AND (new.provider_id IS NULL))))) EXECUTE FUNCTION moved_by_deletion();
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.registrar_accounts FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('registrar_account');
CREATE TRIGGER domains_told_of_added AFTER INSERT ON public.registrar_domains REFERENCING NEW TABLE AS written FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION tell_domains();
CREATE TRIGGER domains_told_of_changed AFTER UPDATE ON public.registrar_domains REFERENCING NEW TABLE AS written FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION tell_domains();
CREATE TRIGGER domains_told_of_changed_from AFTER UPDATE ON public.registrar_domains REFERENCING OLD TABLE AS written FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION tell_domains();
CREATE TRIGGER domains_told_of_removed AFTER DELETE ON public.registrar_domains REFERENCING OLD TABLE AS written FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION tell_domains();
CREATE TRIGGER moved_by_deletion BEFORE UPDATE OF domain_id ON public.registrar_domains FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((pg_trigger_depth() > 0) AND (new.version = old.version) AND ((old.domain_id IS NOT NULL) AND (new.domain_id IS NULL))))) EXECUTE FUNCTION moved_by_deletion();
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.registrar_domains FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('registrar_domain');

-- # row-level security
alter table registrar_accounts enable row level security, force row level security;
create policy owner on registrar_accounts for all to current_user using (true) with check (true);
create policy tenant on registrar_accounts for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table registrar_domains enable row level security, force row level security;
create policy owner on registrar_domains for all to current_user using (true) with check (true);
create policy tenant on registrar_domains for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));

-- # grants
grant delete, insert, select, update on registrar_accounts to :application;
grant delete, insert, select, update on registrar_domains to :application;

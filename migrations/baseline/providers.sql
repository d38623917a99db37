-- Written by `npm run schema -- baseline` from the steps of the schema: the next run replaces it.

-- # tables
create table providers (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  kind text not null,
  name text not null,
  config jsonb default '{}'::jsonb not null,
  active boolean default true not null,
  "position" integer default 0 not null,
  constraint providers_kind_check CHECK ((kind = ANY (ARRAY['email'::text, 'dns'::text, 'registrar'::text, 'hosting'::text]))),
  constraint providers_name_check CHECK ((name <> ''::text))
);

-- # keys and indexes
alter table providers add constraint providers_pkey PRIMARY KEY (id);
alter table providers add constraint providers_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE INDEX providers_organisation_id_position_name_id_idx ON public.providers USING btree (organisation_id, "position", name COLLATE kantoor_text, id);
CREATE INDEX providers_organisation_id_updated_at_idx ON public.providers USING btree (organisation_id, updated_at);

-- # references
alter table domains add constraint domains_registrar_provider_fkey FOREIGN KEY (organisation_id, registrar_provider_id) REFERENCES providers(organisation_id, id) ON DELETE SET NULL (registrar_provider_id);
alter table domains add constraint domains_dns_provider_fkey FOREIGN KEY (organisation_id, dns_provider_id) REFERENCES providers(organisation_id, id) ON DELETE SET NULL (dns_provider_id);
alter table domains add constraint domains_email_provider_fkey FOREIGN KEY (organisation_id, email_provider_id) REFERENCES providers(organisation_id, id) ON DELETE SET NULL (email_provider_id);
alter table hostings add constraint hostings_provider_fkey FOREIGN KEY (organisation_id, provider_id) REFERENCES providers(organisation_id, id) ON DELETE SET NULL (provider_id);
alter table edge_accounts add constraint edge_accounts_provider_fkey FOREIGN KEY (organisation_id, provider_id) REFERENCES providers(organisation_id, id) ON DELETE SET NULL (provider_id);
alter table registrar_accounts add constraint registrar_accounts_provider_fkey FOREIGN KEY (organisation_id, provider_id) REFERENCES providers(organisation_id, id) ON DELETE SET NULL (provider_id);

-- # triggers
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.providers FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('provider');

-- # row-level security
alter table providers enable row level security, force row level security;
create policy owner on providers for all to current_user using (true) with check (true);
create policy tenant on providers for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));

-- # grants
grant delete, insert, select, update on providers to :application;

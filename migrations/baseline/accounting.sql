-- Written by `npm run schema -- baseline` from the steps of the schema: the next run replaces it.

-- # tables
create table external_refs (
  id uuid not null,
  organisation_id uuid not null,
  provider text not null,
  local_type text not null,
  local_id uuid not null,
  external_id text not null,
  payload jsonb default '{}'::jsonb not null,
  synced_at timestamp with time zone,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  constraint external_refs_local_type_check CHECK ((local_type <> ''::text)),
  constraint external_refs_provider_check CHECK ((provider <> ''::text))
);

-- # keys and indexes
alter table external_refs add constraint external_refs_pkey PRIMARY KEY (id);
alter table external_refs add constraint external_refs_organisation_id_id_key UNIQUE (organisation_id, id);
alter table external_refs add constraint external_refs_local_key UNIQUE (organisation_id, provider, local_type, local_id);
CREATE INDEX external_refs_organisation_id_local_type_local_id_idx ON public.external_refs USING btree (organisation_id, local_type, local_id);

-- # row-level security
alter table external_refs enable row level security, force row level security;
create policy owner on external_refs for all to current_user using (true) with check (true);
create policy tenant on external_refs for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));

-- # grants
grant delete, insert, select, update on external_refs to :application;

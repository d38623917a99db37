-- Written by `npm run schema -- baseline` from the steps of the schema: the next run replaces it.

-- # tables
create table activity (
  id uuid not null,
  organisation_id uuid not null,
  entity_type text not null,
  entity_id uuid not null,
  action text not null,
  payload jsonb default '{}'::jsonb not null,
  actor_account_id uuid,
  actor_service_account_id uuid,
  actor_name text,
  impersonator_name text,
  created_at timestamp with time zone default statement_timestamp() not null,
  request_id text
);

-- # keys and indexes
alter table activity add constraint activity_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE INDEX activity_organisation_id_entity_type_entity_id_created_at_i_idx ON public.activity USING btree (organisation_id, entity_type, entity_id, created_at DESC, id DESC);

-- # row-level security
alter table activity enable row level security, force row level security;
create policy owner on activity for all to current_user using (true) with check (true);
create policy tenant on activity for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));

-- # grants
grant insert, select on activity to :application;

-- Written by `npm run schema -- baseline` from the steps of the schema: the next run replaces it.

-- # tables
create table former_selections (
  organisation_id uuid not null,
  source_id uuid not null,
  company_id uuid not null,
  gone_at timestamp with time zone default statement_timestamp() not null
);
create table gone_rows (
  id uuid default gen_random_uuid() not null,
  organisation_id uuid not null,
  entity_type text not null,
  entity_id uuid not null,
  reason text not null,
  gone_at timestamp with time zone default statement_timestamp() not null,
  companies uuid[],
  for_clients boolean not null,
  needs text,
  persons uuid[] default '{}'::uuid[] not null,
  constraint gone_rows_reason_check CHECK ((reason = ANY (ARRAY['deleted'::text, 'left_view'::text])))
);

-- # keys and indexes
alter table former_selections add constraint former_selections_pkey PRIMARY KEY (organisation_id, source_id, company_id);
CREATE INDEX former_selections_organisation_id_gone_at_idx ON public.former_selections USING btree (organisation_id, gone_at);
alter table gone_rows add constraint gone_rows_pkey PRIMARY KEY (organisation_id, id);
CREATE INDEX gone_rows_organisation_id_entity_type_gone_at_id_idx ON public.gone_rows USING btree (organisation_id, entity_type, gone_at, id);
CREATE INDEX gone_rows_organisation_id_entity_id_entity_type_gone_at_idx ON public.gone_rows USING btree (organisation_id, entity_id, entity_type, gone_at) WHERE (reason = 'deleted'::text);
CREATE INDEX gone_rows_organisation_id_gone_at_idx ON public.gone_rows USING btree (organisation_id, gone_at);

-- # row-level security
alter table former_selections enable row level security, force row level security;
create policy owner on former_selections for all to current_user using (true) with check (true);
create policy tenant on former_selections for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table gone_rows enable row level security, force row level security;
create policy owner on gone_rows for all to current_user using (true) with check (true);
create policy tenant on gone_rows for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));

-- # comments
comment on table gone_rows is 'Rows that copies of lists have to remove, with their former readers (conventions §10)';

-- # grants
grant delete, insert, select, update on former_selections to :application;
grant delete, insert, select, update on gone_rows to :application;

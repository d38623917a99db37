-- Written by `npm run schema -- baseline` from the steps of the schema: the next run replaces it.

-- # tables
create table nav_layouts (
  id uuid default gen_random_uuid() not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  account_id uuid,
  items jsonb not null,
  groups jsonb not null,
  constraint nav_layouts_groups_check CHECK ((jsonb_typeof(groups) = 'array'::text)),
  constraint nav_layouts_items_check CHECK ((jsonb_typeof(items) = 'array'::text))
);

-- # keys and indexes
alter table nav_layouts add constraint nav_layouts_pkey PRIMARY KEY (id);
alter table nav_layouts add constraint nav_layouts_organisation_id_id_key UNIQUE (organisation_id, id);
alter table nav_layouts add constraint nav_layouts_owner_key UNIQUE NULLS NOT DISTINCT (organisation_id, account_id);
CREATE INDEX nav_layouts_account_id_idx ON public.nav_layouts USING btree (account_id);

-- # row-level security
alter table nav_layouts enable row level security, force row level security;
create policy owner on nav_layouts for all to current_user using (true) with check (true);
create policy tenant on nav_layouts for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));

-- # grants
grant delete, insert, select, update on nav_layouts to :application;

-- Written by `npm run schema -- baseline` from the steps of the schema: the next run replaces it.

-- # tables
create table dunning_notices (
  id uuid default gen_random_uuid() not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  invoice_id uuid not null,
  level integer not null,
  sent_on date not null,
  sent_to text,
  pay_by date not null,
  announces_costs boolean default false not null,
  subject text not null,
  text text not null,
  principal numeric(12,2) not null,
  interest numeric(12,2) not null,
  interest_parts jsonb default '[]'::jsonb not null,
  fee numeric(12,2) not null,
  fees numeric(12,2) not null,
  costs numeric(12,2) not null,
  announced numeric(12,2),
  total numeric(12,2) not null,
  constraint dunning_notices_check CHECK ((pay_by >= sent_on)),
  constraint dunning_notices_level_check CHECK (((level >= 1) AND (level <= 4)))
);
create table dunning_pauses (
  id uuid default gen_random_uuid() not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  company_id uuid not null,
  invoice_id uuid,
  reason text not null,
  until date
);
create table dunning_settings (
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  enabled boolean default false not null,
  levels jsonb not null,
  rates jsonb default '[]'::jsonb not null
);

-- # keys and indexes
alter table dunning_notices add constraint dunning_notices_pkey PRIMARY KEY (id);
alter table dunning_notices add constraint dunning_notices_organisation_id_id_key UNIQUE (organisation_id, id);
alter table dunning_notices add constraint dunning_notices_level UNIQUE (organisation_id, invoice_id, level);
alter table dunning_pauses add constraint dunning_pauses_pkey PRIMARY KEY (id);
alter table dunning_pauses add constraint dunning_pauses_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE INDEX dunning_pauses_organisation_id_created_at_id_idx ON public.dunning_pauses USING btree (organisation_id, created_at DESC, id);
CREATE INDEX dunning_pauses_organisation_id_updated_at_idx ON public.dunning_pauses USING btree (organisation_id, updated_at);
CREATE INDEX dunning_pauses_organisation_id_company_id_idx ON public.dunning_pauses USING btree (organisation_id, company_id);
CREATE INDEX dunning_pauses_organisation_id_invoice_id_idx ON public.dunning_pauses USING btree (organisation_id, invoice_id);
alter table dunning_settings add constraint dunning_settings_pkey PRIMARY KEY (organisation_id);

-- # triggers
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.dunning_pauses FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('dunning_pause');

-- # row-level security
alter table dunning_notices enable row level security, force row level security;
create policy owner on dunning_notices for all to current_user using (true) with check (true);
create policy tenant on dunning_notices for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table dunning_pauses enable row level security, force row level security;
create policy owner on dunning_pauses for all to current_user using (true) with check (true);
create policy tenant on dunning_pauses for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table dunning_settings enable row level security, force row level security;
create policy owner on dunning_settings for all to current_user using (true) with check (true);
create policy tenant on dunning_settings for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));

-- # grants
grant delete, insert, select, update on dunning_notices to :application;
grant delete, insert, select, update on dunning_pauses to :application;
grant delete, insert, select, update on dunning_settings to :application;

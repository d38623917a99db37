-- Written by `npm run schema -- baseline` from the steps of the schema: the next run replaces it.

-- # tables
create table instance_administrators (
  id uuid default gen_random_uuid() not null,
  email text not null,
  full_name text,
  capabilities text[] default '{}'::text[] not null,
  is_active boolean default true not null,
  password_hash text not null,
  password_expires_at timestamp with time zone,
  totp_secret sealed,
  totp_confirmed_at timestamp with time zone,
  totp_last_step bigint default 0 not null,
  failures integer default 0 not null,
  last_failure_at timestamp with time zone,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  constraint instance_administrators_email_check CHECK ((email = lower(email))),
  constraint instance_administrators_full_name_check CHECK ((full_name <> ''::text))
);
create table instance_challenges (
  token_hash bytea not null,
  administrator_id uuid not null,
  expires_at timestamp with time zone not null
);
create table instance_keys (
  id uuid default gen_random_uuid() not null,
  administrator_id uuid not null,
  name text not null,
  lookup text not null,
  secret_hash bytea not null,
  capabilities text[] not null,
  organisations uuid[],
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  created_at timestamp with time zone default statement_timestamp() not null,
  constraint instance_keys_name_check CHECK ((name <> ''::text))
);
create table instance_sessions (
  id uuid default gen_random_uuid() not null,
  administrator_id uuid not null,
  token_hash bytea not null,
  address text not null,
  user_agent text,
  created_at timestamp with time zone default statement_timestamp() not null,
  expires_at timestamp with time zone not null
);
create table organisation_backups (
  id uuid not null,
  organisation uuid not null,
  slug text not null,
  name text not null,
  state text default 'waiting'::text not null,
  step text,
  done bigint default 0 not null,
  total bigint,
  version text,
  taken_at timestamp with time zone,
  tables integer,
  rows bigint,
  files integer,
  files_missing integer,
  bytes bigint,
  backend text,
  content_key sealed,
  error text,
  requested_by text not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  finished_at timestamp with time zone,
  expires_at timestamp with time zone,
  constraint organisation_backups_backend_check CHECK ((backend = ANY (ARRAY['disk'::text, 's3'::text]))),
  constraint organisation_backups_check CHECK (((state = 'ready'::text) <= ((content_key IS NOT NULL) AND (backend IS NOT NULL) AND (taken_at IS NOT NULL)))),
  constraint organisation_backups_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'running'::text, 'ready'::text, 'failed'::text])))
);
create table organisation_restores (
  id uuid not null,
  backup_id uuid not null,
  slug text not null,
  name text,
  state text default 'waiting'::text not null,
  step text,
  done bigint default 0 not null,
  total bigint,
  organisation uuid,
  rows bigint,
  files integer,
  accounts integer,
  error text,
  requested_by text not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  finished_at timestamp with time zone,
  constraint organisation_restores_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'running'::text, 'done'::text, 'failed'::text])))
);
create table organisation_suspensions (
  organisation uuid not null,
  suspended_at timestamp with time zone,
  reason text,
  purge_at timestamp with time zone,
  purge_reason text,
  purging_since timestamp with time zone,
  constraint organisation_suspensions_check CHECK (((suspended_at IS NOT NULL) OR (purge_at IS NOT NULL))),
  constraint organisation_suspensions_purge_reason_check CHECK ((purge_reason <> ''::text)),
  constraint organisation_suspensions_reason_check CHECK ((reason <> ''::text))
);

-- # keys and indexes
alter table instance_administrators add constraint instance_administrators_pkey PRIMARY KEY (id);
alter table instance_administrators add constraint instance_administrators_email_key UNIQUE (email);
alter table instance_challenges add constraint instance_challenges_pkey PRIMARY KEY (token_hash);
CREATE INDEX instance_challenges_administrator ON public.instance_challenges USING btree (administrator_id);
alter table instance_keys add constraint instance_keys_pkey PRIMARY KEY (id);
alter table instance_keys add constraint instance_keys_lookup_key UNIQUE (lookup);
CREATE INDEX instance_keys_administrator ON public.instance_keys USING btree (administrator_id);
alter table instance_sessions add constraint instance_sessions_pkey PRIMARY KEY (id);
alter table instance_sessions add constraint instance_sessions_token_hash_key UNIQUE (token_hash);
CREATE INDEX instance_sessions_administrator ON public.instance_sessions USING btree (administrator_id);
alter table organisation_backups add constraint organisation_backups_pkey PRIMARY KEY (id);
CREATE INDEX organisation_backups_organisation ON public.organisation_backups USING btree (organisation, created_at);
CREATE INDEX organisation_backups_expiry ON public.organisation_backups USING btree (expires_at) WHERE (expires_at IS NOT NULL);
alter table organisation_restores add constraint organisation_restores_pkey PRIMARY KEY (id);
CREATE INDEX organisation_restores_backup ON public.organisation_restores USING btree (backup_id);
alter table organisation_suspensions add constraint organisation_suspensions_pkey PRIMARY KEY (organisation);
CREATE INDEX organisation_suspensions_purge ON public.organisation_suspensions USING btree (purge_at) WHERE (purge_at IS NOT NULL);

-- # references
alter table instance_challenges add constraint instance_challenges_administrator_id_fkey FOREIGN KEY (administrator_id) REFERENCES instance_administrators(id) ON DELETE CASCADE;
alter table instance_sessions add constraint instance_sessions_administrator_id_fkey FOREIGN KEY (administrator_id) REFERENCES instance_administrators(id) ON DELETE CASCADE;
alter table instance_keys add constraint instance_keys_administrator_id_fkey FOREIGN KEY (administrator_id) REFERENCES instance_administrators(id) ON DELETE CASCADE;
alter table organisation_restores add constraint organisation_restores_backup_id_fkey FOREIGN KEY (backup_id) REFERENCES organisation_backups(id) ON DELETE CASCADE;

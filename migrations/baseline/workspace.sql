-- Written by `npm run schema -- baseline` from the steps of the schema: the next run replaces it.

-- # functions
CREATE OR REPLACE FUNCTION public.mailbox_switched_off()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        update workspace_mailboxes set history_id = null, gap_open = false where organisation_id = new.organisation_id and connection_id = new.id;
        return null;
      end $function$
;
CREATE OR REPLACE FUNCTION public.workspace_grant_ended()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        insert into workspace_ended_grants (id, organisation_id, subject, client_id, email, refresh_token)
        values (old.id, old.organisation_id, old.subject, old.client_id, old.email, old.refresh_token);
        insert into outbox (id, organisation_id, job, payload, key, dedupe)
        values (gen_random_uuid(), old.organisation_id, 'workspace.grants.revoke', jsonb_build_object('grant_id', old.id), old.id, old.id);
        return null;
      end $function$
;
CREATE OR REPLACE FUNCTION public.workspace_grant_in_use(person text, oauth_client text)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public'
AS $function$
        select exists (select from workspace_connections c join organisations o on o.id = c.organisation_id and o.status <> 'deleted'
          where c.subject = person and c.client_id = oauth_client and c.status = 'active') $function$
;

-- # tables
create table drive_creations (
  organisation_id uuid not null,
  place text not null,
  holder uuid,
  held_until timestamp with time zone not null,
  asked_at timestamp with time zone,
  drive_file_id text,
  changed_at timestamp with time zone default statement_timestamp() not null
);
create table drive_links (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  company_id uuid,
  project_id uuid,
  task_id uuid,
  entity_type text generated always as (
CASE
    WHEN (company_id IS NOT NULL) THEN 'company'::text
    WHEN (project_id IS NOT NULL) THEN 'project'::text
    ELSE 'task'::text
END) stored not null,
  entity_id uuid generated always as (COALESCE(company_id, project_id, task_id)) stored not null,
  drive_file_id text not null,
  drive_url text not null,
  name text not null,
  mime_type text,
  is_folder boolean not null,
  is_root boolean default false not null,
  created_by_account_id uuid,
  created_by_name text,
  constraint drive_links_check CHECK ((num_nonnulls(company_id, project_id, task_id) = 1)),
  constraint drive_links_check1 CHECK ((is_folder OR (NOT is_root)))
);
create unlogged table drive_listings (
  organisation_id uuid not null,
  account_id uuid not null,
  folder_id text not null,
  term text not null,
  content jsonb not null,
  read_at timestamp with time zone default statement_timestamp() not null
);
create table drive_provisions (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  company_id uuid,
  project_id uuid,
  task_id uuid,
  entity_type text generated always as (
CASE
    WHEN (company_id IS NOT NULL) THEN 'company'::text
    WHEN (project_id IS NOT NULL) THEN 'project'::text
    ELSE 'task'::text
END) stored not null,
  entity_id uuid generated always as (COALESCE(company_id, project_id, task_id)) stored not null,
  state text default 'waiting'::text not null,
  attempts integer default 0 not null,
  due_at timestamp with time zone default statement_timestamp() not null,
  drive_file_id text,
  last_error text,
  constraint drive_provisions_check CHECK ((num_nonnulls(company_id, project_id, task_id) = 1)),
  constraint drive_provisions_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'failed'::text])))
);
create table workspace_calendar_channels (
  id uuid not null,
  organisation_id uuid not null,
  connection_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  status text not null,
  secret_hash bytea not null,
  resource_id text,
  expires_at timestamp with time zone,
  constraint workspace_calendar_channels_check CHECK (((status = 'opening'::text) OR ((resource_id IS NOT NULL) AND (expires_at IS NOT NULL)))),
  constraint workspace_calendar_channels_status_check CHECK ((status = ANY (ARRAY['opening'::text, 'active'::text, 'lapsed'::text])))
);
create table workspace_calendar_events (
  organisation_id uuid not null,
  connection_id uuid not null,
  fill uuid not null,
  event_id text collate "C" not null,
  recurring_event_id text collate "C",
  mirror_key text collate "C",
  status text not null,
  title text not null,
  html_link text,
  starts_at timestamp with time zone,
  ends_at timestamp with time zone,
  start_date date,
  end_date date,
  is_free boolean default false not null,
  constraint workspace_calendar_events_check CHECK (((num_nonnulls(starts_at, ends_at) = ANY (ARRAY[0, 2])) AND ((num_nonnulls(starts_at, ends_at) + num_nonnulls(start_date, end_date)) = 2))),
  constraint workspace_calendar_events_status_check CHECK ((status = ANY (ARRAY['confirmed'::text, 'tentative'::text, 'cancelled'::text])))
);
create table workspace_calendar_mirrors (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  account_id uuid not null,
  kind text collate "C" not null,
  source_id uuid not null,
  mirror_key text collate "C" not null,
  generation integer default 0 not null,
  subject text,
  presence text default 'absent'::text not null,
  content_hash bytea,
  revision integer default 1 not null,
  status text default 'pending'::text not null,
  attempts integer default 0 not null,
  last_error text,
  queued_at timestamp with time zone default statement_timestamp() not null,
  names text[],
  restored_hash bytea,
  constraint workspace_calendar_mirrors_kind_check CHECK ((kind = ANY (ARRAY['leave'::text, 'availability'::text, 'schedule'::text]))),
  constraint workspace_calendar_mirrors_presence_check CHECK ((presence = ANY (ARRAY['absent'::text, 'asked'::text, 'there'::text]))),
  constraint workspace_calendar_mirrors_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'done'::text, 'failed'::text])))
);
create table workspace_calendars (
  organisation_id uuid not null,
  connection_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  sync_token text,
  fill uuid,
  filled_at timestamp with time zone,
  last_synced_at timestamp with time zone,
  watched_at timestamp with time zone,
  pulled_by uuid,
  last_error text
);
create table workspace_connections (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  account_id uuid not null,
  subject text not null,
  client_id text not null,
  email text not null,
  status text default 'active'::text not null,
  scopes text[] default '{}'::text[] not null,
  refresh_token sealed not null,
  access_token sealed,
  access_expires_at timestamp with time zone,
  refresh_holder uuid,
  refresh_until timestamp with time zone,
  mail_sync_enabled boolean default false not null,
  mail_excluded_label text,
  connected_at timestamp with time zone default statement_timestamp() not null,
  error_since timestamp with time zone,
  last_error text,
  constraint workspace_connections_status_check CHECK ((status = ANY (ARRAY['active'::text, 'error'::text])))
);
create table workspace_ended_grants (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  subject text not null,
  client_id text not null,
  email text not null,
  refresh_token sealed not null
);
create table workspace_mail_skips (
  organisation_id uuid not null,
  connection_id uuid not null,
  message_id text not null,
  reason text not null,
  detail jsonb default '{}'::jsonb not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  constraint workspace_mail_skips_reason_check CHECK ((reason = ANY (ARRAY['deferred_to_owner'::text, 'ingest_error'::text])))
);
create table workspace_mailboxes (
  organisation_id uuid not null,
  connection_id uuid not null,
  history_id text,
  polled_at timestamp with time zone,
  gap_since timestamp with time zone,
  gap_open boolean default false not null,
  stuck_message_id text,
  stuck_times integer default 0 not null,
  asked_at timestamp with time zone,
  asked integer default 0 not null,
  ended integer default 0 not null,
  result jsonb
);
create table workspace_settings (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  client_id text,
  client_secret sealed,
  calendar_enabled boolean default false not null,
  drive_enabled boolean default false not null,
  mail_enabled boolean default false not null,
  drive_shared_drive_id text,
  drive_parent_folder_id text,
  drive_template_folder_id text,
  drive_auto_provision boolean default false not null,
  automation_connection_user_id uuid,
  mail_approval_mode text default 'approval_required'::text not null,
  mail_thread_followup text default 'inherit_pending'::text not null,
  mail_log_internal boolean default false not null,
  constraint workspace_settings_mail_approval_mode_check CHECK ((mail_approval_mode = ANY (ARRAY['approval_required'::text, 'auto_approve'::text]))),
  constraint workspace_settings_mail_thread_followup_check CHECK ((mail_thread_followup = ANY (ARRAY['inherit_pending'::text, 'inherit_approve'::text])))
);

-- # keys and indexes
alter table drive_creations add constraint drive_creations_pkey PRIMARY KEY (organisation_id, place);
CREATE INDEX drive_creations_organisation_id_changed_at_idx ON public.drive_creations USING btree (organisation_id, changed_at);
alter table drive_links add constraint drive_links_pkey PRIMARY KEY (id);
alter table drive_links add constraint drive_links_organisation_id_id_key UNIQUE (organisation_id, id);
alter table drive_links add constraint drive_links_file UNIQUE (organisation_id, entity_id, entity_type, drive_file_id);
CREATE INDEX drive_links_organisation_id_company_id_idx ON public.drive_links USING btree (organisation_id, company_id) WHERE (company_id IS NOT NULL);
CREATE INDEX drive_links_organisation_id_project_id_idx ON public.drive_links USING btree (organisation_id, project_id) WHERE (project_id IS NOT NULL);
CREATE INDEX drive_links_organisation_id_task_id_idx ON public.drive_links USING btree (organisation_id, task_id) WHERE (task_id IS NOT NULL);
CREATE UNIQUE INDEX drive_links_root ON public.drive_links USING btree (organisation_id, entity_id, entity_type) WHERE is_root;
CREATE INDEX drive_links_organisation_id_drive_file_id_idx ON public.drive_links USING btree (organisation_id, drive_file_id) WHERE is_root;
CREATE INDEX drive_links_created_by_account_id_idx ON public.drive_links USING btree (created_by_account_id);
alter table drive_listings add constraint drive_listings_pkey PRIMARY KEY (organisation_id, account_id, folder_id, term);
CREATE INDEX drive_listings_organisation_id_read_at_idx ON public.drive_listings USING btree (organisation_id, read_at);
alter table drive_provisions add constraint drive_provisions_pkey PRIMARY KEY (id);
alter table drive_provisions add constraint drive_provisions_organisation_id_id_key UNIQUE (organisation_id, id);
alter table drive_provisions add constraint drive_provisions_record UNIQUE (organisation_id, entity_id, entity_type);
CREATE INDEX drive_provisions_organisation_id_company_id_idx ON public.drive_provisions USING btree (organisation_id, company_id) WHERE (company_id IS NOT NULL);
CREATE INDEX drive_provisions_organisation_id_project_id_idx ON public.drive_provisions USING btree (organisation_id, project_id) WHERE (project_id IS NOT NULL);
CREATE INDEX drive_provisions_organisation_id_task_id_idx ON public.drive_provisions USING btree (organisation_id, task_id) WHERE (task_id IS NOT NULL);
CREATE INDEX drive_provisions_organisation_id_due_at_idx ON public.drive_provisions USING btree (organisation_id, due_at) WHERE (state = 'waiting'::text);
alter table workspace_calendar_channels add constraint workspace_calendar_channels_pkey PRIMARY KEY (id);
alter table workspace_calendar_channels add constraint workspace_calendar_channels_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE UNIQUE INDEX workspace_calendar_channels_active ON public.workspace_calendar_channels USING btree (organisation_id, connection_id) WHERE (status = 'active'::text);
CREATE INDEX workspace_calendar_channels_organisation_id_connection_id_idx ON public.workspace_calendar_channels USING btree (organisation_id, connection_id);
alter table workspace_calendar_events add constraint workspace_calendar_events_pkey PRIMARY KEY (organisation_id, connection_id, fill, event_id);
CREATE INDEX workspace_calendar_events_timed ON public.workspace_calendar_events USING btree (organisation_id, connection_id, fill, ends_at) WHERE (ends_at IS NOT NULL);
CREATE INDEX workspace_calendar_events_days ON public.workspace_calendar_events USING btree (organisation_id, connection_id, fill, end_date) WHERE (end_date IS NOT NULL);
CREATE INDEX workspace_calendar_events_series ON public.workspace_calendar_events USING btree (organisation_id, connection_id, fill, recurring_event_id) WHERE (recurring_event_id IS NOT NULL);
alter table workspace_calendar_mirrors add constraint workspace_calendar_mirrors_pkey PRIMARY KEY (id);
alter table workspace_calendar_mirrors add constraint workspace_calendar_mirrors_organisation_id_id_key UNIQUE (organisation_id, id);
alter table workspace_calendar_mirrors add constraint workspace_calendar_mirrors_one UNIQUE (organisation_id, kind, source_id, account_id);
alter table workspace_calendar_mirrors add constraint workspace_calendar_mirrors_key UNIQUE (organisation_id, account_id, mirror_key);
CREATE INDEX workspace_calendar_mirrors_waiting ON public.workspace_calendar_mirrors USING btree (organisation_id, account_id, queued_at, id) WHERE (status = 'pending'::text);
CREATE INDEX workspace_calendar_mirrors_names ON public.workspace_calendar_mirrors USING gin (names);
CREATE INDEX workspace_calendar_mirrors_absent ON public.workspace_calendar_mirrors USING btree (organisation_id, updated_at) WHERE ((status = 'done'::text) AND (presence = 'absent'::text));
alter table workspace_calendars add constraint workspace_calendars_pkey PRIMARY KEY (organisation_id, connection_id);
alter table workspace_connections add constraint workspace_connections_pkey PRIMARY KEY (id);
alter table workspace_connections add constraint workspace_connections_organisation_id_id_key UNIQUE (organisation_id, id);
alter table workspace_connections add constraint workspace_connections_person UNIQUE (organisation_id, account_id);
CREATE INDEX workspace_connections_organisation_id_email_id_idx ON public.workspace_connections USING btree (organisation_id, email, id);
CREATE INDEX workspace_connections_subject_client_id_idx ON public.workspace_connections USING btree (subject, client_id);
alter table workspace_ended_grants add constraint workspace_ended_grants_pkey PRIMARY KEY (id);
alter table workspace_ended_grants add constraint workspace_ended_grants_organisation_id_id_key UNIQUE (organisation_id, id);
alter table workspace_mail_skips add constraint workspace_mail_skips_pkey PRIMARY KEY (organisation_id, connection_id, message_id);
CREATE INDEX workspace_mail_skips_organisation_id_created_at_idx ON public.workspace_mail_skips USING btree (organisation_id, created_at);
alter table workspace_mailboxes add constraint workspace_mailboxes_pkey PRIMARY KEY (organisation_id, connection_id);
alter table workspace_settings add constraint workspace_settings_pkey PRIMARY KEY (id);
alter table workspace_settings add constraint workspace_settings_organisation_id_id_key UNIQUE (organisation_id, id);
alter table workspace_settings add constraint workspace_settings_one UNIQUE (organisation_id);
CREATE INDEX workspace_settings_automation_connection_user_id_idx ON public.workspace_settings USING btree (automation_connection_user_id);

-- # references
alter table workspace_calendar_events add constraint workspace_calendar_events_organisation_id_connection_id_fkey FOREIGN KEY (organisation_id, connection_id) REFERENCES workspace_calendars(organisation_id, connection_id) ON DELETE CASCADE;
alter table workspace_calendar_channels add constraint workspace_calendar_channels_organisation_id_connection_id_fkey FOREIGN KEY (organisation_id, connection_id) REFERENCES workspace_calendars(organisation_id, connection_id) ON DELETE CASCADE;
alter table workspace_calendars add constraint workspace_calendars_organisation_id_connection_id_fkey FOREIGN KEY (organisation_id, connection_id) REFERENCES workspace_connections(organisation_id, id) ON DELETE CASCADE;
alter table drive_listings add constraint drive_listings_organisation_id_account_id_fkey FOREIGN KEY (organisation_id, account_id) REFERENCES workspace_connections(organisation_id, account_id) ON DELETE CASCADE;
alter table workspace_mailboxes add constraint workspace_mailboxes_organisation_id_connection_id_fkey FOREIGN KEY (organisation_id, connection_id) REFERENCES workspace_connections(organisation_id, id) ON DELETE CASCADE;
alter table workspace_mail_skips add constraint workspace_mail_skips_organisation_id_connection_id_fkey FOREIGN KEY (organisation_id, connection_id) REFERENCES workspace_connections(organisation_id, id) ON DELETE CASCADE;
alter table marketing_links add constraint marketing_links_organisation_id_connection_id_fkey FOREIGN KEY (organisation_id, connection_id) REFERENCES workspace_connections(organisation_id, id) ON DELETE SET NULL (connection_id);
alter table ads_accounts add constraint ads_accounts_organisation_id_connection_id_fkey FOREIGN KEY (organisation_id, connection_id) REFERENCES workspace_connections(organisation_id, id) ON DELETE SET NULL (connection_id);

-- # triggers
CREATE TRIGGER moved_by_deletion BEFORE UPDATE OF created_by_account_id ON public.drive_links FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((pg_trigger_depth() > 0) AND (new.version = old.version) AND (old.created_by_account_id IS NOT NULL) AND (new.created_by_account_id IS NULL)))) EXECUTE FUNCTION moved_by_deletion();
CREATE TRIGGER grant_ended AFTER DELETE ON public.workspace_connections FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION workspace_grant_ended();
CREATE TRIGGER mailbox_switched_off AFTER UPDATE OF mail_sync_enabled ON public.workspace_connections FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (old.mail_sync_enabled AND (NOT new.mail_sync_enabled)))) EXECUTE FUNCTION mailbox_switched_off();
CREATE TRIGGER access_changed AFTER INSERT OR DELETE OR UPDATE OF drive_enabled, drive_auto_provision, automation_connection_user_id, drive_parent_folder_id, drive_shared_drive_id ON public.workspace_settings FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION bump_access_of_row();
CREATE TRIGGER moved_by_deletion BEFORE UPDATE OF automation_connection_user_id ON public.workspace_settings FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((pg_trigger_depth() > 0) AND (new.version = old.version) AND (old.automation_connection_user_id IS NOT NULL) AND (new.automation_connection_user_id IS NULL)))) EXECUTE FUNCTION moved_by_deletion();

-- # row-level security
alter table drive_creations enable row level security, force row level security;
create policy owner on drive_creations for all to current_user using (true) with check (true);
create policy tenant on drive_creations for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table drive_links enable row level security, force row level security;
create policy owner on drive_links for all to current_user using (true) with check (true);
create policy tenant on drive_links for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table drive_listings enable row level security, force row level security;
create policy owner on drive_listings for all to current_user using (true) with check (true);
create policy tenant on drive_listings for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table drive_provisions enable row level security, force row level security;
create policy owner on drive_provisions for all to current_user using (true) with check (true);
create policy tenant on drive_provisions for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table workspace_calendar_channels enable row level security, force row level security;
create policy owner on workspace_calendar_channels for all to current_user using (true) with check (true);
create policy tenant on workspace_calendar_channels for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table workspace_calendar_events enable row level security, force row level security;
create policy owner on workspace_calendar_events for all to current_user using (true) with check (true);
create policy tenant on workspace_calendar_events for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table workspace_calendar_mirrors enable row level security, force row level security;
create policy owner on workspace_calendar_mirrors for all to current_user using (true) with check (true);
create policy tenant on workspace_calendar_mirrors for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table workspace_calendars enable row level security, force row level security;
create policy owner on workspace_calendars for all to current_user using (true) with check (true);
create policy tenant on workspace_calendars for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table workspace_connections enable row level security, force row level security;
create policy owner on workspace_connections for all to current_user using (true) with check (true);
create policy tenant on workspace_connections for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table workspace_ended_grants enable row level security, force row level security;
create policy owner on workspace_ended_grants for all to current_user using (true) with check (true);
create policy tenant on workspace_ended_grants for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table workspace_mail_skips enable row level security, force row level security;
create policy owner on workspace_mail_skips for all to current_user using (true) with check (true);
create policy tenant on workspace_mail_skips for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table workspace_mailboxes enable row level security, force row level security;
create policy owner on workspace_mailboxes for all to current_user using (true) with check (true);
create policy tenant on workspace_mailboxes for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table workspace_settings enable row level security, force row level security;
create policy owner on workspace_settings for all to current_user using (true) with check (true);
create policy tenant on workspace_settings for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));

-- # comments
comment on column workspace_ended_grants.refresh_token is 'sealed in workspace_connections';
comment on function workspace_grant_ended() is 'Keeps the grant of a connection that has ended until a job has revoked it';
comment on function workspace_grant_in_use(text,text) is 'Whether a live connection of any organisation still uses a grant; it tells no more than that';

-- # grants
grant delete, insert, select, update on drive_creations to :application;
grant delete, insert, select, update on drive_links to :application;
grant delete, insert, select, update on drive_listings to :application;
grant delete, insert, select, update on drive_provisions to :application;
grant delete, insert, select, update on workspace_calendar_channels to :application;
grant delete, insert, select, update on workspace_calendar_events to :application;
grant delete, insert, select, update on workspace_calendar_mirrors to :application;
grant delete, insert, select, update on workspace_calendars to :application;
grant delete, insert, select, update on workspace_connections to :application;
grant delete, insert, select, update on workspace_ended_grants to :application;
grant delete, insert, select, update on workspace_mail_skips to :application;
grant delete, insert, select, update on workspace_mailboxes to :application;
grant delete, insert, select, update on workspace_settings to :application;
revoke all on function workspace_grant_in_use(text,text) from public;
grant execute on function workspace_grant_in_use(text,text) to :application;

-- Written by `npm run schema -- baseline` from the steps of the schema: the next run replaces it.

-- # functions
CREATE OR REPLACE FUNCTION public.uptime_client_moved()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      execute format('update uptime_monitors set company_given = company_given, version = version + 1, updated_at = statement_timestamp()
        where organisation_id = $1 and %I = $2 and not company_given', tg_argv[0]) using new.organisation_id, new.id;
      return null;
    end $function$
;
CREATE OR REPLACE FUNCTION public.uptime_monitor_client()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        -- Only the deletion of the client empties the reference from within another trigger.
        if tg_op = 'UPDATE' and pg_trigger_depth() > 1 and old.company_id is not null and new.company_id is null then
          new.company_given := false;
        end if;
        if not new.company_given then
          new.company_id := coalesce(
            (select w.company_id from websites w where w.organisation_id = new.organisation_id and w.id = new.website_id),
            (select d.company_id from domains d where d.organisation_id = new.organisation_id and d.id = new.domain_id),
            (select h.company_id from hostings h where h.organisation_id = new.organisation_id and h.id = new.hosting_id));
        end if;
        return new;
      end $function$
;

-- # tables
create table uptime_heartbeats (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  monitor_id uuid not null,
  status text not null,
  at timestamp with time zone not null,
  ping_ms integer,
  message text,
  constraint uptime_heartbeats_status_check CHECK ((status = ANY (ARRAY['down'::text, 'up'::text, 'pending'::text, 'maintenance'::text])))
);
create table uptime_incidents (
  id uuid default gen_random_uuid() not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  monitor_id uuid not null,
  started_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint uptime_incidents_check CHECK ((ended_at >= started_at))
);
create table uptime_instances (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  name text not null,
  mode text not null,
  base_url text,
  ssl_verify boolean default true not null,
  active boolean default true not null,
  status text default 'pending'::text not null,
  server_version text,
  token sealed,
  connect_headers sealed,
  hook_secret sealed not null,
  enrolled_at timestamp with time zone,
  last_error text,
  last_synced_at timestamp with time zone,
  heartbeats_read_at timestamp with time zone,
  sync_asked integer default 0 not null,
  sync_ended integer default 0 not null,
  sync_asked_at timestamp with time zone,
  sync_asked_by jsonb,
  sync_result jsonb,
  constraint uptime_instances_check CHECK (((mode = 'linked'::text) OR (base_url IS NOT NULL))),
  constraint uptime_instances_check1 CHECK ((sync_ended <= sync_asked)),
  constraint uptime_instances_mode_check CHECK ((mode = ANY (ARRAY['managed'::text, 'linked'::text]))),
  constraint uptime_instances_name_check CHECK ((name <> ''::text)),
  constraint uptime_instances_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'active'::text, 'error'::text, 'needs_reauth'::text])))
);
create table uptime_leases (
  organisation_id uuid not null,
  instance_id uuid not null,
  holder uuid,
  node text,
  held_until timestamp with time zone default '-infinity'::timestamp with time zone not null,
  last_login_at timestamp with time zone
);
create table uptime_monitors (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  instance_id uuid not null,
  remote_id integer,
  name text not null,
  monitor_type text not null,
  target text,
  port integer,
  interval_seconds integer,
  retries integer,
  parent_id uuid,
  profile_id uuid,
  website_id uuid,
  domain_id uuid,
  hosting_id uuid,
  company_id uuid,
  company_given boolean default false not null,
  active boolean default true not null,
  sync_status text default 'pending'::text not null,
  drift_fields text[] default '{}'::text[] not null,
  unpushed text[] default '{}'::text[] not null,
  adopted boolean default false not null,
  host_names text[] default '{}'::text[] not null,
  last_status text,
  last_status_since timestamp with time zone,
  last_heartbeat_at timestamp with time zone,
  last_error text,
  last_synced_at timestamp with time zone,
  former jsonb default '[]'::jsonb not null,
  outage_since timestamp with time zone,
  turns timestamp with time zone[] default '{}'::timestamp with time zone[] not null,
  flapping boolean default false not null,
  announced text default 'up'::text not null,
  paused_until timestamp with time zone,
  constraint uptime_monitors_announced_check CHECK ((announced = ANY (ARRAY['up'::text, 'down'::text, 'flapping'::text]))),
  constraint uptime_monitors_check CHECK ((num_nonnulls(website_id, domain_id, hosting_id) <= 1)),
  constraint uptime_monitors_last_status_check CHECK ((last_status = ANY (ARRAY['down'::text, 'up'::text, 'pending'::text, 'maintenance'::text]))),
  constraint uptime_monitors_monitor_type_check CHECK ((monitor_type <> ''::text)),
  constraint uptime_monitors_name_check CHECK ((name <> ''::text)),
  constraint uptime_monitors_sync_status_check CHECK ((sync_status = ANY (ARRAY['pending'::text, 'active'::text, 'drift'::text, 'missing'::text, 'error'::text])))
);
create table uptime_profiles (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  name text not null,
  interval_seconds integer,
  retries integer,
  retry_interval_seconds integer,
  resend_interval integer,
  timeout_seconds integer,
  method text,
  accepted_statuses text[],
  max_redirects integer,
  expiry_notification boolean,
  constraint uptime_profiles_name_check CHECK ((name <> ''::text))
);
create table uptime_untracked (
  organisation_id uuid not null,
  instance_id uuid not null,
  remote_id integer not null
);

-- # keys and indexes
alter table uptime_heartbeats add constraint uptime_heartbeats_pkey PRIMARY KEY (id);
alter table uptime_heartbeats add constraint uptime_heartbeats_organisation_id_id_key UNIQUE (organisation_id, id);
alter table uptime_heartbeats add constraint uptime_heartbeats_key UNIQUE (organisation_id, monitor_id, at, status);
CREATE INDEX uptime_heartbeats_organisation_id_monitor_id_at_id_idx ON public.uptime_heartbeats USING btree (organisation_id, monitor_id, at DESC, id);
CREATE INDEX uptime_heartbeats_organisation_id_at_idx ON public.uptime_heartbeats USING btree (organisation_id, at);
alter table uptime_incidents add constraint uptime_incidents_pkey PRIMARY KEY (id);
alter table uptime_incidents add constraint uptime_incidents_organisation_id_id_key UNIQUE (organisation_id, id);
alter table uptime_incidents add constraint uptime_incidents_key UNIQUE (organisation_id, monitor_id, started_at);
CREATE INDEX uptime_incidents_organisation_id_monitor_id_started_at_id_idx ON public.uptime_incidents USING btree (organisation_id, monitor_id, started_at DESC, id);
CREATE INDEX uptime_incidents_organisation_id_updated_at_idx ON public.uptime_incidents USING btree (organisation_id, updated_at);
alter table uptime_instances add constraint uptime_instances_pkey PRIMARY KEY (id);
alter table uptime_instances add constraint uptime_instances_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE UNIQUE INDEX uptime_instances_name_key ON public.uptime_instances USING btree (organisation_id, lower((name COLLATE "und-x-icu")));
CREATE INDEX uptime_instances_organisation_id_name_id_idx ON public.uptime_instances USING btree (organisation_id, name COLLATE kantoor_text, id);
CREATE INDEX uptime_instances_organisation_id_updated_at_idx ON public.uptime_instances USING btree (organisation_id, updated_at);
alter table uptime_leases add constraint uptime_leases_pkey PRIMARY KEY (organisation_id, instance_id);
alter table uptime_monitors add constraint uptime_monitors_pkey PRIMARY KEY (id);
alter table uptime_monitors add constraint uptime_monitors_organisation_id_id_key UNIQUE (organisation_id, id);
alter table uptime_monitors add constraint uptime_monitors_remote_key UNIQUE (organisation_id, instance_id, remote_id);
CREATE INDEX uptime_monitors_organisation_id_name_id_idx ON public.uptime_monitors USING btree (organisation_id, name COLLATE kantoor_text, id);
CREATE INDEX uptime_monitors_organisation_id_instance_id_name_id_idx ON public.uptime_monitors USING btree (organisation_id, instance_id, name COLLATE kantoor_text, id);
CREATE INDEX uptime_monitors_organisation_id_company_id_name_id_idx ON public.uptime_monitors USING btree (organisation_id, company_id, name COLLATE kantoor_text, id);
CREATE INDEX uptime_monitors_organisation_id_updated_at_idx ON public.uptime_monitors USING btree (organisation_id, updated_at);
CREATE INDEX uptime_monitors_organisation_id_parent_id_idx ON public.uptime_monitors USING btree (organisation_id, parent_id) WHERE (parent_id IS NOT NULL);
CREATE INDEX uptime_monitors_organisation_id_profile_id_idx ON public.uptime_monitors USING btree (organisation_id, profile_id) WHERE (profile_id IS NOT NULL);
CREATE INDEX uptime_monitors_organisation_id_website_id_idx ON public.uptime_monitors USING btree (organisation_id, website_id) WHERE (website_id IS NOT NULL);
CREATE INDEX uptime_monitors_organisation_id_domain_id_idx ON public.uptime_monitors USING btree (organisation_id, domain_id) WHERE (domain_id IS NOT NULL);
CREATE INDEX uptime_monitors_organisation_id_hosting_id_idx ON public.uptime_monitors USING btree (organisation_id, hosting_id) WHERE (hosting_id IS NOT NULL);
CREATE INDEX uptime_monitors_unsettled ON public.uptime_monitors USING btree (organisation_id) WHERE (flapping OR (announced <>
CASE
    WHEN (outage_since IS NULL) THEN 'up'::text
    ELSE 'down'::text
END));
CREATE INDEX uptime_monitors_by_heartbeat ON public.uptime_monitors USING btree (organisation_id, last_heartbeat_at) WHERE (last_heartbeat_at IS NOT NULL);
alter table uptime_profiles add constraint uptime_profiles_pkey PRIMARY KEY (id);
alter table uptime_profiles add constraint uptime_profiles_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE UNIQUE INDEX uptime_profiles_name_key ON public.uptime_profiles USING btree (organisation_id, lower((name COLLATE "und-x-icu")));
CREATE INDEX uptime_profiles_organisation_id_name_id_idx ON public.uptime_profiles USING btree (organisation_id, name COLLATE kantoor_text, id);
CREATE INDEX uptime_profiles_organisation_id_updated_at_idx ON public.uptime_profiles USING btree (organisation_id, updated_at);
alter table uptime_untracked add constraint uptime_untracked_pkey PRIMARY KEY (organisation_id, instance_id, remote_id);

-- # references
alter table uptime_leases add constraint uptime_leases_organisation_id_instance_id_fkey FOREIGN KEY (organisation_id, instance_id) REFERENCES uptime_instances(organisation_id, id) ON DELETE CASCADE;
alter table uptime_monitors add constraint uptime_monitors_instance_fkey FOREIGN KEY (organisation_id, instance_id) REFERENCES uptime_instances(organisation_id, id) ON DELETE CASCADE;
alter table uptime_untracked add constraint uptime_untracked_organisation_id_instance_id_fkey FOREIGN KEY (organisation_id, instance_id) REFERENCES uptime_instances(organisation_id, id) ON DELETE CASCADE;
alter table uptime_monitors add constraint uptime_monitors_parent_fkey FOREIGN KEY (organisation_id, parent_id) REFERENCES uptime_monitors(organisation_id, id) ON DELETE SET NULL (parent_id);
alter table uptime_heartbeats add constraint uptime_heartbeats_monitor_fkey FOREIGN KEY (organisation_id, monitor_id) REFERENCES uptime_monitors(organisation_id, id) ON DELETE CASCADE;
alter table uptime_incidents add constraint uptime_incidents_monitor_fkey FOREIGN KEY (organisation_id, monitor_id) REFERENCES uptime_monitors(organisation_id, id) ON DELETE CASCADE;
alter table uptime_monitors add constraint uptime_monitors_profile_fkey FOREIGN KEY (organisation_id, profile_id) REFERENCES uptime_profiles(organisation_id, id) ON DELETE SET NULL (profile_id);

-- # triggers
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.uptime_instances FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('uptime_instance');
CREATE TRIGGER client_of_anchor BEFORE INSERT OR UPDATE OF website_id, domain_id, hosting_id, company_id, company_given ON public.uptime_monitors FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION uptime_monitor_client();
CREATE TRIGGER moved_by_deletion BEFORE UPDATE OF parent_id, profile_id, website_id, domain_id, hosting_id, company_id ON public.uptime_monitors FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((pg_trigger_depth() > 0) AND (new.version = old.version) AND (((old.parent_id IS NOT NULL) AND (new.parent_id IS NULL)) OR ((old.profile_id IS NOT NULL) AND (new.profile_id IS NULL)) OR ((old.website_id IS NOT NULL) AND (new.website_id IS NULL)) OR ((old.domain_id IS NOT NULL) AND (new.domain_id IS NULL)) OR ((old.hosting_id IS NOT NULL) AND (new.hosting_id IS NULL)) OR ((old.company_id IS NOT NULL) AND (new.company_id IS DISTINCT FROM old.company_id)))))) EXECUTE FUNCTION moved_by_deletion();
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.uptime_monitors FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('uptime_monitor');
CREATE TRIGGER noted_view AFTER UPDATE OF company_id ON public.uptime_monitors FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (old.company_id IS DISTINCT FROM new.company_id))) EXECUTE FUNCTION note_left_view('uptime_monitor');
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.uptime_profiles FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('uptime_profile');

-- # row-level security
alter table uptime_heartbeats enable row level security, force row level security;
create policy owner on uptime_heartbeats for all to current_user using (true) with check (true);
create policy tenant on uptime_heartbeats for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table uptime_incidents enable row level security, force row level security;
create policy owner on uptime_incidents for all to current_user using (true) with check (true);
create policy tenant on uptime_incidents for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table uptime_instances enable row level security, force row level security;
create policy owner on uptime_instances for all to current_user using (true) with check (true);
create policy tenant on uptime_instances for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table uptime_leases enable row level security, force row level security;
create policy owner on uptime_leases for all to current_user using (true) with check (true);
create policy tenant on uptime_leases for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table uptime_monitors enable row level security, force row level security;
create policy owner on uptime_monitors for all to current_user using (true) with check (true);
create policy tenant on uptime_monitors for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table uptime_profiles enable row level security, force row level security;
create policy owner on uptime_profiles for all to current_user using (true) with check (true);
create policy tenant on uptime_profiles for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table uptime_untracked enable row level security, force row level security;
create policy owner on uptime_untracked for all to current_user using (true) with check (true);
create policy tenant on uptime_untracked for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));

-- # grants
grant delete, insert, select, update on uptime_heartbeats to :application;
grant delete, insert, select, update on uptime_incidents to :application;
grant delete, insert, select, update on uptime_instances to :application;
grant delete, insert, select, update on uptime_leases to :application;
grant delete, insert, select, update on uptime_monitors to :application;
grant delete, insert, select, update on uptime_profiles to :application;
grant delete, insert, select, update on uptime_untracked to :application;

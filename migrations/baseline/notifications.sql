-- Written by `npm run schema -- baseline` from the steps of the schema: the next run replaces it.

-- # functions
CREATE OR REPLACE FUNCTION public.inboxes_with_news(asked_organisations uuid[], asked_accounts uuid[], since timestamp with time zone)
 RETURNS TABLE(organisation_id uuid, account_id uuid)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public'
AS $function$
        select distinct n.organisation_id, n.account_id
          from (select distinct unnest(asked_organisations) as id) o
          cross join lateral (
            select t.organisation_id, t.account_id from notifications t
             where t.organisation_id = o.id and t.visible_at >= since and t.visible_at <= statement_timestamp()
            union all
            select t.organisation_id, t.account_id from notifications t where t.organisation_id = o.id and t.updated_at >= since) n
          join unnest(asked_organisations, asked_accounts) as asked (organisation_id, account_id)
            on asked.organisation_id = n.organisation_id and asked.account_id = n.account_id
        $function$
;
CREATE OR REPLACE FUNCTION public.schedule_due_deliveries()
 RETURNS integer
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public'
AS $function$
        with due as (
          insert into outbox (id, organisation_id, job, payload, dedupe)
          select gen_random_uuid(), o.id, 'notifications.deliver', '{}', 'schedule' from organisations o
           where o.status = 'active' and (
             exists (select from notification_deliveries d where d.organisation_id = o.id and d.way in ('email', 'push', 'channel')
               and d.status = 'pending' and d.due_at <= statement_timestamp())
             or exists (select from notification_deliveries d where d.organisation_id = o.id and d.status = 'sending'
               and d.claimed_at < statement_timestamp() - interval '5 minutes'))
          returning 1)
        select count(*)::int from due $function$
;

-- # tables
create table notification_channel_routes (
  organisation_id uuid not null,
  channel_id uuid not null,
  event_type text not null,
  enabled boolean not null,
  delay_minutes integer default 0 not null,
  digest text default 'immediate'::text not null,
  constraint notification_channel_routes_delay_minutes_check CHECK (((delay_minutes >= 0) AND (delay_minutes <= 1440))),
  constraint notification_channel_routes_digest_check CHECK ((digest = ANY (ARRAY['immediate'::text, 'hourly'::text, 'daily'::text, 'weekly'::text])))
);
create table notification_channels (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  account_id uuid,
  kind text not null,
  name text not null,
  url sealed not null,
  redacted text not null,
  enabled boolean default true not null,
  digest_time wall_time,
  digest_weekday integer,
  constraint notification_channels_digest_weekday_check CHECK (((digest_weekday >= 0) AND (digest_weekday <= 6))),
  constraint notification_channels_kind_check CHECK ((kind = ANY (ARRAY['email'::text, 'slack'::text, 'msteams'::text, 'gchat'::text, 'discord'::text, 'telegram'::text, 'mailto'::text, 'webhook'::text, 'custom'::text]))),
  constraint notification_channels_name_check CHECK ((name <> ''::text))
);
create table notification_deliveries (
  id uuid default gen_random_uuid() not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  way text not null,
  account_id uuid,
  channel_id uuid,
  notification_id uuid,
  event_id uuid not null,
  due_at timestamp with time zone not null,
  status text default 'pending'::text not null,
  attempts integer default 0 not null,
  error text,
  bundle_id uuid,
  claimed_at timestamp with time zone,
  finished_at timestamp with time zone,
  constraint notification_deliveries_attempts_check CHECK ((attempts >= 0)),
  constraint notification_deliveries_check CHECK (((channel_id IS NOT NULL) = (way = 'channel'::text))),
  constraint notification_deliveries_check1 CHECK (((notification_id IS NULL) = (account_id IS NULL))),
  constraint notification_deliveries_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'sending'::text, 'sent'::text, 'failed'::text]))),
  constraint notification_deliveries_way_check CHECK ((way = ANY (ARRAY['email'::text, 'push'::text, 'channel'::text])))
);
create table notification_events (
  id uuid not null,
  organisation_id uuid not null,
  event_type text not null,
  entity_type text not null,
  entity_id uuid not null,
  actor_account_id uuid,
  actor_name text,
  payload jsonb default '{}'::jsonb not null,
  created_at timestamp with time zone default statement_timestamp() not null
);
create table notification_preferences (
  id uuid default gen_random_uuid() not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  account_id uuid,
  events jsonb default '{}'::jsonb not null,
  email_events jsonb default '{}'::jsonb not null,
  push_events jsonb default '{}'::jsonb not null,
  general jsonb,
  email jsonb,
  push jsonb,
  constraint notification_preferences_email_check CHECK ((jsonb_typeof(email) = 'object'::text)),
  constraint notification_preferences_email_events_check CHECK ((jsonb_typeof(email_events) = 'object'::text)),
  constraint notification_preferences_events_check CHECK ((jsonb_typeof(events) = 'object'::text)),
  constraint notification_preferences_general_check CHECK ((jsonb_typeof(general) = 'object'::text)),
  constraint notification_preferences_push_check CHECK ((jsonb_typeof(push) = 'object'::text)),
  constraint notification_preferences_push_events_check CHECK ((jsonb_typeof(push_events) = 'object'::text))
);
create table notification_push_devices (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  account_id uuid not null,
  endpoint_hash bytea not null,
  endpoint sealed not null,
  p256dh sealed not null,
  auth sealed not null,
  user_agent text,
  last_seen_at timestamp with time zone default statement_timestamp() not null,
  last_success_at timestamp with time zone
);
create table notification_push_keys (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  public_key text not null,
  private_key sealed not null
);
create table notification_watches (
  organisation_id uuid not null,
  entity_type text not null,
  entity_id uuid not null,
  account_id uuid not null,
  watching boolean not null,
  created_at timestamp with time zone default statement_timestamp() not null
);
create table notifications (
  id uuid default gen_random_uuid() not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  account_id uuid not null,
  event_id uuid not null,
  event_type text not null,
  entity_type text not null,
  entity_id uuid not null,
  read_at timestamp with time zone,
  visible_at timestamp with time zone not null
);

-- # keys and indexes
alter table notification_channel_routes add constraint notification_channel_routes_pkey PRIMARY KEY (organisation_id, channel_id, event_type);
CREATE INDEX notification_channel_routes_of_event ON public.notification_channel_routes USING btree (organisation_id, event_type) WHERE enabled;
alter table notification_channels add constraint notification_channels_pkey PRIMARY KEY (id);
alter table notification_channels add constraint notification_channels_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE INDEX notification_channels_organisation_id_account_id_idx ON public.notification_channels USING btree (organisation_id, account_id);
CREATE INDEX notification_channels_account_id_idx ON public.notification_channels USING btree (account_id);
alter table notification_deliveries add constraint notification_deliveries_pkey PRIMARY KEY (id);
alter table notification_deliveries add constraint notification_deliveries_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE INDEX notification_deliveries_due ON public.notification_deliveries USING btree (organisation_id, way, due_at, id) WHERE (status = 'pending'::text);
CREATE INDEX notification_deliveries_sending ON public.notification_deliveries USING btree (organisation_id, claimed_at) WHERE (status = 'sending'::text);
CREATE INDEX notification_deliveries_organisation_id_notification_id_idx ON public.notification_deliveries USING btree (organisation_id, notification_id);
CREATE INDEX notification_deliveries_organisation_id_event_id_idx ON public.notification_deliveries USING btree (organisation_id, event_id);
CREATE INDEX notification_deliveries_organisation_id_channel_id_idx ON public.notification_deliveries USING btree (organisation_id, channel_id) WHERE (channel_id IS NOT NULL);
CREATE INDEX notification_deliveries_account_id_idx ON public.notification_deliveries USING btree (account_id);
alter table notification_events add constraint notification_events_pkey PRIMARY KEY (id);
alter table notification_events add constraint notification_events_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE INDEX notification_events_of_record ON public.notification_events USING btree (organisation_id, entity_type, entity_id, created_at, id);
alter table notification_preferences add constraint notification_preferences_pkey PRIMARY KEY (id);
alter table notification_preferences add constraint notification_preferences_organisation_id_id_key UNIQUE (organisation_id, id);
alter table notification_preferences add constraint notification_preferences_scope_key UNIQUE NULLS NOT DISTINCT (organisation_id, account_id);
CREATE INDEX notification_preferences_account_id_idx ON public.notification_preferences USING btree (account_id);
alter table notification_push_devices add constraint notification_push_devices_pkey PRIMARY KEY (id);
alter table notification_push_devices add constraint notification_push_devices_organisation_id_id_key UNIQUE (organisation_id, id);
alter table notification_push_devices add constraint notification_push_devices_endpoint_key UNIQUE (organisation_id, endpoint_hash);
CREATE INDEX notification_push_devices_organisation_id_account_id_idx ON public.notification_push_devices USING btree (organisation_id, account_id);
CREATE INDEX notification_push_devices_account_id_idx ON public.notification_push_devices USING btree (account_id);
alter table notification_push_keys add constraint notification_push_keys_pkey PRIMARY KEY (id);
alter table notification_push_keys add constraint notification_push_keys_organisation_id_key UNIQUE (organisation_id);
alter table notification_push_keys add constraint notification_push_keys_organisation_id_id_key UNIQUE (organisation_id, id);
alter table notification_watches add constraint notification_watches_pkey PRIMARY KEY (organisation_id, entity_id, entity_type, account_id);
CREATE INDEX notification_watches_account_id_organisation_id_idx ON public.notification_watches USING btree (account_id, organisation_id);
alter table notifications add constraint notifications_pkey PRIMARY KEY (id);
alter table notifications add constraint notifications_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE INDEX notifications_of_account ON public.notifications USING btree (organisation_id, account_id, created_at, id);
CREATE INDEX notifications_unread ON public.notifications USING btree (organisation_id, account_id, created_at, id) INCLUDE (visible_at) WHERE (read_at IS NULL);
CREATE INDEX notifications_unread_of_record ON public.notifications USING btree (organisation_id, entity_id, event_type, account_id) INCLUDE (entity_type, visible_at) WHERE (read_at IS NULL);
CREATE INDEX notifications_organisation_id_event_id_idx ON public.notifications USING btree (organisation_id, event_id);
CREATE INDEX notifications_account_id_idx ON public.notifications USING btree (account_id);
CREATE INDEX notifications_by_visibility ON public.notifications USING btree (organisation_id, visible_at) INCLUDE (account_id);
CREATE INDEX notifications_of_account_by_change ON public.notifications USING btree (organisation_id, account_id, updated_at);

-- # references
alter table notification_channel_routes add constraint notification_channel_routes_organisation_id_channel_id_fkey FOREIGN KEY (organisation_id, channel_id) REFERENCES notification_channels(organisation_id, id) ON DELETE CASCADE;
alter table notifications add constraint notifications_organisation_id_event_id_fkey FOREIGN KEY (organisation_id, event_id) REFERENCES notification_events(organisation_id, id) ON DELETE CASCADE;
alter table notification_deliveries add constraint notification_deliveries_organisation_id_event_id_fkey FOREIGN KEY (organisation_id, event_id) REFERENCES notification_events(organisation_id, id) ON DELETE CASCADE;
alter table notification_deliveries add constraint notification_deliveries_organisation_id_notification_id_fkey FOREIGN KEY (organisation_id, notification_id) REFERENCES notifications(organisation_id, id) ON DELETE CASCADE;

-- # row-level security
alter table notification_channel_routes enable row level security, force row level security;
create policy owner on notification_channel_routes for all to current_user using (true) with check (true);
create policy tenant on notification_channel_routes for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table notification_channels enable row level security, force row level security;
create policy owner on notification_channels for all to current_user using (true) with check (true);
create policy tenant on notification_channels for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table notification_deliveries enable row level security, force row level security;
create policy owner on notification_deliveries for all to current_user using (true) with check (true);
create policy tenant on notification_deliveries for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table notification_events enable row level security, force row level security;
create policy owner on notification_events for all to current_user using (true) with check (true);
create policy tenant on notification_events for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table notification_preferences enable row level security, force row level security;
create policy owner on notification_preferences for all to current_user using (true) with check (true);
create policy tenant on notification_preferences for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table notification_push_devices enable row level security, force row level security;
create policy owner on notification_push_devices for all to current_user using (true) with check (true);
create policy tenant on notification_push_devices for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table notification_push_keys enable row level security, force row level security;
create policy owner on notification_push_keys for all to current_user using (true) with check (true);
create policy tenant on notification_push_keys for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table notification_watches enable row level security, force row level security;
create policy owner on notification_watches for all to current_user using (true) with check (true);
create policy tenant on notification_watches for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table notifications enable row level security, force row level security;
create policy owner on notifications for all to current_user using (true) with check (true);
create policy tenant on notifications for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));

-- # grants
grant delete, insert, select, update on notification_channel_routes to :application;
grant delete, insert, select, update on notification_channels to :application;
grant delete, insert, select, update on notification_deliveries to :application;
grant delete, insert, select, update on notification_events to :application;
grant delete, insert, select, update on notification_preferences to :application;
grant delete, insert, select, update on notification_push_devices to :application;
grant delete, insert, select, update on notification_push_keys to :application;
grant delete, insert, select, update on notification_watches to :application;
grant delete, insert, select, update on notifications to :application;
revoke all on function schedule_due_deliveries() from public;
grant execute on function schedule_due_deliveries() to :application;

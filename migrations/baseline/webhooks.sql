-- Written by `npm run schema -- baseline` from the steps of the schema: the next run replaces it.

-- # functions
CREATE OR REPLACE FUNCTION public.webhook_figures()
 RETURNS TABLE(state text, deliveries double precision, endpoints double precision)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog'
AS $function$
        select 'pending', (select count(*) from (select from public.webhook_deliveries d
          where d.status = 'pending' limit 100000) counted)::float8, null
        union all
        select s.state, null, (case s.state when 'disabled' then c.disabled when 'failing' then c.failing else c.working end)::float8
          from (select count(*) filter (where not e.enabled) as disabled,
                       count(*) filter (where e.enabled and e.failing_since is not null) as failing,
                       count(*) filter (where e.enabled and e.failing_since is null) as working
                  from (select enabled, failing_since from public.webhook_endpoints limit 100000) e) c
               cross join (values ('working'), ('failing'), ('disabled')) s (state)
      $function$
;

-- # tables
create table webhook_deliveries (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  seq bigint generated always as identity not null,
  endpoint_id uuid not null,
  event_id uuid not null,
  event text not null,
  entity_type text not null,
  entity_id uuid not null,
  payload jsonb not null,
  actor_account_id uuid,
  request_id text,
  status text default 'pending'::text not null,
  attempts integer default 0 not null,
  next_attempt_at timestamp with time zone default statement_timestamp(),
  last_attempt_at timestamp with time zone,
  response_status integer,
  response_body text,
  error text,
  attempt_log jsonb default '[]'::jsonb not null,
  round_began integer default 0 not null,
  traceparent text,
  constraint webhook_deliveries_error_check CHECK ((length(error) <= 500)),
  constraint webhook_deliveries_pending CHECK (((status = 'pending'::text) = (next_attempt_at IS NOT NULL))),
  constraint webhook_deliveries_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text])))
);
create table webhook_endpoints (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  name text not null,
  url text not null,
  events text[] not null,
  enabled boolean default true not null,
  disabled_reason text,
  disabled_at timestamp with time zone,
  secret sealed not null,
  previous_secret sealed,
  previous_secret_until timestamp with time zone,
  failing_since timestamp with time zone,
  last_success_at timestamp with time zone,
  constraint webhook_endpoints_disabled_reason_check CHECK ((disabled_reason = ANY (ARRAY['gone'::text, 'failing'::text]))),
  constraint webhook_endpoints_events_check CHECK ((cardinality(events) > 0)),
  constraint webhook_endpoints_name_check CHECK ((name <> ''::text)),
  constraint webhook_endpoints_url_check CHECK ((url ~* '^https?://'::text))
);

-- # keys and indexes
alter table webhook_deliveries add constraint webhook_deliveries_pkey PRIMARY KEY (id);
alter table webhook_deliveries add constraint webhook_deliveries_organisation_id_id_key UNIQUE (organisation_id, id);
alter table webhook_deliveries add constraint webhook_deliveries_event_key UNIQUE (organisation_id, endpoint_id, event_id);
CREATE INDEX webhook_deliveries_organisation_id_created_at_id_idx ON public.webhook_deliveries USING btree (organisation_id, created_at, id);
CREATE INDEX webhook_deliveries_organisation_id_updated_at_idx ON public.webhook_deliveries USING btree (organisation_id, updated_at);
CREATE INDEX webhook_deliveries_of_endpoint ON public.webhook_deliveries USING btree (organisation_id, endpoint_id, created_at, id);
CREATE INDEX webhook_deliveries_organisation_id_status_created_at_id_idx ON public.webhook_deliveries USING btree (organisation_id, status, created_at, id);
CREATE INDEX webhook_deliveries_organisation_id_event_created_at_id_idx ON public.webhook_deliveries USING btree (organisation_id, event, created_at, id);
CREATE INDEX webhook_deliveries_waiting ON public.webhook_deliveries USING btree (organisation_id, endpoint_id, seq) WHERE (status = 'pending'::text);
alter table webhook_endpoints add constraint webhook_endpoints_pkey PRIMARY KEY (id);
alter table webhook_endpoints add constraint webhook_endpoints_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE INDEX webhook_endpoints_organisation_id_name_id_idx ON public.webhook_endpoints USING btree (organisation_id, name COLLATE kantoor_text, id);
CREATE INDEX webhook_endpoints_organisation_id_updated_at_idx ON public.webhook_endpoints USING btree (organisation_id, updated_at);

-- # triggers
CREATE TRIGGER access_changed AFTER INSERT OR DELETE OR UPDATE OF events, enabled ON public.webhook_endpoints FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION bump_access_of_row();
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.webhook_endpoints FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('webhook_endpoint');

-- # row-level security
alter table webhook_deliveries enable row level security, force row level security;
create policy owner on webhook_deliveries for all to current_user using (true) with check (true);
create policy tenant on webhook_deliveries for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table webhook_endpoints enable row level security, force row level security;
create policy owner on webhook_endpoints for all to current_user using (true) with check (true);
create policy tenant on webhook_endpoints for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));

-- # grants
grant delete, insert, select, update on webhook_deliveries to :application;
grant delete, insert, select, update on webhook_endpoints to :application;
revoke all on function webhook_figures() from public;
grant execute on function webhook_figures() to :application;

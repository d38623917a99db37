-- Written by `npm run schema -- baseline` from the steps of the schema: the next run replaces it.

-- # functions
CREATE OR REPLACE FUNCTION public.expire_mails()
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public'
AS $function$ 
        update mails set status = 'failed', last_error = 'errors.email_expired', version = version + 1, updated_at = now()
         where status = 'queued' and created_at < now() - interval '8 days'; $function$
;
CREATE OR REPLACE FUNCTION public.mail_failures(most integer)
 RETURNS TABLE(id uuid, organisation text, kind text, status text, attempts integer, transport text, error text, failed_at timestamp with time zone)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog'
AS $function$
        select m.id, o.slug, m.kind, m.status, m.attempts, m.transport, m.last_error, m.updated_at
          from (select t.id, t.organisation_id, t.kind, t.status, t.attempts, t.transport, t.last_error, t.updated_at from public.mails t
                 where t.last_error is not null order by t.updated_at desc limit least(most, 100)) m
          join public.organisations o on o.id = m.organisation_id
         where m.status in ('failed', 'queued') order by m.updated_at desc, m.id
      $function$
;
CREATE OR REPLACE FUNCTION public.mail_figures()
 RETURNS TABLE(state text, mails double precision, oldest_seconds double precision)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog'
AS $function$
        select s.state, (select count(*) from (select from public.mails m
                 where m.status = s.state and m.created_at > now() - s.span limit 100000) counted)::float8,
               coalesce((select extract(epoch from now() - m.created_at) from public.mails m
                 where m.status = s.state and s.state = 'queued' order by m.created_at limit 1), 0)::float8
          from (values ('queued', interval '30 days'), ('sent', '1 hour'), ('failed', '1 hour'), ('kept', '1 hour')) s (state, span)
      $function$
;
CREATE OR REPLACE FUNCTION public.remove_old_mails()
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public'
AS $function$
        delete from mails where ctid = any(array(select ctid from mails where status = 'kept' and created_at < now() - interval '24 hours' limit 5000 for update skip locked));
        delete from mails where ctid = any(array(select ctid from mails where status in ('sent', 'failed') and created_at < now() - interval '30 days' limit 5000 for update skip locked));
        
        update mails set status = 'failed', last_error = 'errors.email_expired', version = version + 1, updated_at = now()
         where status = 'queued' and created_at < now() - interval '8 days'; $function$
;
CREATE OR REPLACE FUNCTION public.schedule_forgotten_mails()
 RETURNS integer
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public'
AS $function$
        with forgotten as (
          insert into outbox (id, organisation_id, job, payload, dedupe)
          select gen_random_uuid(), o.id, 'mail.wake', '{}', 'mails' from organisations o where o.status = 'active' and exists (
            select from mails m where m.organisation_id = o.id and m.status = 'queued'
              and m.due_at < statement_timestamp() - interval '10 minutes')
          returning 1)
        select count(*)::int from forgotten $function$
;

-- # tables
create table email_settings (
  id uuid not null,
  organisation_id uuid not null,
  provider text not null,
  from_address text,
  from_name text,
  reply_to text,
  host text,
  port integer,
  security text default 'starttls'::text not null,
  username text,
  secret sealed,
  version integer default 1 not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  constraint email_settings_port_check CHECK (((port >= 1) AND (port <= 65535))),
  constraint email_settings_provider_check CHECK ((provider = ANY (ARRAY['smtp'::text, 'brevo'::text, 'sendgrid'::text, 'smtp2go'::text, 'instance'::text]))),
  constraint email_settings_security_check CHECK ((security = ANY (ARRAY['none'::text, 'starttls'::text, 'tls'::text])))
);
create table email_templates (
  id uuid not null,
  organisation_id uuid not null,
  kind text not null,
  locale text not null,
  subject text default ''::text not null,
  body text default ''::text not null,
  version integer default 1 not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  constraint email_templates_kind_check CHECK ((kind <> ''::text)),
  constraint email_templates_locale_check CHECK ((locale <> ''::text))
);
create table mails (
  id uuid not null,
  organisation_id uuid not null,
  kind text not null,
  status text default 'queued'::text not null,
  account_id uuid,
  to_address text not null,
  to_name text,
  reply_to text,
  locale text,
  variables jsonb default '{}'::jsonb not null,
  link text,
  entity_type text,
  entity_id uuid,
  transport text,
  attempts integer default 0 not null,
  last_error text,
  sent_at timestamp with time zone,
  version integer default 1 not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  due_at timestamp with time zone,
  traceparent text,
  constraint mails_kind_check CHECK ((kind <> ''::text)),
  constraint mails_last_error_check CHECK ((length(last_error) <= 500)),
  constraint mails_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'sent'::text, 'failed'::text, 'kept'::text]))),
  constraint mails_to_address_check CHECK ((to_address <> ''::text))
);

-- # keys and indexes
alter table email_settings add constraint email_settings_pkey PRIMARY KEY (id);
alter table email_settings add constraint email_settings_organisation_id_id_key UNIQUE (organisation_id, id);
alter table email_settings add constraint email_settings_one UNIQUE (organisation_id);
alter table email_templates add constraint email_templates_pkey PRIMARY KEY (id);
alter table email_templates add constraint email_templates_organisation_id_id_key UNIQUE (organisation_id, id);
alter table email_templates add constraint email_templates_kind UNIQUE (organisation_id, kind, locale);
alter table mails add constraint mails_pkey PRIMARY KEY (id);
alter table mails add constraint mails_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE INDEX mails_by_state ON public.mails USING btree (organisation_id, status, created_at DESC);
CREATE INDEX mails_status_created_at_idx ON public.mails USING btree (status, created_at);
CREATE INDEX mails_of_account ON public.mails USING btree (account_id) WHERE (account_id IS NOT NULL);
CREATE INDEX mails_due ON public.mails USING btree (organisation_id, due_at) WHERE ((status = 'queued'::text) AND (due_at IS NOT NULL));
CREATE INDEX mails_troubled ON public.mails USING btree (updated_at) WHERE (last_error IS NOT NULL);

-- # triggers
CREATE TRIGGER moved_by_deletion BEFORE UPDATE OF account_id ON public.mails FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((pg_trigger_depth() > 0) AND (new.version = old.version) AND ((old.account_id IS NOT NULL) AND (new.account_id IS NULL))))) EXECUTE FUNCTION moved_by_deletion();

-- # row-level security
alter table email_settings enable row level security, force row level security;
create policy owner on email_settings for all to current_user using (true) with check (true);
create policy tenant on email_settings for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table email_templates enable row level security, force row level security;
create policy owner on email_templates for all to current_user using (true) with check (true);
create policy tenant on email_templates for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table mails enable row level security, force row level security;
create policy owner on mails for all to current_user using (true) with check (true);
create policy tenant on mails for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));

-- # grants
grant delete, insert, select, update on email_settings to :application;
grant delete, insert, select, update on email_templates to :application;
grant delete, insert, select, update on mails to :application;
revoke all on function expire_mails() from public;
grant execute on function expire_mails() to :application;
revoke all on function mail_failures(integer) from public;
grant execute on function mail_failures(integer) to :application;
revoke all on function mail_figures() from public;
grant execute on function mail_figures() to :application;
revoke all on function remove_old_mails() from public;
grant execute on function remove_old_mails() to :application;
revoke all on function schedule_forgotten_mails() from public;
grant execute on function schedule_forgotten_mails() to :application;

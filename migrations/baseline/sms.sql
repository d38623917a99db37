-- Written by `npm run schema -- baseline` from the steps of the schema: the next run replaces it.

-- # functions
CREATE OR REPLACE FUNCTION public.remove_old_sms()
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public'
AS $function$
        delete from sms_messages where ctid = any(array(select ctid from sms_messages where created_at < now() - interval '30 days' limit 5000 for update skip locked)); $function$
;

-- # tables
create table sms_messages (
  id uuid not null,
  organisation_id uuid not null,
  kind text not null,
  status text default 'queued'::text not null,
  account_id uuid,
  phone text not null,
  locale text,
  gateway_id text,
  attempts integer default 0 not null,
  last_error text,
  sent_at timestamp with time zone,
  version integer default 1 not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  constraint sms_messages_kind_check CHECK ((kind <> ''::text)),
  constraint sms_messages_last_error_check CHECK ((length(last_error) <= 500)),
  constraint sms_messages_phone_check CHECK ((phone <> ''::text)),
  constraint sms_messages_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'sent'::text, 'failed'::text])))
);

-- # keys and indexes
alter table sms_messages add constraint sms_messages_pkey PRIMARY KEY (id);
alter table sms_messages add constraint sms_messages_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE INDEX sms_messages_created_at_idx ON public.sms_messages USING btree (created_at);
CREATE INDEX sms_messages_account_id_idx ON public.sms_messages USING btree (account_id) WHERE (account_id IS NOT NULL);

-- # triggers
CREATE TRIGGER moved_by_deletion BEFORE UPDATE OF account_id ON public.sms_messages FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((pg_trigger_depth() > 0) AND (new.version = old.version) AND ((old.account_id IS NOT NULL) AND (new.account_id IS NULL))))) EXECUTE FUNCTION moved_by_deletion();

-- # row-level security
alter table sms_messages enable row level security, force row level security;
create policy owner on sms_messages for all to current_user using (true) with check (true);
create policy tenant on sms_messages for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));

-- # grants
grant delete, insert, select, update on sms_messages to :application;
revoke all on function remove_old_sms() from public;
grant execute on function remove_old_sms() to :application;

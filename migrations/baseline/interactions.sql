-- Written by `npm run schema -- baseline` from the steps of the schema: the next run replaces it.

-- # functions
CREATE OR REPLACE FUNCTION public.fold_conversation(organisation uuid, conversation uuid)
 RETURNS void
 LANGUAGE sql
AS $function$
        select pg_advisory_xact_lock(hashtextextended(conversation::text, 0)) where exists (select 1 from interactions i
          where i.organisation_id = organisation and i.conversation_id = conversation offset 1);
        with newest as (select i.id from interactions i
          where i.organisation_id = organisation and i.conversation_id = conversation and i.status = 'logged'
          order by i.occurred_at desc, i.id desc limit 1)
        update interactions i set leads = (i.status <> 'logged' or i.id = newest.id) from (select (select id from newest) as id) newest
         where i.organisation_id = organisation and i.conversation_id = conversation
           and i.leads is distinct from (i.status <> 'logged' or i.id = newest.id)
      $function$
;
CREATE OR REPLACE FUNCTION public.interaction_moved()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        if tg_op = 'DELETE' or tg_op = 'UPDATE' and old.conversation_id <> new.conversation_id then
          perform fold_conversation(old.organisation_id, old.conversation_id);
        end if;
        if tg_op <> 'DELETE' then
          perform fold_conversation(new.organisation_id, new.conversation_id);
        end if;
        return null;
      end $function$
;
CREATE OR REPLACE FUNCTION public.interactions_counted()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      if tg_op = 'INSERT' then
        insert into public.count_changes (organisation_id, list, key, rows)
          select r.organisation_id, 'interactions', case r.status when 'logged' then '' else coalesce(r.owner_account_id::text, '-') end, count(*) from changed r where r.leads group by 1, 3;
      else
        insert into public.count_changes (organisation_id, list, key, rows)
          select r.organisation_id, 'interactions', case r.status when 'logged' then '' else coalesce(r.owner_account_id::text, '-') end, -count(*) from changed r where r.leads group by 1, 3;
      end if;
      return null;
    end $function$
;
CREATE OR REPLACE FUNCTION public.interactions_keyed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        new.message_key := message_key(new.message_id);
        return new;
      end $function$
;
CREATE OR REPLACE FUNCTION public.interactions_recounted()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin

      if old.leads then insert into public.count_changes (organisation_id, list, key, rows)
        values (old.organisation_id, 'interactions', case old.status when 'logged' then '' else coalesce(old.owner_account_id::text, '-') end, -1); end if;
      if new.leads then insert into public.count_changes (organisation_id, list, key, rows)
        values (new.organisation_id, 'interactions', case new.status when 'logged' then '' else coalesce(new.owner_account_id::text, '-') end, 1); end if;
      return null;
    end $function$
;
CREATE OR REPLACE FUNCTION public.interactions_searched()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      new.search_text := folded(concat_ws(E'\x1f', new.subject, new.snippet, left(new.body_text, 4000)));
      return new;
    end $function$
;

-- # tables
create table interaction_contacts (
  organisation_id uuid not null,
  interaction_id uuid not null,
  contact_id uuid not null,
  "position" integer default 0 not null
);
create table interaction_kinds (
  id uuid not null,
  organisation_id uuid not null,
  key text collate "C" not null,
  label_i18n jsonb default '{}'::jsonb not null,
  "position" integer default 0 not null,
  active boolean default true not null,
  is_protected boolean default false not null,
  version integer default 1 not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  constraint interaction_kinds_key_check CHECK ((key ~ '^[a-z0-9_]{1,50}$'::text))
);
create table interaction_suppressions (
  organisation_id uuid not null,
  owner_account_id uuid not null,
  kind text not null,
  value text not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  constraint interaction_suppressions_kind_check CHECK ((kind = ANY (ARRAY['message'::text, 'thread'::text])))
);
create table interactions (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  kind text collate "C" not null,
  status text default 'logged'::text not null,
  source text default 'manual'::text not null,
  direction text default 'none'::text not null,
  occurred_at timestamp with time zone not null,
  owner_account_id uuid,
  company_id uuid,
  project_id uuid,
  task_id uuid,
  conversation_id uuid not null,
  mail_thread_id text,
  message_id text,
  deep_link text,
  search_text text default ''::text not null,
  subject text,
  snippet text,
  body_text text,
  body_markdown text,
  participants jsonb default '[]'::jsonb not null,
  leads boolean default true not null,
  mail_message_id text,
  message_key text,
  body_awaited boolean default false not null,
  body_tried_at timestamp with time zone,
  review_notified boolean default true not null,
  constraint interactions_direction_check CHECK ((direction = ANY (ARRAY['inbound'::text, 'outbound'::text, 'none'::text]))),
  constraint interactions_source_check CHECK ((source = ANY (ARRAY['manual'::text, 'mail'::text, 'upload'::text]))),
  constraint interactions_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'logged'::text])))
);

-- # keys and indexes
alter table interaction_contacts add constraint interaction_contacts_pkey PRIMARY KEY (organisation_id, interaction_id, contact_id);
CREATE INDEX interaction_contacts_organisation_id_contact_id_idx ON public.interaction_contacts USING btree (organisation_id, contact_id);
alter table interaction_kinds add constraint interaction_kinds_pkey PRIMARY KEY (id);
alter table interaction_kinds add constraint interaction_kinds_organisation_id_id_key UNIQUE (organisation_id, id);
alter table interaction_kinds add constraint interaction_kinds_key_key UNIQUE (organisation_id, key);
alter table interaction_suppressions add constraint interaction_suppressions_pkey PRIMARY KEY (organisation_id, owner_account_id, kind, value);
alter table interactions add constraint interactions_pkey PRIMARY KEY (id);
alter table interactions add constraint interactions_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE INDEX interactions_by_moment ON public.interactions USING btree (organisation_id, occurred_at DESC, id);
CREATE INDEX interactions_by_change ON public.interactions USING btree (organisation_id, updated_at, occurred_at DESC, id);
CREATE INDEX interactions_of_company ON public.interactions USING btree (organisation_id, company_id, occurred_at DESC, id);
CREATE INDEX interactions_of_project ON public.interactions USING btree (organisation_id, project_id, occurred_at DESC, id);
CREATE INDEX interactions_of_task ON public.interactions USING btree (organisation_id, task_id, occurred_at DESC, id);
CREATE INDEX interactions_of_owner ON public.interactions USING btree (organisation_id, owner_account_id, status, occurred_at DESC, id);
CREATE INDEX interactions_of_conversation ON public.interactions USING btree (organisation_id, conversation_id, occurred_at DESC, id);
CREATE INDEX interactions_of_thread ON public.interactions USING btree (organisation_id, mail_thread_id) WHERE (mail_thread_id IS NOT NULL);
CREATE INDEX interactions_of_message ON public.interactions USING btree (organisation_id, message_id) WHERE (message_id IS NOT NULL);
CREATE INDEX interactions_of_kind ON public.interactions USING btree (organisation_id, kind);
CREATE INDEX interactions_search ON public.interactions USING gin (organisation_id, search_text gin_trgm_ops);
CREATE INDEX interactions_walk ON public.interactions USING btree (organisation_id, occurred_at, id) INCLUDE (search_text) WHERE (octet_length(search_text) <= 1000);
CREATE INDEX interactions_walk_long ON public.interactions USING btree (organisation_id, occurred_at, id) WHERE (octet_length(search_text) > 1000);
CREATE INDEX interactions_look ON public.interactions USING btree (organisation_id, SUBSTRING(uuid_send(id) FROM 14)) INCLUDE (id, search_text) WHERE ((get_byte(uuid_send(id), 13) < 4) AND (octet_length(search_text) <= 1000));
CREATE INDEX interactions_look_long ON public.interactions USING btree (organisation_id, SUBSTRING(uuid_send(id) FROM 14)) WHERE ((get_byte(uuid_send(id), 13) < 4) AND (octet_length(search_text) > 1000));
CREATE INDEX interactions_leading ON public.interactions USING btree (organisation_id, occurred_at DESC, id) INCLUDE (status, owner_account_id) WHERE leads;
CREATE INDEX interactions_leading_by_subject ON public.interactions USING btree (organisation_id, subject COLLATE kantoor_text, occurred_at DESC, id) WHERE leads;
CREATE INDEX interactions_leading_by_subject_down ON public.interactions USING btree (organisation_id, subject COLLATE kantoor_text DESC NULLS LAST, occurred_at DESC, id) WHERE leads;
CREATE INDEX interactions_leading_of_owner ON public.interactions USING btree (organisation_id, owner_account_id, occurred_at DESC, id) WHERE leads;
CREATE INDEX interactions_leading_by_kind ON public.interactions USING btree (organisation_id, kind, occurred_at DESC, id) WHERE leads;
CREATE INDEX interactions_leading_by_kind_down ON public.interactions USING btree (organisation_id, kind DESC, occurred_at DESC, id) WHERE leads;
CREATE INDEX interactions_of_message_key ON public.interactions USING btree (organisation_id, message_key) WHERE (message_key IS NOT NULL);
CREATE UNIQUE INDEX interactions_of_mailbox ON public.interactions USING btree (organisation_id, owner_account_id, mail_message_id) WHERE (mail_message_id IS NOT NULL);
CREATE INDEX interactions_bodies ON public.interactions USING btree (organisation_id, body_tried_at, id) WHERE (body_awaited AND (status = 'logged'::text));
CREATE INDEX interactions_to_notify ON public.interactions USING btree (organisation_id, owner_account_id) WHERE (NOT review_notified);

-- # references
alter table interactions add constraint interactions_kind_fkey FOREIGN KEY (organisation_id, kind) REFERENCES interaction_kinds(organisation_id, key);
alter table interaction_contacts add constraint interaction_contacts_organisation_id_interaction_id_fkey FOREIGN KEY (organisation_id, interaction_id) REFERENCES interactions(organisation_id, id) ON DELETE CASCADE;
alter table tasks add constraint tasks_closing_fkey FOREIGN KEY (organisation_id, closing_interaction_id) REFERENCES interactions(organisation_id, id) ON DELETE SET NULL (closing_interaction_id);
alter table time_entries add constraint time_entries_interaction_fkey FOREIGN KEY (organisation_id, interaction_id) REFERENCES interactions(organisation_id, id) ON DELETE SET NULL (interaction_id);

-- # triggers
CREATE TRIGGER link_lost_by_deletion AFTER DELETE ON public.interaction_contacts REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (pg_trigger_depth() > 0))) EXECUTE FUNCTION link_lost_by_deletion('interactions', 'interaction_id');
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.interaction_kinds FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('interaction_kind');
CREATE TRIGGER change_counted BEFORE UPDATE ON public.interactions FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((new.version = old.version) AND (new.leads = old.leads)))) EXECUTE FUNCTION count_change_of_row();
CREATE TRIGGER counted AFTER INSERT ON public.interactions REFERENCING NEW TABLE AS changed FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION interactions_counted();
alter table interactions enable always trigger counted;
CREATE TRIGGER emptied AFTER TRUNCATE ON public.interactions FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION count_emptied();
alter table interactions enable always trigger emptied;
CREATE TRIGGER files_gone AFTER DELETE ON public.interactions FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION remove_files_of_record('interaction');
CREATE TRIGGER folded AFTER INSERT OR DELETE OR UPDATE OF conversation_id, occurred_at, status ON public.interactions FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION interaction_moved();
CREATE TRIGGER keyed BEFORE INSERT OR UPDATE OF message_id ON public.interactions FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION interactions_keyed();
alter table interactions enable always trigger keyed;
CREATE TRIGGER moved_by_deletion BEFORE UPDATE OF company_id, project_id, task_id ON public.interactions FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((pg_trigger_depth() > 0) AND (new.version = old.version) AND (((old.company_id IS NOT NULL) AND (new.company_id IS NULL)) OR ((old.project_id IS NOT NULL) AND (new.project_id IS NULL)) OR ((old.task_id IS NOT NULL) AND (new.task_id IS NULL)))))) EXECUTE FUNCTION moved_by_deletion();
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.interactions FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('interaction');
CREATE TRIGGER noted_view AFTER UPDATE OF status, owner_account_id, company_id, project_id, task_id ON public.interactions FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((old.status IS DISTINCT FROM new.status) OR (old.owner_account_id IS DISTINCT FROM new.owner_account_id) OR (old.company_id IS DISTINCT FROM new.company_id) OR (old.project_id IS DISTINCT FROM new.project_id) OR (old.task_id IS DISTINCT FROM new.task_id)))) EXECUTE FUNCTION note_left_view('interaction');
CREATE TRIGGER recounted AFTER UPDATE ON public.interactions FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((old.leads IS DISTINCT FROM new.leads) OR (old.status IS DISTINCT FROM new.status) OR (old.owner_account_id IS DISTINCT FROM new.owner_account_id)))) EXECUTE FUNCTION interactions_recounted();
alter table interactions enable always trigger recounted;
CREATE TRIGGER searched BEFORE INSERT OR UPDATE OF subject, snippet, body_text ON public.interactions FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION interactions_searched();
alter table interactions enable always trigger searched;
CREATE TRIGGER uncounted AFTER DELETE ON public.interactions REFERENCING OLD TABLE AS changed FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION interactions_counted();
alter table interactions enable always trigger uncounted;

-- # row-level security
alter table interaction_contacts enable row level security, force row level security;
create policy owner on interaction_contacts for all to current_user using (true) with check (true);
create policy tenant on interaction_contacts for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table interaction_kinds enable row level security, force row level security;
create policy owner on interaction_kinds for all to current_user using (true) with check (true);
create policy tenant on interaction_kinds for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table interaction_suppressions enable row level security, force row level security;
create policy owner on interaction_suppressions for all to current_user using (true) with check (true);
create policy tenant on interaction_suppressions for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table interactions enable row level security, force row level security;
create policy owner on interactions for all to current_user using (true) with check (true);
create policy tenant on interactions for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));

-- # comments
comment on column interactions.leads is 'The newest logged moment of its conversation, or a waiting one';
comment on function fold_conversation(uuid,uuid) is 'Brings up to date which moment of a conversation is its newest';

-- # grants
grant delete, insert, select, update on interaction_contacts to :application;
grant delete, insert, select, update on interaction_kinds to :application;
grant delete, insert, select, update on interaction_suppressions to :application;
grant delete, insert, select, update on interactions to :application;

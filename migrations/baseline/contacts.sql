-- Written by `npm run schema -- baseline` from the steps of the schema: the next run replaces it.

-- # functions
CREATE OR REPLACE FUNCTION public.bump_access_of_contact_link()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public'
AS $function$
      declare link contact_links := case tg_op when 'DELETE' then old else new end;
      begin
        if exists (select 1 from contacts c where c.organisation_id = link.organisation_id and c.id = link.contact_id
                    and c.account_id is not null) then
          perform bump_access(link.organisation_id);
        end if;
        return null;
      end $function$
;
CREATE OR REPLACE FUNCTION public.contacts_counted()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      if tg_op = 'INSERT' then
        insert into public.count_changes (organisation_id, list, key, rows)
          select r.organisation_id, 'contacts', '', count(*) from changed r group by 1, 3;
      else
        insert into public.count_changes (organisation_id, list, key, rows)
          select r.organisation_id, 'contacts', '', -count(*) from changed r group by 1, 3;
      end if;
      return null;
    end $function$
;
CREATE OR REPLACE FUNCTION public.contacts_searched()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        new.search_text := folded(concat_ws(E'\x1f', new.first_name, new.last_name, new.email,
          (select string_agg(o.value ->> 'email', E'\x1f' order by o.n) from jsonb_array_elements(new.other_emails) with ordinality o(value, n))));
        return new;
      end $function$
;
CREATE OR REPLACE FUNCTION public.keep_contact_keys()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public'
AS $function$
      begin
        if tg_op = 'UPDATE' then
          delete from contact_match_keys k where k.organisation_id = new.organisation_id and k.contact_id = new.id;
        end if;
        insert into contact_match_keys (organisation_id, kind, key, contact_id) select new.organisation_id, m.kind, m.key, new.id from (
          select k.kind, k.key from contact_keys(new.first_name, new.last_name, new.email, new.phone) k
          union select 'email', left(lower(e.value ->> 'email'), 400) from jsonb_array_elements(new.other_emails) e
          union select 'phone', left(match_phone(p.value ->> 'phone'), 400) from jsonb_array_elements(new.other_phones) p
        ) m where m.key is not null;
        return null;
      end $function$
;
CREATE OR REPLACE FUNCTION public.note_contact_selection()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public'
AS $function$
      begin
        if tg_op <> 'INSERT' and exists (select 1 from contacts c where c.organisation_id = old.organisation_id and c.id = old.contact_id
            and c.account_id is not null) then
          perform note_selection(old.organisation_id, old.contact_id, old.company_id, false);
        end if;
        if tg_op <> 'DELETE' and exists (select 1 from contacts c where c.organisation_id = new.organisation_id and c.id = new.contact_id
            and c.account_id is not null) then
          perform note_selection(new.organisation_id, new.contact_id, new.company_id, true);
        end if;
        return null;
      end $function$
;
CREATE OR REPLACE FUNCTION public.note_unlinked_contact()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public'
AS $function$
      begin
        insert into gone_rows (organisation_id, entity_type, entity_id, reason, companies, for_clients)
          select c.organisation_id, 'contact', c.id, 'left_view', array[old.company_id], true from contacts c
            where c.organisation_id = old.organisation_id and c.id = old.contact_id;
        return null;
      end $function$
;
CREATE OR REPLACE FUNCTION public.selected_contacts(sources uuid[])
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE
AS $function$
        select l.contact_id from contact_links l where l.organisation_id = current_organisation()
           and l.company_id in (select selected_companies(sources)) $function$
;
CREATE OR REPLACE FUNCTION public.touch_linked_contacts()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        -- Locked first, so that the update below looks at links as the last writer left them.
        perform 1 from contacts c where (c.organisation_id, c.id) in (select d.organisation_id, d.contact_id from changed d)
          order by c.id for no key update;
        update contacts c set version = version + 1, updated_at = statement_timestamp(), linked = exists (
            select 1 from contact_links l where l.organisation_id = c.organisation_id and l.contact_id = c.id)
         where (c.organisation_id, c.id) in (select d.organisation_id, d.contact_id from changed d);
        return null;
      end $function$
;

-- # tables
create table contact_distinct_pairs (
  organisation_id uuid not null,
  one_id uuid not null,
  other_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  constraint contact_distinct_pairs_check CHECK ((one_id < other_id))
);
create table contact_links (
  organisation_id uuid not null,
  contact_id uuid not null,
  company_id uuid not null,
  contact_type_id uuid,
  is_primary boolean default false not null,
  created_at timestamp with time zone default statement_timestamp() not null
);
create table contact_match_keys (
  organisation_id uuid not null,
  kind text not null,
  key text not null,
  contact_id uuid not null
);
create table contact_types (
  id uuid not null,
  organisation_id uuid not null,
  key text not null,
  "position" integer default 0 not null,
  active boolean default true not null,
  label_i18n jsonb default '{}'::jsonb not null,
  version integer default 1 not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  constraint contact_types_key_check CHECK ((key ~ '^[a-z0-9_]{1,50}$'::text))
);
create table contacts (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  linked boolean default false not null,
  search_text text default ''::text not null,
  first_name text not null,
  last_name text,
  job_title text,
  email text,
  email_key text collate "und-x-icu" generated always as (lower((email COLLATE "und-x-icu"))) stored,
  phone text,
  notes text,
  custom jsonb default '{}'::jsonb not null,
  account_id uuid,
  other_emails jsonb default '[]'::jsonb not null,
  other_phones jsonb default '[]'::jsonb not null,
  birthday date,
  constraint contacts_first_name_check CHECK ((first_name <> ''::text)),
  constraint contacts_other_emails_check CHECK ((jsonb_typeof(other_emails) = 'array'::text)),
  constraint contacts_other_phones_check CHECK ((jsonb_typeof(other_phones) = 'array'::text))
);

-- # keys and indexes
alter table contact_distinct_pairs add constraint contact_distinct_pairs_pkey PRIMARY KEY (organisation_id, one_id, other_id);
CREATE INDEX contact_distinct_pairs_organisation_id_other_id_idx ON public.contact_distinct_pairs USING btree (organisation_id, other_id);
alter table contact_links add constraint contact_links_pkey PRIMARY KEY (organisation_id, contact_id, company_id);
CREATE UNIQUE INDEX contact_links_one_primary ON public.contact_links USING btree (organisation_id, company_id) WHERE is_primary;
CREATE INDEX contact_links_of_company ON public.contact_links USING btree (organisation_id, company_id, contact_id);
CREATE INDEX contact_links_of_type ON public.contact_links USING btree (organisation_id, contact_type_id, contact_id);
alter table contact_match_keys add constraint contact_match_keys_pkey PRIMARY KEY (organisation_id, kind, key, contact_id);
CREATE INDEX contact_match_keys_organisation_id_contact_id_idx ON public.contact_match_keys USING btree (organisation_id, contact_id);
alter table contact_types add constraint contact_types_pkey PRIMARY KEY (id);
alter table contact_types add constraint contact_types_organisation_id_id_key UNIQUE (organisation_id, id);
alter table contact_types add constraint contact_types_key_key UNIQUE (organisation_id, key);
alter table contacts add constraint contacts_pkey PRIMARY KEY (id);
alter table contacts add constraint contacts_organisation_id_id_key UNIQUE (organisation_id, id);
alter table contacts add constraint contacts_account_key UNIQUE (organisation_id, account_id);
CREATE INDEX contacts_account_id_idx ON public.contacts USING btree (account_id);
CREATE INDEX contacts_by_email_key ON public.contacts USING btree (organisation_id, email_key);
CREATE INDEX contacts_by_creation ON public.contacts USING btree (organisation_id, created_at, id) INCLUDE (linked);
CREATE INDEX contacts_by_change ON public.contacts USING btree (organisation_id, updated_at, created_at DESC, id) INCLUDE (linked);
CREATE INDEX contacts_by_first_name ON public.contacts USING btree (organisation_id, first_name COLLATE kantoor_text, created_at DESC, id);
CREATE INDEX contacts_by_first_name_down ON public.contacts USING btree (organisation_id, first_name COLLATE kantoor_text DESC, created_at DESC, id);
CREATE INDEX contacts_unlinked ON public.contacts USING btree (organisation_id, first_name COLLATE kantoor_text, last_name COLLATE kantoor_text, id) WHERE (NOT linked);
CREATE INDEX contacts_by_last_name ON public.contacts USING btree (organisation_id, last_name COLLATE kantoor_text, created_at DESC, id);
CREATE INDEX contacts_by_last_name_down ON public.contacts USING btree (organisation_id, last_name COLLATE kantoor_text DESC NULLS LAST, created_at DESC, id);
CREATE INDEX contacts_by_email ON public.contacts USING btree (organisation_id, email COLLATE kantoor_text, created_at DESC, id);
CREATE INDEX contacts_by_email_down ON public.contacts USING btree (organisation_id, email COLLATE kantoor_text DESC NULLS LAST, created_at DESC, id);
CREATE INDEX contacts_by_job_title ON public.contacts USING btree (organisation_id, job_title COLLATE kantoor_text, created_at DESC, id);
CREATE INDEX contacts_by_job_title_down ON public.contacts USING btree (organisation_id, job_title COLLATE kantoor_text DESC NULLS LAST, created_at DESC, id);
CREATE INDEX contacts_search ON public.contacts USING gin (organisation_id, search_text gin_trgm_ops);
CREATE INDEX contacts_walk ON public.contacts USING btree (organisation_id, created_at, id) INCLUDE (search_text) WHERE (octet_length(search_text) <= 1000);
CREATE INDEX contacts_walk_long ON public.contacts USING btree (organisation_id, created_at, id) WHERE (octet_length(search_text) > 1000);
CREATE INDEX contacts_look ON public.contacts USING btree (organisation_id, SUBSTRING(uuid_send(id) FROM 14)) INCLUDE (id, search_text) WHERE ((get_byte(uuid_send(id), 13) < 4) AND (octet_length(search_text) <= 1000));
CREATE INDEX contacts_look_long ON public.contacts USING btree (organisation_id, SUBSTRING(uuid_send(id) FROM 14)) WHERE ((get_byte(uuid_send(id), 13) < 4) AND (octet_length(search_text) > 1000));
CREATE INDEX contacts_by_shown_name ON public.contacts USING btree (organisation_id, COALESCE(NULLIF(TRIM(BOTH FROM ((COALESCE(first_name, ''::text) || ' '::text) || COALESCE(last_name, ''::text))), ''::text), email) COLLATE kantoor_text, id);

-- # references
alter table contact_links add constraint contact_links_type_fkey FOREIGN KEY (organisation_id, contact_type_id) REFERENCES contact_types(organisation_id, id) ON DELETE SET NULL (contact_type_id);
alter table contact_links add constraint contact_links_organisation_id_contact_id_fkey FOREIGN KEY (organisation_id, contact_id) REFERENCES contacts(organisation_id, id) ON DELETE CASCADE;
alter table tasks add constraint tasks_contact_fkey FOREIGN KEY (organisation_id, assignee_contact_id) REFERENCES contacts(organisation_id, id) ON DELETE SET NULL (assignee_contact_id);
alter table interaction_contacts add constraint interaction_contacts_organisation_id_contact_id_fkey FOREIGN KEY (organisation_id, contact_id) REFERENCES contacts(organisation_id, id) ON DELETE CASCADE;
alter table invoices add constraint invoices_contact_fkey FOREIGN KEY (organisation_id, contact_id) REFERENCES contacts(organisation_id, id) ON DELETE SET NULL (contact_id);
alter table quotes add constraint quotes_contact_fkey FOREIGN KEY (organisation_id, contact_id) REFERENCES contacts(organisation_id, id) ON DELETE SET NULL (contact_id);
alter table impersonations add constraint impersonations_organisation_id_contact_id_fkey FOREIGN KEY (organisation_id, contact_id) REFERENCES contacts(organisation_id, id) ON DELETE CASCADE;
alter table report_mails add constraint report_mails_organisation_id_contact_id_fkey FOREIGN KEY (organisation_id, contact_id) REFERENCES contacts(organisation_id, id) ON DELETE SET NULL (contact_id);
alter table contact_match_keys add constraint contact_match_keys_organisation_id_contact_id_fkey FOREIGN KEY (organisation_id, contact_id) REFERENCES contacts(organisation_id, id) ON DELETE CASCADE;
alter table contact_distinct_pairs add constraint contact_distinct_pairs_organisation_id_one_id_fkey FOREIGN KEY (organisation_id, one_id) REFERENCES contacts(organisation_id, id) ON DELETE CASCADE;
alter table contact_distinct_pairs add constraint contact_distinct_pairs_organisation_id_other_id_fkey FOREIGN KEY (organisation_id, other_id) REFERENCES contacts(organisation_id, id) ON DELETE CASCADE;
alter table record_aliases add constraint record_aliases_organisation_id_contact_id_fkey FOREIGN KEY (organisation_id, contact_id) REFERENCES contacts(organisation_id, id) ON DELETE CASCADE;

-- # triggers
CREATE TRIGGER access_changed AFTER INSERT OR DELETE ON public.contact_links FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION bump_access_of_contact_link();
CREATE TRIGGER contacts_changed AFTER UPDATE ON public.contact_links REFERENCING NEW TABLE AS changed FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION touch_linked_contacts();
CREATE TRIGGER contacts_gained AFTER INSERT ON public.contact_links REFERENCING NEW TABLE AS changed FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION touch_linked_contacts();
CREATE TRIGGER contacts_lost AFTER DELETE ON public.contact_links REFERENCING OLD TABLE AS changed FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION touch_linked_contacts();
CREATE TRIGGER link_lost_by_deletion AFTER DELETE ON public.contact_links REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (pg_trigger_depth() > 0))) EXECUTE FUNCTION link_lost_by_deletion('contacts', 'contact_id');
CREATE TRIGGER noted_selection AFTER INSERT OR DELETE OR UPDATE OF company_id, contact_id ON public.contact_links FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_contact_selection();
CREATE TRIGGER noted_view AFTER DELETE OR UPDATE OF company_id, contact_id ON public.contact_links FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_unlinked_contact();
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.contact_types FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('contact_type');
CREATE TRIGGER access_changed AFTER UPDATE OF account_id ON public.contacts FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (old.account_id IS DISTINCT FROM new.account_id))) EXECUTE FUNCTION bump_access_of_row();
CREATE TRIGGER access_given AFTER INSERT ON public.contacts FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (new.account_id IS NOT NULL))) EXECUTE FUNCTION bump_access_of_row();
CREATE TRIGGER access_taken AFTER DELETE ON public.contacts FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (old.account_id IS NOT NULL))) EXECUTE FUNCTION bump_access_of_row();
CREATE TRIGGER counted AFTER INSERT ON public.contacts REFERENCING NEW TABLE AS changed FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION contacts_counted();
alter table contacts enable always trigger counted;
CREATE TRIGGER emptied AFTER TRUNCATE ON public.contacts FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION count_emptied();
alter table contacts enable always trigger emptied;
CREATE TRIGGER files_gone AFTER DELETE ON public.contacts FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION remove_files_of_record('contact');
CREATE TRIGGER match_keys_kept AFTER INSERT ON public.contacts FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION keep_contact_keys();
CREATE TRIGGER match_keys_moved AFTER UPDATE OF first_name, last_name, email, phone, other_emails, other_phones ON public.contacts FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((old.first_name IS DISTINCT FROM new.first_name) OR (old.last_name IS DISTINCT FROM new.last_name) OR (old.email IS DISTINCT FROM new.email) OR (old.phone IS DISTINCT FROM new.phone) OR (old.other_emails IS DISTINCT FROM new.other_emails) OR (old.other_phones IS DISTINCT FROM new.other_phones)))) EXECUTE FUNCTION keep_contact_keys();
CREATE TRIGGER moved_by_deletion BEFORE UPDATE OF account_id ON public.contacts FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((pg_trigger_depth() > 0) AND (new.version = old.version) AND ((old.account_id IS NOT NULL) AND (new.account_id IS NULL))))) EXECUTE FUNCTION moved_by_deletion();
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.contacts FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('contact');
CREATE TRIGGER noted_view AFTER UPDATE OF linked ON public.contacts FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (old.linked IS DISTINCT FROM new.linked))) EXECUTE FUNCTION note_left_view('contact');
CREATE TRIGGER searched BEFORE INSERT OR UPDATE OF first_name, last_name, email, other_emails ON public.contacts FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION contacts_searched();
alter table contacts enable always trigger searched;
CREATE TRIGGER uncounted AFTER DELETE ON public.contacts REFERENCING OLD TABLE AS changed FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION contacts_counted();
alter table contacts enable always trigger uncounted;

-- # row-level security
alter table contact_distinct_pairs enable row level security, force row level security;
create policy owner on contact_distinct_pairs for all to current_user using (true) with check (true);
create policy tenant on contact_distinct_pairs for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table contact_links enable row level security, force row level security;
create policy owner on contact_links for all to current_user using (true) with check (true);
create policy tenant on contact_links for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table contact_match_keys enable row level security, force row level security;
create policy owner on contact_match_keys for all to current_user using (true) with check (true);
create policy tenant on contact_match_keys for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table contact_types enable row level security, force row level security;
create policy owner on contact_types for all to current_user using (true) with check (true);
create policy tenant on contact_types for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table contacts enable row level security, force row level security;
create policy owner on contacts for all to current_user using (true) with check (true);
create policy tenant on contacts for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));

-- # grants
grant delete, insert, select, update on contact_distinct_pairs to :application;
grant delete, insert, select, update on contact_links to :application;
grant delete, insert, select, update on contact_match_keys to :application;
grant delete, insert, select, update on contact_types to :application;
grant delete, insert, select, update on contacts to :application;

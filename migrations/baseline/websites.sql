-- Written by `npm run schema -- baseline` from the steps of the schema: the next run replaces it.

-- # functions
CREATE OR REPLACE FUNCTION public.take_from_domain()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    declare domain record;
    begin
      select d.company_id, d.search_text into domain from domains d
       where d.organisation_id = new.organisation_id and d.id = new.domain_id for share;
      if found then
        new.company_id := domain.company_id;
        new.search_text := domain.search_text;
      -- A row for another organisation is refused by row security, as in any table.
      elsif new.organisation_id::text = current_setting('app.organisation_id', true) then
        raise foreign_key_violation using constraint = 'websites_domain_fkey', message = 'a website needs the domain it is of';
      end if;
      return new;
    end $function$
;
CREATE OR REPLACE FUNCTION public.websites_counted()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      if tg_op = 'INSERT' then
        insert into public.count_changes (organisation_id, list, key, rows)
          select r.organisation_id, 'websites', '', count(*) from changed r group by 1, 3;
      else
        insert into public.count_changes (organisation_id, list, key, rows)
          select r.organisation_id, 'websites', '', -count(*) from changed r group by 1, 3;
      end if;
      return null;
    end $function$
;

-- # tables
create table websites (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  domain_id uuid not null,
  company_id uuid not null,
  root boolean default true not null,
  technical_owner_type text,
  technical_owner_id uuid,
  hosting_id uuid,
  uptime_enabled boolean default false not null,
  custom jsonb default '{}'::jsonb not null,
  search_text text default ''::text not null,
  constraint websites_technical_owner_type_check CHECK ((technical_owner_type = ANY (ARRAY['agency'::text, 'company'::text, 'employee'::text, 'contact'::text])))
);

-- # keys and indexes
alter table websites add constraint websites_pkey PRIMARY KEY (id);
alter table websites add constraint websites_organisation_id_id_key UNIQUE (organisation_id, id);
alter table websites add constraint websites_domain_key UNIQUE (organisation_id, domain_id);
CREATE INDEX websites_organisation_id_created_at_id_idx ON public.websites USING btree (organisation_id, created_at DESC, id DESC);
CREATE INDEX websites_organisation_id_updated_at_created_at_id_idx ON public.websites USING btree (organisation_id, updated_at, created_at DESC, id);
CREATE INDEX websites_organisation_id_company_id_created_at_id_idx ON public.websites USING btree (organisation_id, company_id, created_at DESC, id);
CREATE INDEX websites_organisation_id_uptime_enabled_created_at_id_idx ON public.websites USING btree (organisation_id, uptime_enabled, created_at DESC, id);
CREATE INDEX websites_organisation_id_uptime_enabled_created_at_id_idx1 ON public.websites USING btree (organisation_id, uptime_enabled DESC, created_at DESC, id);
CREATE INDEX websites_organisation_id_hosting_id_created_at_id_idx ON public.websites USING btree (organisation_id, hosting_id, created_at DESC, id);
CREATE INDEX websites_search ON public.websites USING gin (organisation_id, search_text gin_trgm_ops);
CREATE INDEX websites_walk ON public.websites USING btree (organisation_id, created_at DESC, id DESC) INCLUDE (search_text) WHERE (octet_length(search_text) <= 1000);
CREATE INDEX websites_walk_long ON public.websites USING btree (organisation_id, created_at DESC, id DESC) WHERE (octet_length(search_text) > 1000);
CREATE INDEX websites_look ON public.websites USING btree (organisation_id, SUBSTRING(uuid_send(id) FROM 14)) INCLUDE (id, search_text) WHERE ((get_byte(uuid_send(id), 13) < 4) AND (octet_length(search_text) <= 1000));
CREATE INDEX websites_look_long ON public.websites USING btree (organisation_id, SUBSTRING(uuid_send(id) FROM 14)) WHERE ((get_byte(uuid_send(id), 13) < 4) AND (octet_length(search_text) > 1000));

-- # references
alter table uptime_monitors add constraint uptime_monitors_website_fkey FOREIGN KEY (organisation_id, website_id) REFERENCES websites(organisation_id, id) ON DELETE SET NULL (website_id);
alter table marketing_links add constraint marketing_links_organisation_id_website_id_fkey FOREIGN KEY (organisation_id, website_id) REFERENCES websites(organisation_id, id) ON DELETE SET NULL (website_id);
alter table marketing_website_credentials add constraint marketing_website_credentials_organisation_id_website_id_fkey FOREIGN KEY (organisation_id, website_id) REFERENCES websites(organisation_id, id) ON DELETE CASCADE;

-- # triggers
CREATE TRIGGER client_to_monitors AFTER UPDATE OF company_id ON public.websites FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (new.company_id IS DISTINCT FROM old.company_id))) EXECUTE FUNCTION uptime_client_moved('website_id');
CREATE TRIGGER counted AFTER INSERT ON public.websites REFERENCING NEW TABLE AS changed FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION websites_counted();
alter table websites enable always trigger counted;
CREATE TRIGGER emptied AFTER TRUNCATE ON public.websites FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION count_emptied();
alter table websites enable always trigger emptied;
CREATE TRIGGER files_gone AFTER DELETE ON public.websites FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION remove_files_of_record('website');
CREATE TRIGGER moved_by_deletion BEFORE UPDATE OF hosting_id ON public.websites FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((pg_trigger_depth() > 0) AND (new.version = old.version) AND ((old.hosting_id IS NOT NULL) AND (new.hosting_id IS NULL))))) EXECUTE FUNCTION moved_by_deletion();
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.websites FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('website');
CREATE TRIGGER noted_view AFTER UPDATE OF company_id ON public.websites FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (old.company_id IS DISTINCT FROM new.company_id))) EXECUTE FUNCTION note_left_view('website');
CREATE TRIGGER reference_cleared BEFORE UPDATE OF hosting_id ON public.websites FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (new.version = old.version))) EXECUTE FUNCTION count_cleared_reference();
CREATE TRIGGER taken_from_domain BEFORE INSERT OR UPDATE OF domain_id ON public.websites FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION take_from_domain();
CREATE TRIGGER uncounted AFTER DELETE ON public.websites REFERENCING OLD TABLE AS changed FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION websites_counted();
alter table websites enable always trigger uncounted;

-- # row-level security
alter table websites enable row level security, force row level security;
create policy owner on websites for all to current_user using (true) with check (true);
create policy tenant on websites for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));

-- # grants
grant delete, insert, select, update on websites to :application;

-- Written by `npm run schema -- baseline` from the steps of the schema: the next run replaces it.

-- # functions
CREATE OR REPLACE FUNCTION public.hostings_counted()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      if tg_op = 'INSERT' then
        insert into public.count_changes (organisation_id, list, key, rows)
          select r.organisation_id, 'hostings', '', count(*) from changed r group by 1, 3;
      else
        insert into public.count_changes (organisation_id, list, key, rows)
          select r.organisation_id, 'hostings', '', -count(*) from changed r group by 1, 3;
      end if;
      return null;
    end $function$
;
CREATE OR REPLACE FUNCTION public.hostings_searched()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      new.search_text := folded(concat_ws(E'\x1f', new.name, new.ip_address));
      return new;
    end $function$
;

-- # tables
create table hostings (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  name text not null,
  company_id uuid,
  provider_id uuid,
  ip_address text,
  contact_type text,
  contact_id uuid,
  custom jsonb default '{}'::jsonb not null,
  search_text text default ''::text not null,
  constraint hostings_contact_type_check CHECK ((contact_type = ANY (ARRAY['agency'::text, 'company'::text, 'employee'::text, 'contact'::text]))),
  constraint hostings_name_check CHECK ((name <> ''::text))
);

-- # keys and indexes
alter table hostings add constraint hostings_pkey PRIMARY KEY (id);
alter table hostings add constraint hostings_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE INDEX hostings_organisation_id_name_id_idx ON public.hostings USING btree (organisation_id, name COLLATE kantoor_text, id);
CREATE INDEX hostings_organisation_id_ip_address_name_id_idx ON public.hostings USING btree (organisation_id, ip_address COLLATE kantoor_text, name COLLATE kantoor_text, id);
CREATE INDEX hostings_organisation_id_ip_address_name_id_idx1 ON public.hostings USING btree (organisation_id, ip_address COLLATE kantoor_text DESC NULLS LAST, name COLLATE kantoor_text, id);
CREATE INDEX hostings_organisation_id_created_at_name_id_idx ON public.hostings USING btree (organisation_id, created_at, name COLLATE kantoor_text, id);
CREATE INDEX hostings_organisation_id_updated_at_name_id_idx ON public.hostings USING btree (organisation_id, updated_at, name COLLATE kantoor_text, id);
CREATE INDEX hostings_organisation_id_company_id_name_id_idx ON public.hostings USING btree (organisation_id, company_id, name COLLATE kantoor_text, id);
CREATE INDEX hostings_organisation_id_provider_id_idx ON public.hostings USING btree (organisation_id, provider_id) WHERE (provider_id IS NOT NULL);
CREATE INDEX hostings_search ON public.hostings USING gin (organisation_id, search_text gin_trgm_ops);
CREATE INDEX hostings_walk ON public.hostings USING btree (organisation_id, name COLLATE kantoor_text, id) INCLUDE (search_text) WHERE (octet_length(search_text) <= 1000);
CREATE INDEX hostings_walk_long ON public.hostings USING btree (organisation_id, name COLLATE kantoor_text, id) WHERE (octet_length(search_text) > 1000);
CREATE INDEX hostings_look ON public.hostings USING btree (organisation_id, SUBSTRING(uuid_send(id) FROM 14)) INCLUDE (id, search_text) WHERE ((get_byte(uuid_send(id), 13) < 4) AND (octet_length(search_text) <= 1000));
CREATE INDEX hostings_look_long ON public.hostings USING btree (organisation_id, SUBSTRING(uuid_send(id) FROM 14)) WHERE ((get_byte(uuid_send(id), 13) < 4) AND (octet_length(search_text) > 1000));

-- # references
alter table websites add constraint websites_hosting_fkey FOREIGN KEY (organisation_id, hosting_id) REFERENCES hostings(organisation_id, id) ON DELETE SET NULL (hosting_id);
alter table uptime_monitors add constraint uptime_monitors_hosting_fkey FOREIGN KEY (organisation_id, hosting_id) REFERENCES hostings(organisation_id, id) ON DELETE SET NULL (hosting_id);

-- # triggers
CREATE TRIGGER client_to_monitors AFTER UPDATE OF company_id ON public.hostings FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (new.company_id IS DISTINCT FROM old.company_id))) EXECUTE FUNCTION uptime_client_moved('hosting_id');
CREATE TRIGGER counted AFTER INSERT ON public.hostings REFERENCING NEW TABLE AS changed FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION hostings_counted();
alter table hostings enable always trigger counted;
CREATE TRIGGER emptied AFTER TRUNCATE ON public.hostings FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION count_emptied();
alter table hostings enable always trigger emptied;
CREATE TRIGGER files_gone AFTER DELETE ON public.hostings FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION remove_files_of_record('hosting');
CREATE TRIGGER moved_by_deletion BEFORE UPDATE OF company_id, provider_id ON public.hostings FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((pg_trigger_depth() > 0) AND (new.version = old.version) AND (((old.company_id IS NOT NULL) AND (new.company_id IS NULL)) OR ((old.provider_id IS NOT NULL) AND (new.provider_id IS NULL)))))) EXECUTE FUNCTION moved_by_deletion();
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.hostings FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('hosting');
CREATE TRIGGER noted_view AFTER UPDATE OF company_id ON public.hostings FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (old.company_id IS DISTINCT FROM new.company_id))) EXECUTE FUNCTION note_left_view('hosting');
CREATE TRIGGER reference_cleared BEFORE UPDATE OF company_id, provider_id ON public.hostings FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (new.version = old.version))) EXECUTE FUNCTION count_cleared_reference();
CREATE TRIGGER searched BEFORE INSERT OR UPDATE OF name, ip_address ON public.hostings FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION hostings_searched();
alter table hostings enable always trigger searched;
CREATE TRIGGER uncounted AFTER DELETE ON public.hostings REFERENCING OLD TABLE AS changed FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION hostings_counted();
alter table hostings enable always trigger uncounted;

-- # row-level security
alter table hostings enable row level security, force row level security;
create policy owner on hostings for all to current_user using (true) with check (true);
create policy tenant on hostings for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));

-- # grants
grant delete, insert, select, update on hostings to :application;

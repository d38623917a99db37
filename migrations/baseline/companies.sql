-- Written by `npm run schema -- baseline` from the steps of the schema: the next run replaces it.

-- # functions
CREATE OR REPLACE FUNCTION public.companies_counted()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      if tg_op = 'INSERT' then
        insert into public.count_changes (organisation_id, list, key, rows)
          select r.organisation_id, 'companies', r.status, count(*) from changed r group by 1, 3;
      else
        insert into public.count_changes (organisation_id, list, key, rows)
          select r.organisation_id, 'companies', r.status, -count(*) from changed r group by 1, 3;
      end if;
      return null;
    end $function$
;
CREATE OR REPLACE FUNCTION public.companies_recounted()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin

      insert into public.count_changes (organisation_id, list, key, rows)
        values (old.organisation_id, 'companies', old.status, -1);
      insert into public.count_changes (organisation_id, list, key, rows)
        values (new.organisation_id, 'companies', new.status, 1);
      return null;
    end $function$
;
CREATE OR REPLACE FUNCTION public.companies_searched()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      new.search_text := folded(concat_ws(E'\x1f', new.name, new.legal_name, new.client_number, new.website, new.city));
      return new;
    end $function$
;
CREATE OR REPLACE FUNCTION public.keep_company_keys()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public'
AS $function$
  begin
    if tg_op = 'UPDATE' then
      delete from company_match_keys k where k.organisation_id = new.organisation_id and k.company_id = new.id;
    end if;
    insert into company_match_keys (organisation_id, kind, key, company_id) select new.organisation_id, m.kind, m.key, new.id
      from company_keys(new.name, new.legal_name, new.website, new.phone, new.invoice_email, new.vat_number, new.coc_number) m;
    return null;
  end $function$
;
CREATE OR REPLACE FUNCTION public.live_audience(kind text, of_table text, record uuid, OUT companies uuid[], OUT for_clients boolean, OUT needs text, OUT persons uuid[])
 RETURNS SETOF record
 LANGUAGE plpgsql
 STABLE ROWS 1
 SET search_path TO 'public'
AS $function$
      begin
        if to_regclass(of_table) is null then return; end if;
        return query execute format('select a.companies, a.for_clients, a.needs, a.persons from %I t, row_audience($1, to_jsonb(t)) a where t.organisation_id = current_organisation() and t.id = $2',
          of_table) using kind, record;
      end $function$
;
CREATE OR REPLACE FUNCTION public.move_monitors_of_roster()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public'
AS $function$
      declare
        moved company_assignees := case tg_op when 'INSERT' then new else old end;
      begin
        if tg_op = 'DELETE' then
          insert into gone_rows (organisation_id, entity_type, entity_id, reason, companies, for_clients, needs, persons)
            select m.organisation_id, 'uptime_monitor', m.id, 'left_view', array[m.company_id], true, 'uptime.monitor.read:any',
                array[moved.account_id]
              from uptime_monitors m where m.organisation_id = moved.organisation_id and m.company_id = moved.company_id;
        else
          update uptime_monitors m set version = m.version + 1, updated_at = statement_timestamp()
            where m.organisation_id = moved.organisation_id and m.company_id = moved.company_id;
        end if;
        return null;
      end $function$
;
CREATE OR REPLACE FUNCTION public.note_group_selection()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public'
AS $function$
      begin
        if tg_op <> 'INSERT' then perform note_selection(old.organisation_id, old.group_id, old.company_id, false); end if;
        if tg_op <> 'DELETE' then perform note_selection(new.organisation_id, new.group_id, new.company_id, true); end if;
        return null;
      end $function$
;

-- # tables
create table companies (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  status text default 'active'::text not null,
  search_text text default ''::text not null,
  name text not null,
  legal_name text,
  client_number text,
  website text,
  phone text,
  invoice_email text,
  vat_number text,
  coc_number text,
  address_line1 text,
  house_number text,
  address_line2 text,
  postal_code text,
  city text,
  country text,
  notes text,
  logo_file_id uuid,
  custom jsonb default '{}'::jsonb not null,
  constraint companies_name_check CHECK ((name <> ''::text)),
  constraint companies_status_check CHECK ((status = ANY (ARRAY['lead'::text, 'onboarding'::text, 'active'::text, 'offboarding'::text, 'archived'::text])))
);
create table company_assignees (
  organisation_id uuid not null,
  company_id uuid not null,
  account_id uuid not null,
  is_primary boolean default false not null,
  "position" integer generated always as identity not null,
  created_at timestamp with time zone default statement_timestamp() not null
);
create table company_distinct_pairs (
  organisation_id uuid not null,
  one_id uuid not null,
  other_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  constraint company_distinct_pairs_check CHECK ((one_id < other_id))
);
create table company_group_companies (
  organisation_id uuid not null,
  group_id uuid not null,
  company_id uuid not null
);
create table company_group_memberships (
  organisation_id uuid not null,
  group_id uuid not null,
  membership_id uuid not null
);
create table company_groups (
  id uuid not null,
  organisation_id uuid not null,
  name text not null,
  "position" integer default 0 not null,
  version integer default 1 not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  constraint company_groups_name_check CHECK ((name <> ''::text))
);
create table company_match_keys (
  organisation_id uuid not null,
  kind text not null,
  key text not null,
  company_id uuid not null
);
create table company_settings (
  id uuid not null,
  organisation_id uuid not null,
  client_number_format text default '{seq:4}'::text not null,
  client_number_next_seq integer default 1 not null,
  client_number_reset_yearly boolean default false not null,
  client_number_seq_year integer,
  client_number_auto boolean default true not null,
  version integer default 1 not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  constraint company_settings_client_number_next_seq_check CHECK ((client_number_next_seq >= 1))
);
create table record_aliases (
  organisation_id uuid not null,
  old_id uuid not null,
  company_id uuid,
  contact_id uuid,
  created_at timestamp with time zone default statement_timestamp() not null,
  constraint record_aliases_check CHECK ((num_nonnulls(company_id, contact_id) = 1))
);

-- # keys and indexes
alter table companies add constraint companies_pkey PRIMARY KEY (id);
alter table companies add constraint companies_organisation_id_id_key UNIQUE (organisation_id, id);
alter table companies add constraint companies_client_number_key UNIQUE (organisation_id, client_number);
CREATE INDEX companies_by_name ON public.companies USING btree (organisation_id, name COLLATE kantoor_text, id);
CREATE INDEX companies_by_number ON public.companies USING btree (organisation_id, client_number COLLATE kantoor_text, name COLLATE kantoor_text, id);
CREATE INDEX companies_by_number_down ON public.companies USING btree (organisation_id, client_number COLLATE kantoor_text DESC NULLS LAST, name COLLATE kantoor_text, id);
CREATE INDEX companies_by_status ON public.companies USING btree (organisation_id, status COLLATE kantoor_text, name COLLATE kantoor_text, id);
CREATE INDEX companies_by_status_down ON public.companies USING btree (organisation_id, status COLLATE kantoor_text DESC, name COLLATE kantoor_text, id);
CREATE INDEX companies_by_creation ON public.companies USING btree (organisation_id, created_at, name COLLATE kantoor_text, id);
CREATE INDEX companies_by_change ON public.companies USING btree (organisation_id, updated_at, name COLLATE kantoor_text, id);
CREATE INDEX companies_search ON public.companies USING gin (organisation_id, search_text gin_trgm_ops);
CREATE INDEX companies_with_logo ON public.companies USING btree (organisation_id, logo_file_id) WHERE (logo_file_id IS NOT NULL);
CREATE INDEX companies_walk ON public.companies USING btree (organisation_id, name COLLATE kantoor_text, id) INCLUDE (search_text) WHERE (octet_length(search_text) <= 1000);
CREATE INDEX companies_walk_long ON public.companies USING btree (organisation_id, name COLLATE kantoor_text, id) WHERE (octet_length(search_text) > 1000);
CREATE INDEX companies_look ON public.companies USING btree (organisation_id, SUBSTRING(uuid_send(id) FROM 14)) INCLUDE (id, search_text) WHERE ((get_byte(uuid_send(id), 13) < 4) AND (octet_length(search_text) <= 1000));
CREATE INDEX companies_look_long ON public.companies USING btree (organisation_id, SUBSTRING(uuid_send(id) FROM 14)) WHERE ((get_byte(uuid_send(id), 13) < 4) AND (octet_length(search_text) > 1000));
alter table company_assignees add constraint company_assignees_pkey PRIMARY KEY (organisation_id, company_id, account_id);
CREATE UNIQUE INDEX company_assignees_one_primary ON public.company_assignees USING btree (organisation_id, company_id) WHERE is_primary;
CREATE INDEX company_assignees_organisation_id_account_id_idx ON public.company_assignees USING btree (organisation_id, account_id);
CREATE INDEX company_assignees_primaries ON public.company_assignees USING btree (organisation_id, account_id, company_id) WHERE is_primary;
CREATE INDEX company_assignees_of_account ON public.company_assignees USING hash (account_id);
alter table company_distinct_pairs add constraint company_distinct_pairs_pkey PRIMARY KEY (organisation_id, one_id, other_id);
CREATE INDEX company_distinct_pairs_organisation_id_other_id_idx ON public.company_distinct_pairs USING btree (organisation_id, other_id);
alter table company_group_companies add constraint company_group_companies_pkey PRIMARY KEY (organisation_id, group_id, company_id);
CREATE INDEX company_group_companies_organisation_id_company_id_idx ON public.company_group_companies USING btree (organisation_id, company_id);
alter table company_group_memberships add constraint company_group_memberships_pkey PRIMARY KEY (organisation_id, group_id, membership_id);
CREATE INDEX company_group_memberships_organisation_id_membership_id_idx ON public.company_group_memberships USING btree (organisation_id, membership_id);
alter table company_groups add constraint company_groups_pkey PRIMARY KEY (id);
alter table company_groups add constraint company_groups_organisation_id_id_key UNIQUE (organisation_id, id);
alter table company_groups add constraint company_groups_name_key UNIQUE (organisation_id, name);
alter table company_match_keys add constraint company_match_keys_pkey PRIMARY KEY (organisation_id, kind, key, company_id);
CREATE INDEX company_match_keys_organisation_id_company_id_idx ON public.company_match_keys USING btree (organisation_id, company_id);
alter table company_settings add constraint company_settings_pkey PRIMARY KEY (id);
alter table company_settings add constraint company_settings_organisation_id_key UNIQUE (organisation_id);
alter table company_settings add constraint company_settings_organisation_id_id_key UNIQUE (organisation_id, id);
alter table record_aliases add constraint record_aliases_pkey PRIMARY KEY (organisation_id, old_id);
CREATE INDEX record_aliases_organisation_id_company_id_idx ON public.record_aliases USING btree (organisation_id, company_id) WHERE (company_id IS NOT NULL);
CREATE INDEX record_aliases_organisation_id_contact_id_idx ON public.record_aliases USING btree (organisation_id, contact_id) WHERE (contact_id IS NOT NULL);

-- # references
alter table company_assignees add constraint company_assignees_organisation_id_company_id_fkey FOREIGN KEY (organisation_id, company_id) REFERENCES companies(organisation_id, id) ON DELETE CASCADE;
alter table company_group_companies add constraint company_group_companies_organisation_id_company_id_fkey FOREIGN KEY (organisation_id, company_id) REFERENCES companies(organisation_id, id) ON DELETE CASCADE;
alter table contact_links add constraint contact_links_organisation_id_company_id_fkey FOREIGN KEY (organisation_id, company_id) REFERENCES companies(organisation_id, id) ON DELETE CASCADE;
alter table projects add constraint projects_company_fkey FOREIGN KEY (organisation_id, company_id) REFERENCES companies(organisation_id, id) ON DELETE SET NULL (company_id);
alter table tasks add constraint tasks_company_fkey FOREIGN KEY (organisation_id, company_id) REFERENCES companies(organisation_id, id) ON DELETE SET NULL (company_id);
alter table interactions add constraint interactions_company_fkey FOREIGN KEY (organisation_id, company_id) REFERENCES companies(organisation_id, id) ON DELETE SET NULL (company_id);
alter table time_entries add constraint time_entries_company_fkey FOREIGN KEY (organisation_id, company_id) REFERENCES companies(organisation_id, id) ON DELETE SET NULL (company_id);
alter table subscriptions add constraint subscriptions_company_fkey FOREIGN KEY (organisation_id, company_id) REFERENCES companies(organisation_id, id) ON DELETE CASCADE;
alter table invoices add constraint invoices_company_fkey FOREIGN KEY (organisation_id, company_id) REFERENCES companies(organisation_id, id);
alter table quotes add constraint quotes_company_fkey FOREIGN KEY (organisation_id, company_id) REFERENCES companies(organisation_id, id);
alter table domains add constraint domains_company_fkey FOREIGN KEY (organisation_id, company_id) REFERENCES companies(organisation_id, id) ON DELETE CASCADE;
alter table hostings add constraint hostings_company_fkey FOREIGN KEY (organisation_id, company_id) REFERENCES companies(organisation_id, id) ON DELETE SET NULL (company_id);
alter table uptime_monitors add constraint uptime_monitors_company_fkey FOREIGN KEY (organisation_id, company_id) REFERENCES companies(organisation_id, id) ON DELETE SET NULL (company_id);
alter table drive_links add constraint drive_links_company_fkey FOREIGN KEY (organisation_id, company_id) REFERENCES companies(organisation_id, id) ON DELETE CASCADE;
alter table drive_provisions add constraint drive_provisions_company_fkey FOREIGN KEY (organisation_id, company_id) REFERENCES companies(organisation_id, id) ON DELETE CASCADE;
alter table marketing_company_settings add constraint marketing_company_settings_organisation_id_company_id_fkey FOREIGN KEY (organisation_id, company_id) REFERENCES companies(organisation_id, id) ON DELETE CASCADE;
alter table marketing_links add constraint marketing_links_organisation_id_company_id_fkey FOREIGN KEY (organisation_id, company_id) REFERENCES companies(organisation_id, id) ON DELETE CASCADE;
alter table ads_accounts add constraint ads_accounts_organisation_id_company_id_fkey FOREIGN KEY (organisation_id, company_id) REFERENCES companies(organisation_id, id) ON DELETE SET NULL (company_id);
alter table report_profiles add constraint report_profiles_organisation_id_company_id_fkey FOREIGN KEY (organisation_id, company_id) REFERENCES companies(organisation_id, id) ON DELETE CASCADE;
alter table reports add constraint reports_organisation_id_company_id_fkey FOREIGN KEY (organisation_id, company_id) REFERENCES companies(organisation_id, id) ON DELETE SET NULL (company_id);
alter table company_match_keys add constraint company_match_keys_organisation_id_company_id_fkey FOREIGN KEY (organisation_id, company_id) REFERENCES companies(organisation_id, id) ON DELETE CASCADE;
alter table company_distinct_pairs add constraint company_distinct_pairs_organisation_id_one_id_fkey FOREIGN KEY (organisation_id, one_id) REFERENCES companies(organisation_id, id) ON DELETE CASCADE;
alter table company_distinct_pairs add constraint company_distinct_pairs_organisation_id_other_id_fkey FOREIGN KEY (organisation_id, other_id) REFERENCES companies(organisation_id, id) ON DELETE CASCADE;
alter table bank_entries add constraint bank_entries_company_fkey FOREIGN KEY (organisation_id, company_id) REFERENCES companies(organisation_id, id);
alter table record_aliases add constraint record_aliases_organisation_id_company_id_fkey FOREIGN KEY (organisation_id, company_id) REFERENCES companies(organisation_id, id) ON DELETE CASCADE;
alter table client_terms add constraint client_terms_company_fkey FOREIGN KEY (organisation_id, company_id) REFERENCES companies(organisation_id, id) ON DELETE CASCADE;
alter table dunning_pauses add constraint dunning_pauses_company_fkey FOREIGN KEY (organisation_id, company_id) REFERENCES companies(organisation_id, id) ON DELETE CASCADE;
alter table sepa_mandates add constraint sepa_mandates_company_fkey FOREIGN KEY (organisation_id, company_id) REFERENCES companies(organisation_id, id) ON DELETE CASCADE;
alter table company_group_companies add constraint company_group_companies_organisation_id_group_id_fkey FOREIGN KEY (organisation_id, group_id) REFERENCES company_groups(organisation_id, id) ON DELETE CASCADE;
alter table company_group_memberships add constraint company_group_memberships_organisation_id_group_id_fkey FOREIGN KEY (organisation_id, group_id) REFERENCES company_groups(organisation_id, id) ON DELETE CASCADE;

-- # triggers
CREATE TRIGGER counted AFTER INSERT ON public.companies REFERENCING NEW TABLE AS changed FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION companies_counted();
alter table companies enable always trigger counted;
CREATE TRIGGER emptied AFTER TRUNCATE ON public.companies FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION count_emptied();
alter table companies enable always trigger emptied;
CREATE TRIGGER files_gone AFTER DELETE ON public.companies FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION remove_files_of_record('company', 'company_logo');
CREATE TRIGGER match_keys_kept AFTER INSERT ON public.companies FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION keep_company_keys();
CREATE TRIGGER match_keys_moved AFTER UPDATE OF name, legal_name, website, phone, invoice_email, vat_number, coc_number ON public.companies FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((old.name IS DISTINCT FROM new.name) OR (old.legal_name IS DISTINCT FROM new.legal_name) OR (old.website IS DISTINCT FROM new.website) OR (old.phone IS DISTINCT FROM new.phone) OR (old.invoice_email IS DISTINCT FROM new.invoice_email) OR (old.vat_number IS DISTINCT FROM new.vat_number) OR (old.coc_number IS DISTINCT FROM new.coc_number)))) EXECUTE FUNCTION keep_company_keys();
CREATE TRIGGER moved_by_deletion BEFORE UPDATE OF logo_file_id ON public.companies FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((pg_trigger_depth() > 0) AND (new.version = old.version) AND ((old.logo_file_id IS NOT NULL) AND (new.logo_file_id IS NULL))))) EXECUTE FUNCTION moved_by_deletion();
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.companies FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('company');
CREATE TRIGGER recounted AFTER UPDATE ON public.companies FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (old.status IS DISTINCT FROM new.status))) EXECUTE FUNCTION companies_recounted();
alter table companies enable always trigger recounted;
CREATE TRIGGER searched BEFORE INSERT OR UPDATE OF name, legal_name, client_number, website, city ON public.companies FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION companies_searched();
alter table companies enable always trigger searched;
CREATE TRIGGER uncounted AFTER DELETE ON public.companies REFERENCING OLD TABLE AS changed FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION companies_counted();
alter table companies enable always trigger uncounted;
CREATE TRIGGER link_lost_by_deletion AFTER DELETE ON public.company_assignees REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (pg_trigger_depth() > 0))) EXECUTE FUNCTION link_lost_by_deletion('companies', 'company_id');
CREATE TRIGGER moved_monitors AFTER INSERT OR DELETE ON public.company_assignees FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION move_monitors_of_roster();
CREATE TRIGGER noted_selection AFTER INSERT OR DELETE OR UPDATE ON public.company_group_companies FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_group_selection();
CREATE TRIGGER access_changed AFTER INSERT OR DELETE OR UPDATE ON public.company_group_memberships FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION bump_access_of_row();
CREATE TRIGGER link_lost_by_deletion AFTER DELETE ON public.company_group_memberships REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (pg_trigger_depth() > 0))) EXECUTE FUNCTION link_lost_by_deletion('company_groups', 'group_id');
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.company_groups FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('company_group');

-- # row-level security
alter table companies enable row level security, force row level security;
create policy owner on companies for all to current_user using (true) with check (true);
create policy tenant on companies for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table company_assignees enable row level security, force row level security;
create policy owner on company_assignees for all to current_user using (true) with check (true);
create policy tenant on company_assignees for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table company_distinct_pairs enable row level security, force row level security;
create policy owner on company_distinct_pairs for all to current_user using (true) with check (true);
create policy tenant on company_distinct_pairs for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table company_group_companies enable row level security, force row level security;
create policy owner on company_group_companies for all to current_user using (true) with check (true);
create policy tenant on company_group_companies for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table company_group_memberships enable row level security, force row level security;
create policy owner on company_group_memberships for all to current_user using (true) with check (true);
create policy tenant on company_group_memberships for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table company_groups enable row level security, force row level security;
create policy owner on company_groups for all to current_user using (true) with check (true);
create policy tenant on company_groups for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table company_match_keys enable row level security, force row level security;
create policy owner on company_match_keys for all to current_user using (true) with check (true);
create policy tenant on company_match_keys for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table company_settings enable row level security, force row level security;
create policy owner on company_settings for all to current_user using (true) with check (true);
create policy tenant on company_settings for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table record_aliases enable row level security, force row level security;
create policy owner on record_aliases for all to current_user using (true) with check (true);
create policy tenant on record_aliases for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));

-- # comments
comment on function live_audience(text,text,uuid) is 'Who reads a row now; no row for one that was deleted';

-- # grants
grant delete, insert, select, update on companies to :application;
grant delete, insert, select, update on company_assignees to :application;
grant delete, insert, select, update on company_distinct_pairs to :application;
grant delete, insert, select, update on company_group_companies to :application;
grant delete, insert, select, update on company_group_memberships to :application;
grant delete, insert, select, update on company_groups to :application;
grant delete, insert, select, update on company_match_keys to :application;
grant delete, insert, select, update on company_settings to :application;
grant delete, insert, select, update on record_aliases to :application;

-- Written by `npm run schema -- baseline` from the steps of the schema: the next run replaces it.

-- # functions
CREATE OR REPLACE FUNCTION public.ask_registers()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        perform pg_advisory_xact_lock_shared(hashtextextended('registers ' || new.organisation_id, 0));
        select r.held_by_edge, r.held_by_registrar, r.expires_on into new.held_by_edge, new.held_by_registrar, new.register_expires_on
          from registers_of(new.organisation_id, new.id, new.name) r;
        return new;
      end $function$
;
CREATE OR REPLACE FUNCTION public.domains_counted()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      if tg_op = 'INSERT' then
        insert into public.count_changes (organisation_id, list, key, rows)
          select r.organisation_id, 'domains', r.status, count(*) from changed r group by 1, 3;
      else
        insert into public.count_changes (organisation_id, list, key, rows)
          select r.organisation_id, 'domains', r.status, -count(*) from changed r group by 1, 3;
      end if;
      return null;
    end $function$
;
CREATE OR REPLACE FUNCTION public.domains_recounted()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin

      insert into public.count_changes (organisation_id, list, key, rows)
        values (old.organisation_id, 'domains', old.status, -1);
      insert into public.count_changes (organisation_id, list, key, rows)
        values (new.organisation_id, 'domains', new.status, 1);
      return null;
    end $function$
;
CREATE OR REPLACE FUNCTION public.domains_searched()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      new.search_text := folded(concat_ws(E'\x1f', new.label, new.name));
      return new;
    end $function$
;
CREATE OR REPLACE FUNCTION public.give_to_website()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      update websites set company_id = new.company_id, search_text = new.search_text,
          version = version + 1, updated_at = statement_timestamp()
       where organisation_id = new.organisation_id and domain_id = new.id;
      return null;
    end $function$
;
CREATE OR REPLACE FUNCTION public.move_below_domain()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public'
AS $function$
      begin
        insert into gone_rows (organisation_id, entity_type, entity_id, reason, companies, for_clients)
          select z.organisation_id, 'edge_zone', z.id, 'left_view', array[old.company_id], true from edge_zones z
            where z.organisation_id = new.organisation_id and z.domain_id = new.id;
        update edge_zones z set version = z.version + 1, updated_at = statement_timestamp()
          where z.organisation_id = new.organisation_id and z.domain_id = new.id;
        return null;
      end $function$
;
CREATE OR REPLACE FUNCTION public.pair_renamed_domain()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        update registrar_domains set domain_id = null, version = version + 1, updated_at = statement_timestamp()
          where organisation_id = new.organisation_id and domain_id = new.id and name <> new.name;
        update registrar_domains set domain_id = new.id, version = version + 1, updated_at = statement_timestamp()
          where organisation_id = new.organisation_id and domain_id is null and name = new.name;
        return null;
      end $function$
;
CREATE OR REPLACE FUNCTION public.tell_domains()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        if not exists (select from written) then return null; end if;
        perform pg_advisory_xact_lock(hashtextextended('registers ' || w.organisation_id, 0)) from (select distinct organisation_id from written order by 1) w;
        with concerned as (
          select d.id from written w join domains d on d.organisation_id = w.organisation_id and d.id = w.domain_id
          union
          select d.id from written w join domains d on d.organisation_id = w.organisation_id and d.name = w.name),
        said as (
          select d.id, r.* from concerned c join domains d using (id), registers_of(d.organisation_id, d.id, d.name) r
           where (d.held_by_edge, d.held_by_registrar, d.register_expires_on)
             is distinct from (r.held_by_edge, r.held_by_registrar, r.expires_on)
           order by d.id for no key update of d)
        update domains d set (held_by_edge, held_by_registrar, register_expires_on) = (s.held_by_edge, s.held_by_registrar, s.expires_on) from said s where d.id = s.id;
        return null;
      end $function$
;

-- # tables
create table domains (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  company_id uuid not null,
  name text collate "C" not null,
  label text not null,
  search_text text default ''::text not null,
  tld text collate "C",
  status text default 'active'::text not null,
  redirect_url text,
  start_date date not null,
  next_invoice_date date,
  price_override numeric(12,2),
  invoiceable boolean,
  auto_invoice_mode text,
  registrar_provider_id uuid,
  dns_provider_id uuid,
  registry_contact_type text,
  registry_contact_id uuid,
  email_enabled boolean default false not null,
  email_provider_id uuid,
  email_contact_type text,
  email_contact_id uuid,
  custom jsonb default '{}'::jsonb not null,
  nameservers text[],
  dnssec boolean,
  mx_records jsonb,
  dns_checked_at timestamp with time zone,
  held_by_edge boolean default false not null,
  held_by_registrar boolean default false not null,
  register_expires_on date,
  dns_look_at timestamp with time zone,
  constraint domains_auto_invoice_mode_check CHECK ((auto_invoice_mode = ANY (ARRAY['off'::text, 'draft'::text, 'issue'::text, 'send'::text]))),
  constraint domains_email_contact_type_check CHECK ((email_contact_type = ANY (ARRAY['agency'::text, 'company'::text, 'employee'::text, 'contact'::text]))),
  constraint domains_label_check CHECK ((label <> ''::text)),
  constraint domains_name_check CHECK ((name <> ''::text)),
  constraint domains_price_override_check CHECK ((price_override >= (0)::numeric)),
  constraint domains_registry_contact_type_check CHECK ((registry_contact_type = ANY (ARRAY['agency'::text, 'company'::text, 'employee'::text, 'contact'::text]))),
  constraint domains_status_check CHECK ((status = ANY (ARRAY['active'::text, 'redirect'::text, 'parked'::text, 'expired'::text, 'inactive'::text])))
);
create table tld_prices (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  tld text collate "C" not null,
  amount numeric(12,2) not null,
  currency text not null,
  valid_from date not null,
  constraint tld_prices_amount_check CHECK ((amount >= (0)::numeric)),
  constraint tld_prices_currency_check CHECK ((length(currency) = 3)),
  constraint tld_prices_tld_check CHECK ((tld <> ''::text))
);

-- # keys and indexes
alter table domains add constraint domains_pkey PRIMARY KEY (id);
alter table domains add constraint domains_organisation_id_id_key UNIQUE (organisation_id, id);
alter table domains add constraint domains_name_key UNIQUE (organisation_id, name);
CREATE INDEX domains_by_label ON public.domains USING btree (organisation_id, label COLLATE kantoor_text, id);
CREATE INDEX domains_of_company ON public.domains USING btree (organisation_id, company_id, label COLLATE kantoor_text, id);
CREATE INDEX domains_by_start_date ON public.domains USING btree (organisation_id, start_date, label COLLATE kantoor_text, id);
CREATE INDEX domains_by_created_at ON public.domains USING btree (organisation_id, created_at, label COLLATE kantoor_text, id);
CREATE INDEX domains_by_updated_at ON public.domains USING btree (organisation_id, updated_at, label COLLATE kantoor_text, id);
CREATE INDEX domains_by_next_invoice_date ON public.domains USING btree (organisation_id, next_invoice_date, label COLLATE kantoor_text, id);
CREATE INDEX domains_by_next_invoice_date_down ON public.domains USING btree (organisation_id, next_invoice_date DESC NULLS LAST, label COLLATE kantoor_text, id);
CREATE INDEX domains_by_tld ON public.domains USING btree (organisation_id, tld);
CREATE INDEX domains_due ON public.domains USING btree (organisation_id, next_invoice_date) WHERE (status = ANY (ARRAY['active'::text, 'redirect'::text, 'parked'::text]));
CREATE INDEX domains_organisation_id_registrar_provider_id_idx ON public.domains USING btree (organisation_id, registrar_provider_id) WHERE (registrar_provider_id IS NOT NULL);
CREATE INDEX domains_organisation_id_dns_provider_id_idx ON public.domains USING btree (organisation_id, dns_provider_id) WHERE (dns_provider_id IS NOT NULL);
CREATE INDEX domains_organisation_id_email_provider_id_idx ON public.domains USING btree (organisation_id, email_provider_id) WHERE (email_provider_id IS NOT NULL);
CREATE INDEX domains_search ON public.domains USING gin (organisation_id, search_text gin_trgm_ops);
CREATE INDEX domains_walk ON public.domains USING btree (organisation_id, label COLLATE kantoor_text, id) INCLUDE (search_text) WHERE (octet_length(search_text) <= 1000);
CREATE INDEX domains_walk_long ON public.domains USING btree (organisation_id, label COLLATE kantoor_text, id) WHERE (octet_length(search_text) > 1000);
CREATE INDEX domains_look ON public.domains USING btree (organisation_id, SUBSTRING(uuid_send(id) FROM 14)) INCLUDE (id, search_text) WHERE ((get_byte(uuid_send(id), 13) < 4) AND (octet_length(search_text) <= 1000));
CREATE INDEX domains_look_long ON public.domains USING btree (organisation_id, SUBSTRING(uuid_send(id) FROM 14)) WHERE ((get_byte(uuid_send(id), 13) < 4) AND (octet_length(search_text) > 1000));
CREATE INDEX domains_dns_look ON public.domains USING btree (organisation_id, dns_look_at) WHERE (dns_look_at IS NOT NULL);
alter table tld_prices add constraint tld_prices_pkey PRIMARY KEY (id);
alter table tld_prices add constraint tld_prices_organisation_id_id_key UNIQUE (organisation_id, id);
alter table tld_prices add constraint tld_prices_key UNIQUE (organisation_id, tld, valid_from);

-- # references
alter table invoices add constraint invoices_domain_fkey FOREIGN KEY (organisation_id, domain_id) REFERENCES domains(organisation_id, id) ON DELETE SET NULL (domain_id);
alter table websites add constraint websites_domain_fkey FOREIGN KEY (organisation_id, domain_id) REFERENCES domains(organisation_id, id) ON DELETE CASCADE;
alter table edge_zones add constraint edge_zones_domain_fkey FOREIGN KEY (organisation_id, domain_id) REFERENCES domains(organisation_id, id) ON DELETE SET NULL (domain_id);
alter table edge_redirects add constraint edge_redirects_domain_fkey FOREIGN KEY (organisation_id, domain_id) REFERENCES domains(organisation_id, id) ON DELETE CASCADE;
alter table edge_observations add constraint edge_observations_domain_fkey FOREIGN KEY (organisation_id, domain_id) REFERENCES domains(organisation_id, id) ON DELETE CASCADE;
alter table edge_page_links add constraint edge_page_links_domain_fkey FOREIGN KEY (organisation_id, domain_id) REFERENCES domains(organisation_id, id) ON DELETE CASCADE;
alter table edge_registrations add constraint edge_registrations_domain_fkey FOREIGN KEY (organisation_id, domain_id) REFERENCES domains(organisation_id, id) ON DELETE SET NULL (domain_id);
alter table registrar_domains add constraint registrar_domains_domain_fkey FOREIGN KEY (organisation_id, domain_id) REFERENCES domains(organisation_id, id) ON DELETE SET NULL (domain_id);
alter table uptime_monitors add constraint uptime_monitors_domain_fkey FOREIGN KEY (organisation_id, domain_id) REFERENCES domains(organisation_id, id) ON DELETE SET NULL (domain_id);

-- # triggers
CREATE TRIGGER client_to_monitors AFTER UPDATE OF company_id ON public.domains FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (new.company_id IS DISTINCT FROM old.company_id))) EXECUTE FUNCTION uptime_client_moved('domain_id');
CREATE TRIGGER counted AFTER INSERT ON public.domains REFERENCING NEW TABLE AS changed FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION domains_counted();
alter table domains enable always trigger counted;
CREATE TRIGGER emptied AFTER TRUNCATE ON public.domains FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION count_emptied();
alter table domains enable always trigger emptied;
CREATE TRIGGER files_gone AFTER DELETE ON public.domains FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION remove_files_of_record('domain');
CREATE TRIGGER given_to_website AFTER UPDATE OF name, label, company_id ON public.domains FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((new.search_text <> old.search_text) OR (new.company_id <> old.company_id)))) EXECUTE FUNCTION give_to_website();
CREATE TRIGGER moved_below AFTER UPDATE OF company_id ON public.domains FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (old.company_id IS DISTINCT FROM new.company_id))) EXECUTE FUNCTION move_below_domain();
CREATE TRIGGER moved_by_deletion BEFORE UPDATE OF dns_provider_id, email_provider_id, registrar_provider_id ON public.domains FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((pg_trigger_depth() > 0) AND (new.version = old.version) AND (((old.dns_provider_id IS NOT NULL) AND (new.dns_provider_id IS NULL)) OR ((old.email_provider_id IS NOT NULL) AND (new.email_provider_id IS NULL)) OR ((old.registrar_provider_id IS NOT NULL) AND (new.registrar_provider_id IS NULL)))))) EXECUTE FUNCTION moved_by_deletion();
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.domains FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('domain');
CREATE TRIGGER noted_view AFTER UPDATE OF company_id ON public.domains FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (old.company_id IS DISTINCT FROM new.company_id))) EXECUTE FUNCTION note_left_view('domain');
CREATE TRIGGER pair_renamed_domain AFTER UPDATE OF name ON public.domains FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (old.name IS DISTINCT FROM new.name))) EXECUTE FUNCTION pair_renamed_domain();
CREATE TRIGGER recounted AFTER UPDATE ON public.domains FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (old.status IS DISTINCT FROM new.status))) EXECUTE FUNCTION domains_recounted();
alter table domains enable always trigger recounted;
CREATE TRIGGER reference_cleared BEFORE UPDATE OF registrar_provider_id, dns_provider_id, email_provider_id ON public.domains FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (new.version = old.version))) EXECUTE FUNCTION count_cleared_reference();
CREATE TRIGGER registers_asked BEFORE INSERT OR UPDATE OF name ON public.domains FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION ask_registers();
CREATE TRIGGER searched BEFORE INSERT OR UPDATE OF label, name ON public.domains FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION domains_searched();
alter table domains enable always trigger searched;
CREATE TRIGGER uncounted AFTER DELETE ON public.domains REFERENCING OLD TABLE AS changed FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION domains_counted();
alter table domains enable always trigger uncounted;

-- # row-level security
alter table domains enable row level security, force row level security;
create policy owner on domains for all to current_user using (true) with check (true);
create policy tenant on domains for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table tld_prices enable row level security, force row level security;
create policy owner on tld_prices for all to current_user using (true) with check (true);
create policy tenant on tld_prices for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));

-- # grants
grant delete, insert, select, update on domains to :application;
grant delete, insert, select, update on tld_prices to :application;

-- Written by `npm run schema -- baseline` from the steps of the schema: the next run replaces it.

-- # functions
CREATE OR REPLACE FUNCTION public.invoices_counted()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      if tg_op = 'INSERT' then
        insert into public.count_changes (organisation_id, list, key, rows)
          select r.organisation_id, 'invoices', r.status, count(*) from changed r group by 1, 3;
      else
        insert into public.count_changes (organisation_id, list, key, rows)
          select r.organisation_id, 'invoices', r.status, -count(*) from changed r group by 1, 3;
      end if;
      return null;
    end $function$
;
CREATE OR REPLACE FUNCTION public.invoices_recounted()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin

      insert into public.count_changes (organisation_id, list, key, rows)
        values (old.organisation_id, 'invoices', old.status, -1);
      insert into public.count_changes (organisation_id, list, key, rows)
        values (new.organisation_id, 'invoices', new.status, 1);
      return null;
    end $function$
;
CREATE OR REPLACE FUNCTION public.invoices_searched()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      new.search_text := folded(concat_ws(E'\x1f', new.number, new.reference));
      return new;
    end $function$
;
CREATE OR REPLACE FUNCTION public.issued_look(organisation uuid, template_id uuid, kept uuid DEFAULT NULL::uuid)
 RETURNS uuid
 LANGUAGE plpgsql
 SET search_path TO 'public'
AS $function$
      declare
        live record;
        found uuid;
      begin
        select coalesce(k.seller, s.company_details, jsonb_build_object('name', coalesce(o.brand_name, o.name))) as seller,
            coalesce(k.brand, jsonb_build_object('brand', coalesce(o.brand_name, o.name), 'logo_url', o.logo_url,
              'primary_color', o.primary_color, 'accent_color', o.accent_color, 'transfer_code', true)) as brand,
            (select t.config from invoice_templates t where t.organisation_id = o.id and t.id = template_id) as template
          into strict live
          from organisations o left join invoicing_settings s on s.organisation_id = o.id
            left join issued_looks k on k.organisation_id = o.id and k.id = kept
          where o.id = organisation;
        select l.id into found from issued_looks l
          where l.organisation_id = organisation and md5(l.seller::text || l.brand::text || coalesce(l.template::text, '')) collate "C" = md5(live.seller::text || live.brand::text || coalesce(live.template::text, '')) collate "C"
            and l.seller = live.seller and l.brand = live.brand and l.template is not distinct from live.template limit 1;
        if found is null then
          insert into issued_looks (organisation_id, seller, brand, template)
            values (organisation, live.seller, live.brand, live.template) returning id into found;
        end if;
        return found;
      end $function$
;
CREATE OR REPLACE FUNCTION public.keep_issued_look()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public'
AS $function$
      begin
        new.look_id := issued_look(new.organisation_id, new.template_id);
        return new;
      end $function$
;
CREATE OR REPLACE FUNCTION public.keep_look_pictures()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public'
AS $function$
      begin
        new.pictures := copied_pictures(new.organisation_id, new.id, new.brand, new.template);
        return new;
      end $function$
;
CREATE OR REPLACE FUNCTION public.quotes_counted()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      if tg_op = 'INSERT' then
        insert into public.count_changes (organisation_id, list, key, rows)
          select r.organisation_id, 'quotes', r.status, count(*) from changed r group by 1, 3;
      else
        insert into public.count_changes (organisation_id, list, key, rows)
          select r.organisation_id, 'quotes', r.status, -count(*) from changed r group by 1, 3;
      end if;
      return null;
    end $function$
;
CREATE OR REPLACE FUNCTION public.quotes_recounted()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin

      insert into public.count_changes (organisation_id, list, key, rows)
        values (old.organisation_id, 'quotes', old.status, -1);
      insert into public.count_changes (organisation_id, list, key, rows)
        values (new.organisation_id, 'quotes', new.status, 1);
      return null;
    end $function$
;
CREATE OR REPLACE FUNCTION public.quotes_searched()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      new.search_text := folded(concat_ws(E'\x1f', new.number, new.reference));
      return new;
    end $function$
;

-- # tables
create table client_terms (
  id uuid not null,
  organisation_id uuid not null,
  company_id uuid not null,
  version integer default 1 not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  payment_discount jsonb
);
create table document_lines (
  id uuid not null,
  organisation_id uuid not null,
  invoice_id uuid,
  quote_id uuid,
  "position" integer not null,
  description text not null,
  line_kind text default 'product'::text not null,
  quantity numeric default 1.00 not null,
  unit text,
  unit_price numeric default 0.00 not null,
  amount numeric(12,2) default 0 not null,
  tax_rate_id uuid,
  tax_rate_pct numeric(5,2) not null,
  tax_category text not null,
  tax_name text default ''::text not null,
  time_entry_ids uuid[] default '{}'::uuid[] not null,
  subscription_id uuid,
  domain_id uuid,
  period_start date,
  period_end date,
  created_at timestamp with time zone default statement_timestamp() not null,
  deposit_id uuid,
  tax_amount numeric(12,2),
  constraint document_lines_check CHECK ((num_nonnulls(invoice_id, quote_id) = 1)),
  constraint document_lines_description_check CHECK ((description <> ''::text)),
  constraint document_lines_line_kind_check CHECK ((line_kind = ANY (ARRAY['product'::text, 'hours'::text, 'subscription'::text, 'domain'::text]))),
  constraint document_lines_quantity_exact CHECK (((scale(quantity) <= 4) AND (abs(quantity) < '100000000'::numeric))),
  constraint document_lines_tax_category_check CHECK ((tax_category = ANY (ARRAY['standard'::text, 'reduced'::text, 'zero'::text, 'exempt'::text, 'reverse_charge'::text]))),
  constraint document_lines_unit_price_exact CHECK (((scale(unit_price) <= 4) AND (abs(unit_price) < '10000000000'::numeric)))
);
create table invoice_daily_mails (
  organisation_id uuid not null,
  invoice_id uuid not null,
  mailed_on date not null,
  reminder_by uuid,
  reminder_until timestamp with time zone,
  overdue_reported_for date
);
create table invoice_payments (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  invoice_id uuid not null,
  paid_on date not null,
  amount numeric(12,2) not null,
  method text default 'bank'::text not null,
  note text,
  intent_id uuid,
  discount_note_id uuid,
  constraint invoice_payments_amount_check CHECK ((amount <> (0)::numeric)),
  constraint invoice_payments_method_check CHECK ((method = ANY (ARRAY['bank'::text, 'cash'::text, 'card'::text, 'other'::text, 'online'::text])))
);
create table invoice_templates (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  name text not null,
  is_default boolean default false not null,
  active boolean default true not null,
  "position" integer default 0 not null,
  config jsonb default '{}'::jsonb not null,
  constraint invoice_templates_name_check CHECK ((name <> ''::text))
);
create table invoices (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  company_id uuid not null,
  contact_id uuid,
  number text collate "C",
  reference text,
  search_text text default ''::text not null,
  currency text not null,
  exchange_rate numeric(16,6),
  locale text not null,
  intro text,
  notes text,
  issue_date date,
  prices_include_tax boolean default false not null,
  template_id uuid,
  customer jsonb default '{}'::jsonb not null,
  subtotal numeric(14,2) default 0 not null,
  tax_total numeric(14,2) default 0 not null,
  total numeric(14,2) default 0 not null,
  tax_groups jsonb default '[]'::jsonb not null,
  custom jsonb default '{}'::jsonb not null,
  sent_at timestamp with time zone,
  kind text default 'invoice'::text not null,
  status text default 'draft'::text not null,
  due_date date,
  delivery_date date,
  paid_total numeric(14,2) default 0 not null,
  credited_total numeric(14,2) default 0 not null,
  applied_total numeric(14,2) default 0 not null,
  outstanding numeric(15,2) generated always as ((((total - paid_total) - credited_total) + applied_total)) stored not null,
  credit_for_id uuid,
  quote_id uuid,
  subscription_id uuid,
  domain_id uuid,
  period_start date,
  period_end date,
  paid_at timestamp with time zone,
  cancelled_at timestamp with time zone,
  reminders_paused boolean default false not null,
  reminder_count integer default 0 not null,
  last_reminder_at timestamp with time zone,
  auto_send boolean default false not null,
  public_token text collate "C",
  look_id uuid,
  left_at timestamp with time zone,
  seller_filled jsonb default '{}'::jsonb not null,
  withdrawn_total numeric(14,2) default 0 not null,
  payment_terms jsonb,
  payment_discount jsonb,
  discount_until date,
  discount_amount numeric(14,2),
  discount_left numeric(14,2) default 0 not null,
  is_discount boolean default false not null,
  deposit_of uuid,
  dunning_level integer default 0 not null,
  constraint invoices_check CHECK (((status = 'draft'::text) OR (number IS NOT NULL))),
  constraint invoices_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint invoices_dunning_level_check CHECK (((dunning_level >= 0) AND (dunning_level <= 4))),
  constraint invoices_exchange_rate_check CHECK ((exchange_rate > (0)::numeric)),
  constraint invoices_kind_check CHECK ((kind = ANY (ARRAY['invoice'::text, 'credit_note'::text]))),
  constraint invoices_public_token_check CHECK ((length(public_token) = 43)),
  constraint invoices_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'open'::text, 'paid'::text, 'cancelled'::text])))
);
create table invoicing_settings (
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  company_details jsonb default '{}'::jsonb not null,
  tax_country text default 'NL'::text not null,
  prices_include_tax boolean default false not null,
  default_due_days integer default 14 not null,
  quote_valid_days integer default 30 not null,
  default_tax_rate_id uuid,
  default_template_id uuid,
  default_hourly_rate numeric(12,2),
  invoice_number_format text default '{year}-{seq:4}'::text not null,
  quote_number_format text default 'Q{year}-{seq:4}'::text not null,
  invoice_next_seq bigint default 1 not null,
  quote_next_seq bigint default 1 not null,
  invoice_seq_year integer,
  quote_seq_year integer,
  number_reset_yearly boolean default true not null,
  auto_invoice_mode text default 'draft'::text not null,
  reminders_enabled boolean default false not null,
  reminder_days integer[] default '{7,14,30}'::integer[] not null,
  public_invoice_links boolean default true not null,
  default_due_basis text default 'invoice_date'::text not null,
  default_payment_discount jsonb,
  constraint invoicing_settings_auto_invoice_mode_check CHECK ((auto_invoice_mode = ANY (ARRAY['off'::text, 'draft'::text, 'issue'::text, 'send'::text]))),
  constraint invoicing_settings_default_due_basis_check CHECK ((default_due_basis = ANY (ARRAY['invoice_date'::text, 'end_of_month'::text, 'day_of_next_month'::text]))),
  constraint invoicing_settings_default_due_days_check CHECK (((default_due_days >= 0) AND (default_due_days <= 365))),
  constraint invoicing_settings_default_hourly_rate_check CHECK ((default_hourly_rate >= (0)::numeric)),
  constraint invoicing_settings_invoice_next_seq_check CHECK ((invoice_next_seq >= 1)),
  constraint invoicing_settings_quote_next_seq_check CHECK ((quote_next_seq >= 1)),
  constraint invoicing_settings_quote_valid_days_check CHECK (((quote_valid_days >= 1) AND (quote_valid_days <= 365))),
  constraint invoicing_settings_tax_country_check CHECK ((tax_country ~ '^[A-Z]{2}$'::text))
);
create table issued_looks (
  id uuid default gen_random_uuid() not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  seller jsonb not null,
  brand jsonb not null,
  template jsonb,
  pictures jsonb default '{}'::jsonb not null
);
create table kept_documents (
  id uuid not null,
  organisation_id uuid not null,
  version integer default 1 not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  invoice_id uuid,
  quote_id uuid,
  form text not null,
  file_id uuid not null,
  constraint kept_documents_check CHECK ((num_nonnulls(invoice_id, quote_id) = 1)),
  constraint kept_documents_form_check CHECK ((form = ANY (ARRAY['pdf'::text, 'hybrid'::text, 'ubl'::text, 'peppol'::text])))
);
create table period_claims (
  organisation_id uuid not null,
  source text not null,
  source_id uuid not null,
  period_end date not null,
  period_start date,
  invoice_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  constraint period_claims_source_check CHECK ((source = ANY (ARRAY['subscription'::text, 'domain'::text])))
);
create table products (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  name text not null,
  code text collate "C",
  description text,
  unit text,
  unit_price numeric default 0.00 not null,
  tax_rate_id uuid,
  active boolean default true not null,
  "position" integer default 0 not null,
  constraint products_code_check CHECK ((code <> ''::text)),
  constraint products_name_check CHECK ((name <> ''::text)),
  constraint products_unit_price_check CHECK ((unit_price >= (0)::numeric)),
  constraint products_unit_price_exact CHECK (((scale(unit_price) <= 4) AND (abs(unit_price) < '10000000000'::numeric)))
);
create table quote_instalments (
  id uuid not null,
  organisation_id uuid not null,
  quote_id uuid not null,
  version integer default 1 not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  due_on date not null,
  percent numeric(5,2) not null,
  mode text not null,
  invoice_id uuid,
  constraint quote_instalments_mode_check CHECK ((mode = ANY (ARRAY['draft'::text, 'issue'::text, 'send'::text]))),
  constraint quote_instalments_percent_check CHECK (((percent > (0)::numeric) AND (percent <= (100)::numeric)))
);
create table quotes (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  company_id uuid not null,
  contact_id uuid,
  number text collate "C",
  reference text,
  search_text text default ''::text not null,
  currency text not null,
  exchange_rate numeric(16,6),
  locale text not null,
  intro text,
  notes text,
  issue_date date,
  prices_include_tax boolean default false not null,
  template_id uuid,
  customer jsonb default '{}'::jsonb not null,
  subtotal numeric(14,2) default 0 not null,
  tax_total numeric(14,2) default 0 not null,
  total numeric(14,2) default 0 not null,
  tax_groups jsonb default '[]'::jsonb not null,
  custom jsonb default '{}'::jsonb not null,
  sent_at timestamp with time zone,
  status text default 'draft'::text not null,
  valid_until date,
  decided_at timestamp with time zone,
  decision_note text,
  invoice_id uuid,
  public_token text collate "C",
  look_id uuid,
  left_at timestamp with time zone,
  constraint quotes_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint quotes_exchange_rate_check CHECK ((exchange_rate > (0)::numeric)),
  constraint quotes_public_token_check CHECK ((length(public_token) = 43)),
  constraint quotes_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'open'::text, 'accepted'::text, 'rejected'::text, 'expired'::text, 'invoiced'::text])))
);
create table tax_rates (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  label_i18n jsonb default '{}'::jsonb not null,
  rate numeric(5,2) default 0 not null,
  category text default 'standard'::text not null,
  country text,
  ledger_code text,
  is_default boolean default false not null,
  active boolean default true not null,
  "position" integer default 0 not null,
  constraint tax_rates_category_check CHECK ((category = ANY (ARRAY['standard'::text, 'reduced'::text, 'zero'::text, 'exempt'::text, 'reverse_charge'::text]))),
  constraint tax_rates_country_check CHECK ((length(country) = 2)),
  constraint tax_rates_rate_check CHECK (((rate >= (0)::numeric) AND (rate <= (100)::numeric)))
);
create table time_entry_claims (
  organisation_id uuid not null,
  time_entry_id uuid not null,
  invoice_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null
);

-- # keys and indexes
alter table client_terms add constraint client_terms_pkey PRIMARY KEY (id);
alter table client_terms add constraint client_terms_organisation_id_id_key UNIQUE (organisation_id, id);
alter table client_terms add constraint client_terms_organisation_id_company_id_key UNIQUE (organisation_id, company_id);
CREATE INDEX client_terms_organisation_id_updated_at_idx ON public.client_terms USING btree (organisation_id, updated_at);
alter table document_lines add constraint document_lines_pkey PRIMARY KEY (id);
alter table document_lines add constraint document_lines_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE UNIQUE INDEX document_lines_of_invoice ON public.document_lines USING btree (organisation_id, invoice_id, "position") WHERE (invoice_id IS NOT NULL);
CREATE UNIQUE INDEX document_lines_of_quote ON public.document_lines USING btree (organisation_id, quote_id, "position") WHERE (quote_id IS NOT NULL);
CREATE INDEX document_lines_of_tax_rate ON public.document_lines USING btree (organisation_id, tax_rate_id) WHERE (tax_rate_id IS NOT NULL);
CREATE INDEX document_lines_deposit ON public.document_lines USING btree (organisation_id, deposit_id) WHERE (deposit_id IS NOT NULL);
alter table invoice_daily_mails add constraint invoice_daily_mails_pkey PRIMARY KEY (organisation_id, invoice_id);
alter table invoice_payments add constraint invoice_payments_pkey PRIMARY KEY (id);
alter table invoice_payments add constraint invoice_payments_organisation_id_id_key UNIQUE (organisation_id, id);
alter table invoice_payments add constraint invoice_payments_intent_key UNIQUE (organisation_id, intent_id);
CREATE INDEX invoice_payments_of_invoice ON public.invoice_payments USING btree (organisation_id, invoice_id, paid_on, id);
CREATE INDEX invoice_payments_discount_note ON public.invoice_payments USING btree (organisation_id, discount_note_id) WHERE (discount_note_id IS NOT NULL);
alter table invoice_templates add constraint invoice_templates_pkey PRIMARY KEY (id);
alter table invoice_templates add constraint invoice_templates_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE UNIQUE INDEX invoice_templates_one_default ON public.invoice_templates USING btree (organisation_id) WHERE is_default;
CREATE INDEX invoice_templates_organisation_id_position_name_id_idx ON public.invoice_templates USING btree (organisation_id, "position", name COLLATE kantoor_text, id);
CREATE INDEX invoice_templates_organisation_id_updated_at_idx ON public.invoice_templates USING btree (organisation_id, updated_at);
alter table invoices add constraint invoices_pkey PRIMARY KEY (id);
alter table invoices add constraint invoices_organisation_id_id_key UNIQUE (organisation_id, id);
alter table invoices add constraint invoices_number_key UNIQUE (organisation_id, number);
alter table invoices add constraint invoices_public_token_key UNIQUE (public_token);
CREATE INDEX invoices_by_created_at ON public.invoices USING btree (organisation_id, created_at, id);
CREATE INDEX invoices_of_company ON public.invoices USING btree (organisation_id, company_id, created_at DESC, id);
CREATE INDEX invoices_by_change ON public.invoices USING btree (organisation_id, updated_at, created_at DESC, id);
CREATE INDEX invoices_of_contact ON public.invoices USING btree (organisation_id, contact_id) WHERE (contact_id IS NOT NULL);
CREATE INDEX invoices_of_template ON public.invoices USING btree (organisation_id, template_id) WHERE (template_id IS NOT NULL);
CREATE INDEX invoices_by_number ON public.invoices USING btree (organisation_id, number COLLATE kantoor_text, created_at DESC, id);
CREATE INDEX invoices_by_number_down ON public.invoices USING btree (organisation_id, number COLLATE kantoor_text DESC NULLS LAST, created_at DESC, id);
CREATE INDEX invoices_by_status ON public.invoices USING btree (organisation_id, status COLLATE kantoor_text, created_at DESC, id);
CREATE INDEX invoices_by_status_down ON public.invoices USING btree (organisation_id, status COLLATE kantoor_text DESC, created_at DESC, id);
CREATE INDEX invoices_by_issue_date ON public.invoices USING btree (organisation_id, issue_date, created_at DESC, id);
CREATE INDEX invoices_by_issue_date_down ON public.invoices USING btree (organisation_id, issue_date DESC NULLS LAST, created_at DESC, id);
CREATE INDEX invoices_by_due_date ON public.invoices USING btree (organisation_id, due_date, created_at DESC, id);
CREATE INDEX invoices_by_due_date_down ON public.invoices USING btree (organisation_id, due_date DESC NULLS LAST, created_at DESC, id);
CREATE INDEX invoices_by_total ON public.invoices USING btree (organisation_id, total, created_at DESC, id);
CREATE INDEX invoices_by_total_down ON public.invoices USING btree (organisation_id, total DESC, created_at DESC, id);
CREATE INDEX invoices_search ON public.invoices USING gin (organisation_id, search_text gin_trgm_ops);
CREATE INDEX invoices_walk ON public.invoices USING btree (organisation_id, created_at, id) INCLUDE (search_text) WHERE (octet_length(search_text) <= 1000);
CREATE INDEX invoices_walk_long ON public.invoices USING btree (organisation_id, created_at, id) WHERE (octet_length(search_text) > 1000);
CREATE INDEX invoices_look ON public.invoices USING btree (organisation_id, SUBSTRING(uuid_send(id) FROM 14)) INCLUDE (id, search_text) WHERE ((get_byte(uuid_send(id), 13) < 4) AND (octet_length(search_text) <= 1000));
CREATE INDEX invoices_look_long ON public.invoices USING btree (organisation_id, SUBSTRING(uuid_send(id) FROM 14)) WHERE ((get_byte(uuid_send(id), 13) < 4) AND (octet_length(search_text) > 1000));
CREATE INDEX invoices_of_kind ON public.invoices USING btree (organisation_id, kind, created_at DESC, id);
CREATE INDEX invoices_to_send ON public.invoices USING btree (organisation_id) WHERE auto_send;
CREATE INDEX invoices_of_source ON public.invoices USING btree (organisation_id, credit_for_id) WHERE (credit_for_id IS NOT NULL);
CREATE INDEX invoices_of_quote ON public.invoices USING btree (organisation_id, quote_id) WHERE (quote_id IS NOT NULL);
CREATE INDEX invoices_of_subscription ON public.invoices USING btree (organisation_id, subscription_id) WHERE (subscription_id IS NOT NULL);
CREATE INDEX invoices_drafts ON public.invoices USING btree (organisation_id, company_id) WHERE (status = 'draft'::text);
CREATE INDEX invoices_organisation_id_domain_id_idx ON public.invoices USING btree (organisation_id, domain_id) WHERE (domain_id IS NOT NULL);
CREATE INDEX invoices_open ON public.invoices USING btree (organisation_id, due_date, company_id) INCLUDE (outstanding, exchange_rate, kind, currency) WHERE (status = 'open'::text);
CREATE INDEX invoices_paid ON public.invoices USING btree (organisation_id, paid_at) INCLUDE (company_id, paid_total, exchange_rate, currency) WHERE (status = 'paid'::text);
CREATE INDEX invoices_by_outstanding ON public.invoices USING btree (organisation_id, outstanding, created_at DESC, id);
CREATE INDEX invoices_by_outstanding_down ON public.invoices USING btree (organisation_id, outstanding DESC, created_at DESC, id);
CREATE INDEX invoices_deposit_of ON public.invoices USING btree (organisation_id, deposit_of) WHERE (deposit_of IS NOT NULL);
alter table invoicing_settings add constraint invoicing_settings_pkey PRIMARY KEY (organisation_id);
alter table issued_looks add constraint issued_looks_pkey PRIMARY KEY (id);
alter table issued_looks add constraint issued_looks_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE INDEX issued_looks_by_content ON public.issued_looks USING btree (organisation_id, md5((((seller)::text || (brand)::text) || COALESCE((template)::text, ''::text))) COLLATE "C");
alter table kept_documents add constraint kept_documents_pkey PRIMARY KEY (id);
alter table kept_documents add constraint kept_documents_organisation_id_id_key UNIQUE (organisation_id, id);
alter table kept_documents add constraint kept_documents_invoice UNIQUE (organisation_id, invoice_id, form);
alter table kept_documents add constraint kept_documents_quote UNIQUE (organisation_id, quote_id, form);
CREATE INDEX kept_documents_organisation_id_file_id_idx ON public.kept_documents USING btree (organisation_id, file_id);
alter table period_claims add constraint period_claims_key PRIMARY KEY (organisation_id, source, source_id, period_end);
CREATE INDEX period_claims_of_invoice ON public.period_claims USING btree (organisation_id, invoice_id);
alter table products add constraint products_pkey PRIMARY KEY (id);
alter table products add constraint products_organisation_id_id_key UNIQUE (organisation_id, id);
alter table products add constraint products_code_key UNIQUE (organisation_id, code);
CREATE INDEX products_organisation_id_position_name_id_idx ON public.products USING btree (organisation_id, "position", name COLLATE kantoor_text, id);
CREATE INDEX products_organisation_id_updated_at_idx ON public.products USING btree (organisation_id, updated_at);
CREATE INDEX products_organisation_id_tax_rate_id_idx ON public.products USING btree (organisation_id, tax_rate_id) WHERE (tax_rate_id IS NOT NULL);
alter table quote_instalments add constraint quote_instalments_pkey PRIMARY KEY (id);
alter table quote_instalments add constraint quote_instalments_organisation_id_id_key UNIQUE (organisation_id, id);
alter table quote_instalments add constraint quote_instalments_day UNIQUE (organisation_id, quote_id, due_on);
CREATE INDEX quote_instalments_open ON public.quote_instalments USING btree (organisation_id, due_on) WHERE (invoice_id IS NULL);
CREATE INDEX quote_instalments_invoice ON public.quote_instalments USING btree (organisation_id, invoice_id) WHERE (invoice_id IS NOT NULL);
CREATE INDEX quote_instalments_organisation_id_updated_at_idx ON public.quote_instalments USING btree (organisation_id, updated_at);
alter table quotes add constraint quotes_pkey PRIMARY KEY (id);
alter table quotes add constraint quotes_organisation_id_id_key UNIQUE (organisation_id, id);
alter table quotes add constraint quotes_number_key UNIQUE (organisation_id, number);
alter table quotes add constraint quotes_public_token_key UNIQUE (public_token);
CREATE INDEX quotes_by_created_at ON public.quotes USING btree (organisation_id, created_at, id);
CREATE INDEX quotes_of_company ON public.quotes USING btree (organisation_id, company_id, created_at DESC, id);
CREATE INDEX quotes_by_change ON public.quotes USING btree (organisation_id, updated_at, created_at DESC, id);
CREATE INDEX quotes_of_contact ON public.quotes USING btree (organisation_id, contact_id) WHERE (contact_id IS NOT NULL);
CREATE INDEX quotes_of_template ON public.quotes USING btree (organisation_id, template_id) WHERE (template_id IS NOT NULL);
CREATE INDEX quotes_by_number ON public.quotes USING btree (organisation_id, number COLLATE kantoor_text, created_at DESC, id);
CREATE INDEX quotes_by_number_down ON public.quotes USING btree (organisation_id, number COLLATE kantoor_text DESC NULLS LAST, created_at DESC, id);
CREATE INDEX quotes_by_status ON public.quotes USING btree (organisation_id, status COLLATE kantoor_text, created_at DESC, id);
CREATE INDEX quotes_by_status_down ON public.quotes USING btree (organisation_id, status COLLATE kantoor_text DESC, created_at DESC, id);
CREATE INDEX quotes_by_issue_date ON public.quotes USING btree (organisation_id, issue_date, created_at DESC, id);
CREATE INDEX quotes_by_issue_date_down ON public.quotes USING btree (organisation_id, issue_date DESC NULLS LAST, created_at DESC, id);
CREATE INDEX quotes_by_valid_until ON public.quotes USING btree (organisation_id, valid_until, created_at DESC, id);
CREATE INDEX quotes_by_valid_until_down ON public.quotes USING btree (organisation_id, valid_until DESC NULLS LAST, created_at DESC, id);
CREATE INDEX quotes_by_total ON public.quotes USING btree (organisation_id, total, created_at DESC, id);
CREATE INDEX quotes_by_total_down ON public.quotes USING btree (organisation_id, total DESC, created_at DESC, id);
CREATE INDEX quotes_search ON public.quotes USING gin (organisation_id, search_text gin_trgm_ops);
CREATE INDEX quotes_walk ON public.quotes USING btree (organisation_id, created_at, id) INCLUDE (search_text) WHERE (octet_length(search_text) <= 1000);
CREATE INDEX quotes_walk_long ON public.quotes USING btree (organisation_id, created_at, id) WHERE (octet_length(search_text) > 1000);
CREATE INDEX quotes_look ON public.quotes USING btree (organisation_id, SUBSTRING(uuid_send(id) FROM 14)) INCLUDE (id, search_text) WHERE ((get_byte(uuid_send(id), 13) < 4) AND (octet_length(search_text) <= 1000));
CREATE INDEX quotes_look_long ON public.quotes USING btree (organisation_id, SUBSTRING(uuid_send(id) FROM 14)) WHERE ((get_byte(uuid_send(id), 13) < 4) AND (octet_length(search_text) > 1000));
CREATE INDEX quotes_of_invoice ON public.quotes USING btree (organisation_id, invoice_id) WHERE (invoice_id IS NOT NULL);
CREATE INDEX quotes_open ON public.quotes USING btree (organisation_id, valid_until) INCLUDE (total, exchange_rate, company_id, currency) WHERE (status = 'open'::text);
alter table tax_rates add constraint tax_rates_pkey PRIMARY KEY (id);
alter table tax_rates add constraint tax_rates_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE UNIQUE INDEX tax_rates_one_default ON public.tax_rates USING btree (organisation_id) WHERE is_default;
CREATE INDEX tax_rates_organisation_id_position_rate_id_idx ON public.tax_rates USING btree (organisation_id, "position", rate DESC, id);
CREATE INDEX tax_rates_organisation_id_updated_at_idx ON public.tax_rates USING btree (organisation_id, updated_at);
alter table time_entry_claims add constraint time_entry_claims_pkey PRIMARY KEY (organisation_id, time_entry_id);
CREATE INDEX time_entry_claims_of_invoice ON public.time_entry_claims USING btree (organisation_id, invoice_id);

-- # references
alter table bank_allocations add constraint bank_allocations_payment_fkey FOREIGN KEY (organisation_id, payment_id) REFERENCES invoice_payments(organisation_id, id) ON DELETE CASCADE;
alter table invoicing_settings add constraint invoicing_settings_template_fkey FOREIGN KEY (organisation_id, default_template_id) REFERENCES invoice_templates(organisation_id, id) ON DELETE SET NULL (default_template_id);
alter table invoices add constraint invoices_template_fkey FOREIGN KEY (organisation_id, template_id) REFERENCES invoice_templates(organisation_id, id) ON DELETE SET NULL (template_id);
alter table quotes add constraint quotes_template_fkey FOREIGN KEY (organisation_id, template_id) REFERENCES invoice_templates(organisation_id, id) ON DELETE SET NULL (template_id);
alter table invoices add constraint invoices_credit_for_fkey FOREIGN KEY (organisation_id, credit_for_id) REFERENCES invoices(organisation_id, id) ON DELETE SET NULL (credit_for_id);
alter table quotes add constraint quotes_invoice_fkey FOREIGN KEY (organisation_id, invoice_id) REFERENCES invoices(organisation_id, id) ON DELETE SET NULL (invoice_id);
alter table document_lines add constraint document_lines_invoice_fkey FOREIGN KEY (organisation_id, invoice_id) REFERENCES invoices(organisation_id, id) ON DELETE CASCADE;
alter table time_entry_claims add constraint time_entry_claims_invoice_fkey FOREIGN KEY (organisation_id, invoice_id) REFERENCES invoices(organisation_id, id) ON DELETE CASCADE;
alter table period_claims add constraint period_claims_invoice_fkey FOREIGN KEY (organisation_id, invoice_id) REFERENCES invoices(organisation_id, id) ON DELETE CASCADE;
alter table invoice_daily_mails add constraint invoice_daily_mails_invoice_fkey FOREIGN KEY (organisation_id, invoice_id) REFERENCES invoices(organisation_id, id) ON DELETE CASCADE;
alter table payment_intents add constraint payment_intents_invoice_fkey FOREIGN KEY (organisation_id, invoice_id) REFERENCES invoices(organisation_id, id) ON DELETE CASCADE;
alter table invoice_payments add constraint invoice_payments_invoice_fkey FOREIGN KEY (organisation_id, invoice_id) REFERENCES invoices(organisation_id, id);
alter table kept_documents add constraint kept_documents_organisation_id_invoice_id_fkey FOREIGN KEY (organisation_id, invoice_id) REFERENCES invoices(organisation_id, id) ON DELETE CASCADE;
alter table bank_allocations add constraint bank_allocations_invoice_fkey FOREIGN KEY (organisation_id, invoice_id) REFERENCES invoices(organisation_id, id);
alter table invoice_payments add constraint invoice_payments_discount_note_fkey FOREIGN KEY (organisation_id, discount_note_id) REFERENCES invoices(organisation_id, id) ON DELETE SET NULL (discount_note_id);
alter table document_lines add constraint document_lines_deposit_fkey FOREIGN KEY (organisation_id, deposit_id) REFERENCES invoices(organisation_id, id) ON DELETE SET NULL (deposit_id);
alter table quote_instalments add constraint quote_instalments_invoice_fkey FOREIGN KEY (organisation_id, invoice_id) REFERENCES invoices(organisation_id, id) ON DELETE SET NULL (invoice_id);
alter table dunning_notices add constraint dunning_notices_invoice_fkey FOREIGN KEY (organisation_id, invoice_id) REFERENCES invoices(organisation_id, id) ON DELETE CASCADE;
alter table dunning_pauses add constraint dunning_pauses_invoice_fkey FOREIGN KEY (organisation_id, invoice_id) REFERENCES invoices(organisation_id, id) ON DELETE CASCADE;
alter table invoices add constraint invoices_look_fkey FOREIGN KEY (organisation_id, look_id) REFERENCES issued_looks(organisation_id, id);
alter table quotes add constraint quotes_look_fkey FOREIGN KEY (organisation_id, look_id) REFERENCES issued_looks(organisation_id, id);
alter table invoices add constraint invoices_quote_fkey FOREIGN KEY (organisation_id, quote_id) REFERENCES quotes(organisation_id, id) ON DELETE SET NULL (quote_id);
alter table document_lines add constraint document_lines_quote_fkey FOREIGN KEY (organisation_id, quote_id) REFERENCES quotes(organisation_id, id) ON DELETE CASCADE;
alter table kept_documents add constraint kept_documents_organisation_id_quote_id_fkey FOREIGN KEY (organisation_id, quote_id) REFERENCES quotes(organisation_id, id) ON DELETE CASCADE;
alter table invoices add constraint invoices_deposit_of_fkey FOREIGN KEY (organisation_id, deposit_of) REFERENCES quotes(organisation_id, id) ON DELETE SET NULL (deposit_of);
alter table quote_instalments add constraint quote_instalments_quote_fkey FOREIGN KEY (organisation_id, quote_id) REFERENCES quotes(organisation_id, id) ON DELETE CASCADE;
alter table products add constraint products_tax_rate_fkey FOREIGN KEY (organisation_id, tax_rate_id) REFERENCES tax_rates(organisation_id, id) ON DELETE SET NULL (tax_rate_id);
alter table invoicing_settings add constraint invoicing_settings_tax_rate_fkey FOREIGN KEY (organisation_id, default_tax_rate_id) REFERENCES tax_rates(organisation_id, id) ON DELETE SET NULL (default_tax_rate_id);
alter table document_lines add constraint document_lines_tax_rate_fkey FOREIGN KEY (organisation_id, tax_rate_id) REFERENCES tax_rates(organisation_id, id) ON DELETE SET NULL (tax_rate_id);

-- # triggers
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.invoice_templates FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('invoice_template');
CREATE TRIGGER change_counted BEFORE UPDATE ON public.invoices FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((new.version = old.version) AND (NOT (new.left_at IS DISTINCT FROM old.left_at))))) EXECUTE FUNCTION count_change_of_row();
CREATE TRIGGER counted AFTER INSERT ON public.invoices REFERENCING NEW TABLE AS changed FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION invoices_counted();
alter table invoices enable always trigger counted;
CREATE TRIGGER emptied AFTER TRUNCATE ON public.invoices FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION count_emptied();
alter table invoices enable always trigger emptied;
CREATE TRIGGER files_gone AFTER DELETE ON public.invoices FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION remove_files_of_record('invoice');
CREATE TRIGGER invoices_keep_look BEFORE UPDATE OF status ON public.invoices FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((old.status = 'draft'::text) AND (new.status <> 'draft'::text) AND (new.look_id IS NULL)))) EXECUTE FUNCTION keep_issued_look();
CREATE TRIGGER moved_by_deletion BEFORE UPDATE OF contact_id, credit_for_id, deposit_of, domain_id, quote_id, subscription_id, template_id ON public.invoices FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (pg_trigger_depth() > 0) AND (new.version = old.version) AND (((old.contact_id IS NOT NULL) AND (new.contact_id IS NULL)) OR ((old.credit_for_id IS NOT NULL) AND (new.credit_for_id IS NULL)) OR ((old.deposit_of IS NOT NULL) AND (new.deposit_of IS NULL)) OR ((old.domain_id IS NOT NULL) AND (new.domain_id IS NULL)) OR ((old.quote_id IS NOT NULL) AND (new.quote_id IS NULL)) OR ((old.subscription_id IS NOT NULL) AND (new.subscription_id IS NULL)) OR ((old.template_id IS NOT NULL) AND (new.template_id IS NULL))))) EXECUTE FUNCTION moved_by_deletion();
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.invoices FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('invoice');
CREATE TRIGGER noted_view AFTER UPDATE OF company_id ON public.invoices FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (old.company_id IS DISTINCT FROM new.company_id))) EXECUTE FUNCTION note_left_view('invoice');
CREATE TRIGGER recounted AFTER UPDATE ON public.invoices FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (old.status IS DISTINCT FROM new.status))) EXECUTE FUNCTION invoices_recounted();
alter table invoices enable always trigger recounted;
CREATE TRIGGER searched BEFORE INSERT OR UPDATE OF number, reference ON public.invoices FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION invoices_searched();
alter table invoices enable always trigger searched;
CREATE TRIGGER uncounted AFTER DELETE ON public.invoices REFERENCING OLD TABLE AS changed FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION invoices_counted();
alter table invoices enable always trigger uncounted;
CREATE TRIGGER moved_by_deletion BEFORE UPDATE OF default_tax_rate_id, default_template_id ON public.invoicing_settings FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((pg_trigger_depth() > 0) AND (new.version = old.version) AND (((old.default_tax_rate_id IS NOT NULL) AND (new.default_tax_rate_id IS NULL)) OR ((old.default_template_id IS NOT NULL) AND (new.default_template_id IS NULL)))))) EXECUTE FUNCTION moved_by_deletion();
CREATE TRIGGER issued_looks_keep_pictures BEFORE INSERT ON public.issued_looks FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION keep_look_pictures();
CREATE TRIGGER files_gone AFTER DELETE ON public.kept_documents FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION remove_files_of_record('kept_document');
CREATE TRIGGER change_counted BEFORE UPDATE ON public.products FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (new.version = old.version))) EXECUTE FUNCTION count_change_of_row();
CREATE TRIGGER moved_by_deletion BEFORE UPDATE OF tax_rate_id ON public.products FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((pg_trigger_depth() > 0) AND (new.version = old.version) AND ((old.tax_rate_id IS NOT NULL) AND (new.tax_rate_id IS NULL))))) EXECUTE FUNCTION moved_by_deletion();
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.products FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('product');
CREATE TRIGGER moved_by_deletion BEFORE UPDATE OF invoice_id ON public.quote_instalments FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (pg_trigger_depth() > 0) AND (new.version = old.version) AND (old.invoice_id IS NOT NULL) AND (new.invoice_id IS NULL))) EXECUTE FUNCTION moved_by_deletion();
CREATE TRIGGER change_counted BEFORE UPDATE ON public.quotes FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((new.version = old.version) AND (NOT (new.left_at IS DISTINCT FROM old.left_at))))) EXECUTE FUNCTION count_change_of_row();
CREATE TRIGGER counted AFTER INSERT ON public.quotes REFERENCING NEW TABLE AS changed FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION quotes_counted();
alter table quotes enable always trigger counted;
CREATE TRIGGER emptied AFTER TRUNCATE ON public.quotes FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION count_emptied();
alter table quotes enable always trigger emptied;
CREATE TRIGGER files_gone AFTER DELETE ON public.quotes FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION remove_files_of_record('quote');
CREATE TRIGGER moved_by_deletion BEFORE UPDATE OF contact_id, invoice_id, template_id ON public.quotes FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((pg_trigger_depth() > 0) AND (new.version = old.version) AND (((old.contact_id IS NOT NULL) AND (new.contact_id IS NULL)) OR ((old.invoice_id IS NOT NULL) AND (new.invoice_id IS NULL)) OR ((old.template_id IS NOT NULL) AND (new.template_id IS NULL)))))) EXECUTE FUNCTION moved_by_deletion();
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.quotes FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('quote');
CREATE TRIGGER noted_view AFTER UPDATE OF company_id ON public.quotes FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (old.company_id IS DISTINCT FROM new.company_id))) EXECUTE FUNCTION note_left_view('quote');
CREATE TRIGGER quotes_keep_look BEFORE UPDATE OF status ON public.quotes FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((old.status = 'draft'::text) AND (new.status <> 'draft'::text) AND (new.look_id IS NULL)))) EXECUTE FUNCTION keep_issued_look();
CREATE TRIGGER recounted AFTER UPDATE ON public.quotes FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (old.status IS DISTINCT FROM new.status))) EXECUTE FUNCTION quotes_recounted();
alter table quotes enable always trigger recounted;
CREATE TRIGGER searched BEFORE INSERT OR UPDATE OF number, reference ON public.quotes FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION quotes_searched();
alter table quotes enable always trigger searched;
CREATE TRIGGER uncounted AFTER DELETE ON public.quotes REFERENCING OLD TABLE AS changed FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION quotes_counted();
alter table quotes enable always trigger uncounted;
CREATE TRIGGER change_counted BEFORE UPDATE ON public.tax_rates FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (new.version = old.version))) EXECUTE FUNCTION count_change_of_row();
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.tax_rates FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('tax_rate');

-- # row-level security
alter table client_terms enable row level security, force row level security;
create policy owner on client_terms for all to current_user using (true) with check (true);
create policy tenant on client_terms for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table document_lines enable row level security, force row level security;
create policy owner on document_lines for all to current_user using (true) with check (true);
create policy tenant on document_lines for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table invoice_daily_mails enable row level security, force row level security;
create policy owner on invoice_daily_mails for all to current_user using (true) with check (true);
create policy tenant on invoice_daily_mails for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table invoice_payments enable row level security, force row level security;
create policy owner on invoice_payments for all to current_user using (true) with check (true);
create policy tenant on invoice_payments for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table invoice_templates enable row level security, force row level security;
create policy owner on invoice_templates for all to current_user using (true) with check (true);
create policy tenant on invoice_templates for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table invoices enable row level security, force row level security;
create policy owner on invoices for all to current_user using (true) with check (true);
create policy tenant on invoices for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table invoicing_settings enable row level security, force row level security;
create policy owner on invoicing_settings for all to current_user using (true) with check (true);
create policy tenant on invoicing_settings for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table issued_looks enable row level security, force row level security;
create policy owner on issued_looks for all to current_user using (true) with check (true);
create policy tenant on issued_looks for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table kept_documents enable row level security, force row level security;
create policy owner on kept_documents for all to current_user using (true) with check (true);
create policy tenant on kept_documents for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table period_claims enable row level security, force row level security;
create policy owner on period_claims for all to current_user using (true) with check (true);
create policy tenant on period_claims for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table products enable row level security, force row level security;
create policy owner on products for all to current_user using (true) with check (true);
create policy tenant on products for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table quote_instalments enable row level security, force row level security;
create policy owner on quote_instalments for all to current_user using (true) with check (true);
create policy tenant on quote_instalments for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table quotes enable row level security, force row level security;
create policy owner on quotes for all to current_user using (true) with check (true);
create policy tenant on quotes for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table tax_rates enable row level security, force row level security;
create policy owner on tax_rates for all to current_user using (true) with check (true);
create policy tenant on tax_rates for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table time_entry_claims enable row level security, force row level security;
create policy owner on time_entry_claims for all to current_user using (true) with check (true);
create policy tenant on time_entry_claims for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));

-- # grants
grant delete, insert, select, update on client_terms to :application;
grant delete, insert, select, update on document_lines to :application;
grant delete, insert, select, update on invoice_daily_mails to :application;
grant delete, insert, select, update on invoice_payments to :application;
grant delete, insert, select, update on invoice_templates to :application;
grant delete, insert, select, update on invoices to :application;
grant delete, insert, select, update on invoicing_settings to :application;
grant delete, insert, select, update on issued_looks to :application;
grant delete, insert, select, update on kept_documents to :application;
grant delete, insert, select, update on period_claims to :application;
grant delete, insert, select, update on products to :application;
grant delete, insert, select, update on quote_instalments to :application;
grant delete, insert, select, update on quotes to :application;
grant delete, insert, select, update on tax_rates to :application;
grant delete, insert, select, update on time_entry_claims to :application;
revoke all on function issued_look(uuid,uuid,uuid) from public;
grant execute on function issued_look(uuid,uuid,uuid) to :application;

-- Written by `npm run schema -- baseline` from the steps of the schema: the next run replaces it.

-- # functions
CREATE OR REPLACE FUNCTION public.bank_entries_searched()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      new.search_text := folded(concat_ws(E'\x1f', new.counter_name, new.counter_iban, new.description, new.reference, new.note));
      return new;
    end $function$
;

-- # tables
create table bank_allocations (
  id uuid default gen_random_uuid() not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  entry_id uuid not null,
  invoice_id uuid not null,
  payment_id uuid not null,
  amount numeric(14,2) not null,
  invoice_amount numeric(12,2) not null,
  constraint bank_allocations_amount_check CHECK ((amount <> (0)::numeric)),
  constraint bank_allocations_invoice_amount_check CHECK ((invoice_amount <> (0)::numeric))
);
create table bank_entries (
  id uuid default gen_random_uuid() not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  statement_id uuid not null,
  entry_key text not null,
  "position" integer not null,
  account text not null,
  booked_on date not null,
  value_on date,
  amount numeric(14,2) not null,
  currency text not null,
  counter_iban text,
  counter_name text,
  description text default ''::text not null,
  reference text,
  bank_reference text,
  kind text not null,
  reversal boolean default false not null,
  return_reason text,
  original_amount numeric(14,2),
  original_currency text,
  state text default 'open'::text not null,
  ignored_as text,
  note text,
  matched_amount numeric(14,2) default 0 not null,
  open_amount numeric(14,2) generated always as ((amount - matched_amount)) stored not null,
  company_id uuid,
  proposals jsonb default '[]'::jsonb not null,
  search_text text default ''::text not null,
  constraint bank_entries_check CHECK (((ignored_as IS NULL) OR (matched_amount = (0)::numeric))),
  constraint bank_entries_check1 CHECK (
CASE
    WHEN (amount >= (0)::numeric) THEN ((matched_amount >= (0)::numeric) AND (matched_amount <= amount))
    ELSE ((matched_amount >= amount) AND (matched_amount <= (0)::numeric))
END),
  constraint bank_entries_kind_check CHECK ((kind = ANY (ARRAY['payment'::text, 'bank_costs'::text, 'interest'::text]))),
  constraint bank_entries_state_check CHECK ((state = ANY (ARRAY['open'::text, 'proposed'::text, 'matched'::text, 'ignored'::text])))
);
create table bank_settings (
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  match_exact boolean default false not null
);
create table bank_statements (
  id uuid default gen_random_uuid() not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  statement_key text not null,
  file_name text not null,
  format text not null,
  account text not null,
  currency text not null,
  number text,
  from_day date not null,
  to_day date not null,
  opening numeric(14,2),
  closing numeric(14,2),
  balances boolean default true not null,
  entry_count integer not null,
  added_count integer not null,
  pending_count integer default 0 not null,
  constraint bank_statements_check CHECK ((to_day >= from_day))
);
create table sepa_mandates (
  id uuid default gen_random_uuid() not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  company_id uuid not null,
  reference text not null,
  scheme text not null,
  iban text not null,
  bic text,
  account_holder text not null,
  signed_on date not null,
  revoked_on date,
  constraint sepa_mandates_check CHECK ((revoked_on >= signed_on)),
  constraint sepa_mandates_scheme_check CHECK ((scheme = ANY (ARRAY['core'::text, 'b2b'::text])))
);

-- # keys and indexes
alter table bank_allocations add constraint bank_allocations_pkey PRIMARY KEY (id);
alter table bank_allocations add constraint bank_allocations_organisation_id_id_key UNIQUE (organisation_id, id);
alter table bank_allocations add constraint bank_allocations_payment UNIQUE (organisation_id, payment_id);
CREATE INDEX bank_allocations_organisation_id_entry_id_idx ON public.bank_allocations USING btree (organisation_id, entry_id);
CREATE INDEX bank_allocations_organisation_id_invoice_id_idx ON public.bank_allocations USING btree (organisation_id, invoice_id);
alter table bank_entries add constraint bank_entries_pkey PRIMARY KEY (id);
alter table bank_entries add constraint bank_entries_organisation_id_id_key UNIQUE (organisation_id, id);
alter table bank_entries add constraint bank_entries_key UNIQUE (organisation_id, entry_key);
CREATE INDEX bank_entries_organisation_id_booked_on_id_idx ON public.bank_entries USING btree (organisation_id, booked_on, id);
CREATE INDEX bank_entries_organisation_id_updated_at_idx ON public.bank_entries USING btree (organisation_id, updated_at);
CREATE INDEX bank_entries_organisation_id_state_booked_on_id_idx ON public.bank_entries USING btree (organisation_id, state, booked_on, id);
CREATE INDEX bank_entries_organisation_id_statement_id_booked_on_id_idx ON public.bank_entries USING btree (organisation_id, statement_id, booked_on, id);
CREATE INDEX bank_entries_organisation_id_company_id_booked_on_id_idx ON public.bank_entries USING btree (organisation_id, company_id, booked_on, id);
CREATE INDEX bank_entries_organisation_id_account_booked_on_id_idx ON public.bank_entries USING btree (organisation_id, account, booked_on, id);
CREATE INDEX bank_entries_organisation_id_counter_iban_idx ON public.bank_entries USING btree (organisation_id, counter_iban) WHERE (matched_amount <> (0)::numeric);
CREATE INDEX bank_entries_search ON public.bank_entries USING gin (organisation_id, search_text gin_trgm_ops);
CREATE INDEX bank_entries_walk ON public.bank_entries USING btree (organisation_id, booked_on, id) INCLUDE (search_text) WHERE (octet_length(search_text) <= 1000);
CREATE INDEX bank_entries_walk_long ON public.bank_entries USING btree (organisation_id, booked_on, id) WHERE (octet_length(search_text) > 1000);
CREATE INDEX bank_entries_look ON public.bank_entries USING btree (organisation_id, SUBSTRING(uuid_send(id) FROM 14)) INCLUDE (id, search_text) WHERE ((get_byte(uuid_send(id), 13) < 4) AND (octet_length(search_text) <= 1000));
CREATE INDEX bank_entries_look_long ON public.bank_entries USING btree (organisation_id, SUBSTRING(uuid_send(id) FROM 14)) WHERE ((get_byte(uuid_send(id), 13) < 4) AND (octet_length(search_text) > 1000));
alter table bank_settings add constraint bank_settings_pkey PRIMARY KEY (organisation_id);
alter table bank_statements add constraint bank_statements_pkey PRIMARY KEY (id);
alter table bank_statements add constraint bank_statements_organisation_id_id_key UNIQUE (organisation_id, id);
alter table bank_statements add constraint bank_statements_key UNIQUE (organisation_id, statement_key);
CREATE INDEX bank_statements_organisation_id_to_day_id_idx ON public.bank_statements USING btree (organisation_id, to_day, id);
CREATE INDEX bank_statements_organisation_id_updated_at_idx ON public.bank_statements USING btree (organisation_id, updated_at);
alter table sepa_mandates add constraint sepa_mandates_pkey PRIMARY KEY (id);
alter table sepa_mandates add constraint sepa_mandates_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE UNIQUE INDEX sepa_mandates_reference ON public.sepa_mandates USING btree (organisation_id, upper(reference));
CREATE INDEX sepa_mandates_organisation_id_created_at_id_idx ON public.sepa_mandates USING btree (organisation_id, created_at DESC, id);
CREATE INDEX sepa_mandates_organisation_id_updated_at_idx ON public.sepa_mandates USING btree (organisation_id, updated_at);
CREATE INDEX sepa_mandates_organisation_id_company_id_idx ON public.sepa_mandates USING btree (organisation_id, company_id);

-- # references
alter table bank_allocations add constraint bank_allocations_entry_fkey FOREIGN KEY (organisation_id, entry_id) REFERENCES bank_entries(organisation_id, id) ON DELETE CASCADE;
alter table bank_entries add constraint bank_entries_statement_fkey FOREIGN KEY (organisation_id, statement_id) REFERENCES bank_statements(organisation_id, id) ON DELETE CASCADE;

-- # triggers
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.bank_entries FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('bank_entry');
CREATE TRIGGER searched BEFORE INSERT OR UPDATE OF counter_name, counter_iban, description, reference, note ON public.bank_entries FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION bank_entries_searched();
alter table bank_entries enable always trigger searched;
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.bank_statements FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('bank_statement');
CREATE TRIGGER files_gone AFTER DELETE ON public.sepa_mandates FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION remove_files_of_record('sepa_mandate');
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.sepa_mandates FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('sepa_mandate');

-- # row-level security
alter table bank_allocations enable row level security, force row level security;
create policy owner on bank_allocations for all to current_user using (true) with check (true);
create policy tenant on bank_allocations for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table bank_entries enable row level security, force row level security;
create policy owner on bank_entries for all to current_user using (true) with check (true);
create policy tenant on bank_entries for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table bank_settings enable row level security, force row level security;
create policy owner on bank_settings for all to current_user using (true) with check (true);
create policy tenant on bank_settings for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table bank_statements enable row level security, force row level security;
create policy owner on bank_statements for all to current_user using (true) with check (true);
create policy tenant on bank_statements for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table sepa_mandates enable row level security, force row level security;
create policy owner on sepa_mandates for all to current_user using (true) with check (true);
create policy tenant on sepa_mandates for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));

-- # grants
grant delete, insert, select, update on bank_allocations to :application;
grant delete, insert, select, update on bank_entries to :application;
grant delete, insert, select, update on bank_settings to :application;
grant delete, insert, select, update on bank_statements to :application;
grant delete, insert, select, update on sepa_mandates to :application;

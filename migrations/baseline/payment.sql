-- Written by `npm run schema -- baseline` from the steps of the schema: the next run replaces it.

-- # tables
create table payment_accounts (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  provider text not null,
  label text not null,
  api_key sealed not null,
  webhook_secret sealed not null,
  mode text not null,
  active boolean default true not null,
  status text default 'active'::text not null,
  methods text[] default '{}'::text[] not null,
  last_verified_at timestamp with time zone,
  last_error text,
  constraint payment_accounts_label_check CHECK ((label <> ''::text)),
  constraint payment_accounts_last_error_check CHECK ((length(last_error) <= 500)),
  constraint payment_accounts_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint payment_accounts_provider_check CHECK ((provider <> ''::text)),
  constraint payment_accounts_status_check CHECK ((status = ANY (ARRAY['active'::text, 'error'::text])))
);
create table payment_intents (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  invoice_id uuid not null,
  account_id uuid,
  provider text not null,
  external_id text collate "C",
  amount numeric(12,2) not null,
  currency text not null,
  mode text not null,
  status text default 'open'::text not null,
  method text,
  checkout_url text,
  settled_at timestamp with time zone,
  synced_at timestamp with time zone,
  refreshed_at timestamp with time zone,
  last_error text,
  payload jsonb default '{}'::jsonb not null,
  constraint payment_intents_amount_check CHECK ((amount > (0)::numeric)),
  constraint payment_intents_last_error_check CHECK ((length(last_error) <= 500)),
  constraint payment_intents_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint payment_intents_status_check CHECK ((status = ANY (ARRAY['open'::text, 'pending'::text, 'authorized'::text, 'paid'::text, 'failed'::text, 'expired'::text, 'canceled'::text])))
);

-- # keys and indexes
alter table payment_accounts add constraint payment_accounts_pkey PRIMARY KEY (id);
alter table payment_accounts add constraint payment_accounts_organisation_id_id_key UNIQUE (organisation_id, id);
alter table payment_accounts add constraint payment_accounts_label_key UNIQUE (organisation_id, label);
CREATE INDEX payment_accounts_organisation_id_provider_label_id_idx ON public.payment_accounts USING btree (organisation_id, provider, label COLLATE kantoor_text, id);
alter table payment_intents add constraint payment_intents_pkey PRIMARY KEY (id);
alter table payment_intents add constraint payment_intents_organisation_id_id_key UNIQUE (organisation_id, id);
alter table payment_intents add constraint payment_intents_external_key UNIQUE (organisation_id, provider, external_id);
CREATE INDEX payment_intents_of_invoice ON public.payment_intents USING btree (organisation_id, invoice_id, created_at DESC, id);
CREATE INDEX payment_intents_of_account ON public.payment_intents USING btree (organisation_id, account_id) WHERE (account_id IS NOT NULL);
CREATE UNIQUE INDEX payment_intents_one_payable ON public.payment_intents USING btree (organisation_id, invoice_id, account_id, amount, mode) WHERE ((status = ANY (ARRAY['open'::text, 'pending'::text])) AND (account_id IS NOT NULL) AND ((external_id IS NULL) OR (checkout_url IS NOT NULL)));
CREATE INDEX payment_intents_unsettled ON public.payment_intents USING btree (created_at, organisation_id) WHERE ((settled_at IS NULL) AND (status <> ALL (ARRAY['failed'::text, 'expired'::text, 'canceled'::text])));
CREATE INDEX payment_intents_to_check ON public.payment_intents USING btree (organisation_id, created_at) WHERE ((settled_at IS NULL) AND (status <> ALL (ARRAY['failed'::text, 'expired'::text, 'canceled'::text])));
CREATE INDEX payment_intents_unanswered ON public.payment_intents USING btree (organisation_id, updated_at) WHERE (external_id IS NULL);

-- # references
alter table payment_intents add constraint payment_intents_account_fkey FOREIGN KEY (organisation_id, account_id) REFERENCES payment_accounts(organisation_id, id) ON DELETE SET NULL (account_id);
alter table invoice_payments add constraint invoice_payments_intent_fkey FOREIGN KEY (organisation_id, intent_id) REFERENCES payment_intents(organisation_id, id);

-- # triggers
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.payment_accounts FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('payment_account');
CREATE TRIGGER moved_by_deletion BEFORE UPDATE OF account_id ON public.payment_intents FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((pg_trigger_depth() > 0) AND (new.version = old.version) AND ((old.account_id IS NOT NULL) AND (new.account_id IS NULL))))) EXECUTE FUNCTION moved_by_deletion();

-- # row-level security
alter table payment_accounts enable row level security, force row level security;
create policy owner on payment_accounts for all to current_user using (true) with check (true);
create policy tenant on payment_accounts for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table payment_intents enable row level security, force row level security;
create policy owner on payment_intents for all to current_user using (true) with check (true);
create policy tenant on payment_intents for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));

-- # grants
grant delete, insert, select, update on payment_accounts to :application;
grant delete, insert, select, update on payment_intents to :application;

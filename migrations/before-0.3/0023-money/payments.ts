import { SEALED_TYPE, type StepContext, tenantTable } from "../../step.ts";

/** Payments, and the accounts and attempts of payments online. */
export async function paymentTables({ sql, application }: StepContext): Promise<void> {
  await sql(SEALED_TYPE);
  await sql(`
    create table payment_accounts (
      id uuid primary key,
      organisation_id uuid not null references organisations (id),
      created_at timestamptz not null default statement_timestamp(),
      updated_at timestamptz not null default statement_timestamp(),
      version int not null default 1,
      provider text not null check (provider <> ''),
      label text not null check (label <> ''),
      api_key sealed not null,
      -- Part of the callback address; replaced with the key (money §11).
      webhook_secret sealed not null,
      mode text not null check (mode in ('test', 'live')),
      active boolean not null default true,
      status text not null default 'active' check (status in ('active', 'error')),
      methods text[] not null default '{}',
      last_verified_at timestamptz,
      last_error text check (length(last_error) <= 500),
      unique (organisation_id, id),
      constraint payment_accounts_label_key unique (organisation_id, label)
    );
    create index on payment_accounts (organisation_id, provider, label collate kantoor_text, id);

    create table payment_intents (
      id uuid primary key,
      organisation_id uuid not null references organisations (id),
      created_at timestamptz not null default statement_timestamp(),
      updated_at timestamptz not null default statement_timestamp(),
      version int not null default 1,
      invoice_id uuid not null,
      account_id uuid,
      provider text not null,
      -- Null while the provider is being asked to make it.
      external_id text collate "C",
      amount numeric(12, 2) not null check (amount > 0),
      currency text not null,
      mode text not null check (mode in ('test', 'live')),
      status text not null default 'open'
        check (status in ('open', 'pending', 'authorized', 'paid', 'failed', 'expired', 'canceled')),
      method text,
      checkout_url text,
      settled_at timestamptz,
      synced_at timestamptz,
      -- When a payer or a member last had it asked again; callbacks and jobs do not move it.
      refreshed_at timestamptz,
      last_error text check (length(last_error) <= 500),
      payload jsonb not null default '{}',
      unique (organisation_id, id),
      constraint payment_intents_invoice_fkey foreign key (organisation_id, invoice_id) references invoices (organisation_id, id)
        on delete cascade,
      constraint payment_intents_account_fkey foreign key (organisation_id, account_id)
        references payment_accounts (organisation_id, id) on delete set null (account_id),
      constraint payment_intents_external_key unique (organisation_id, provider, external_id)
    );
    create index payment_intents_of_invoice on payment_intents (organisation_id, invoice_id, created_at desc, id);
    create index payment_intents_of_account on payment_intents (organisation_id, account_id) where account_id is not null;
    -- Two callers at once have one checkout: of an invoice, account, amount and mode one attempt is payable (money §11).
    create unique index payment_intents_one_payable on payment_intents (organisation_id, invoice_id, account_id, amount, mode)
      where status in ('open', 'pending') and account_id is not null and (external_id is null or checkout_url is not null);
    create index payment_intents_unsettled on payment_intents (created_at, organisation_id)
      where settled_at is null and status not in ('failed', 'expired', 'canceled');

    create table invoice_payments (
      id uuid primary key,
      organisation_id uuid not null references organisations (id),
      created_at timestamptz not null default statement_timestamp(),
      invoice_id uuid not null,
      paid_on date not null,
      amount numeric(12, 2) not null check (amount <> 0),
      method text not null default 'bank' check (method in ('bank', 'cash', 'card', 'other', 'online')),
      note text,
      intent_id uuid,
      unique (organisation_id, id),
      constraint invoice_payments_invoice_fkey foreign key (organisation_id, invoice_id) references invoices (organisation_id, id),
      constraint invoice_payments_intent_fkey foreign key (organisation_id, intent_id) references payment_intents (organisation_id, id),
      -- However often and by whom a provider is asked, its money is booked once.
      constraint invoice_payments_intent_key unique (organisation_id, intent_id)
    );
    create index invoice_payments_of_invoice on invoice_payments (organisation_id, invoice_id, paid_on, id);
  `);
  for (const table of ["payment_accounts", "payment_intents", "invoice_payments"]) await sql(tenantTable(table, application));
}

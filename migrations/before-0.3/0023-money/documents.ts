import { filesOfRecord, type StepContext, searchIndexes, tenantTable } from "../../step.ts";

/** What invoices and quotes have in common. */
const document = (name: string): string => `
      id uuid primary key,
      organisation_id uuid not null references organisations (id),
      created_at timestamptz not null default statement_timestamp(),
      updated_at timestamptz not null default statement_timestamp(),
      version int not null default 1,
      company_id uuid not null,
      contact_id uuid,
      number text collate "C",
      reference text,
      search_text text not null generated always as
        (lower(coalesce(number, '') collate "und-x-icu") || E'\\x1f' || lower(coalesce(reference, '') collate "und-x-icu")) stored,
      currency text not null check (currency ~ '^[A-Z]{3}$'),
      exchange_rate numeric(16, 6) check (exchange_rate > 0),
      locale text not null,
      intro text,
      notes text,
      issue_date date,
      prices_include_tax boolean not null default false,
      template_id uuid,
      -- The bill-to party as it was when it was last copied (money §2).
      customer jsonb not null default '{}',
      subtotal numeric(14, 2) not null default 0,
      tax_total numeric(14, 2) not null default 0,
      total numeric(14, 2) not null default 0,
      tax_groups jsonb not null default '[]',
      custom jsonb not null default '{}',
      sent_at timestamptz,
      unique (organisation_id, id),
      constraint ${name}_number_key unique (organisation_id, number),
      constraint ${name}_company_fkey foreign key (organisation_id, company_id) references companies (organisation_id, id),
      constraint ${name}_contact_fkey foreign key (organisation_id, contact_id) references contacts (organisation_id, id)
        on delete set null (contact_id),
      constraint ${name}_template_fkey foreign key (organisation_id, template_id) references invoice_templates (organisation_id, id)
        on delete set null (template_id)`;

/** An index per sort and direction; rows without a value come last in both. */
const sorted = (table: string, keys: readonly string[]): string =>
  keys
    .map((key) => {
      const [column = ""] = key.split(" ");
      const empty = ["status", "total"].includes(column) ? "" : " nulls last";
      return `
    create index ${table}_by_${column} on ${table} (organisation_id, ${key}, created_at desc, id);
    create index ${table}_by_${column}_down on ${table} (organisation_id, ${key} desc${empty}, created_at desc, id);`;
    })
    .join("");

/**
 * Today where the running organisation is, for what an answer says about lateness: its zone as core/request/today.ts reads it, the usual one
 * where PostgreSQL does not know it. It reads the one row as the owner of the table, so that no policy looks at rows.
 */
const TODAY = `
    create function organisation_today() returns date language plpgsql stable security definer set search_path = public as $$
    declare
      own uuid := current_organisation();
    begin
      return (select (statement_timestamp() at time zone o.timezone)::date from organisations o where o.id = own);
    exception when invalid_parameter_value then
      return (statement_timestamp() at time zone 'Europe/Amsterdam')::date;
    end $$;
`;

/** Invoices and quotes, their lines, payments and claims. */
export async function documentTables({ sql, application }: StepContext): Promise<void> {
  await sql(`
    ${TODAY}
    create table invoices (${document("invoices")},
      kind text not null default 'invoice' check (kind in ('invoice', 'credit_note')),
      status text not null default 'draft' check (status in ('draft', 'open', 'paid', 'cancelled')),
      due_date date,
      delivery_date date,
      paid_total numeric(14, 2) not null default 0,
      credited_total numeric(14, 2) not null default 0,
      applied_total numeric(14, 2) not null default 0,
      outstanding numeric(15, 2) not null generated always as (total - paid_total - credited_total + applied_total) stored,
      credit_for_id uuid,
      quote_id uuid,
      subscription_id uuid,
      domain_id uuid,
      period_start date,
      period_end date,
      paid_at timestamptz,
      cancelled_at timestamptz,
      reminders_paused boolean not null default false,
      reminder_count int not null default 0,
      last_reminder_at timestamptz,
      -- The daily job is to mail it (money §13).
      auto_send boolean not null default false,
      public_token text collate "C" unique check (length(public_token) = 43),
      check (status = 'draft' or number is not null),
      constraint invoices_credit_for_fkey foreign key (organisation_id, credit_for_id) references invoices (organisation_id, id)
        on delete set null (credit_for_id),
      constraint invoices_subscription_fkey foreign key (organisation_id, subscription_id)
        references subscriptions (organisation_id, id) on delete set null (subscription_id)
    );

    create table quotes (${document("quotes")},
      status text not null default 'draft' check (status in ('draft', 'open', 'accepted', 'rejected', 'expired', 'invoiced')),
      valid_until date,
      decided_at timestamptz,
      decision_note text,
      invoice_id uuid,
      public_token text collate "C" unique check (length(public_token) = 43),
      constraint quotes_invoice_fkey foreign key (organisation_id, invoice_id) references invoices (organisation_id, id)
        on delete set null (invoice_id)
    );
    alter table invoices add constraint invoices_quote_fkey foreign key (organisation_id, quote_id)
      references quotes (organisation_id, id) on delete set null (quote_id);

    ${["invoices", "quotes"]
      .map(
        (table) => `
    create index ${table}_by_created_at on ${table} (organisation_id, created_at, id);
    create index ${table}_of_company on ${table} (organisation_id, company_id, created_at desc, id);
    create index ${table}_by_change on ${table} (organisation_id, updated_at, created_at desc, id);
    create index ${table}_of_contact on ${table} (organisation_id, contact_id) where contact_id is not null;
    create index ${table}_of_template on ${table} (organisation_id, template_id) where template_id is not null;
    ${sorted(table, ["number collate kantoor_text", "status collate kantoor_text", "issue_date", table === "invoices" ? "due_date" : "valid_until", "total"])}
    ${searchIndexes(table, "created_at, id")}`,
      )
      .join("")}
    -- Sums over what is open, and who is late, read no row (money §8, §13).
    create index invoices_open on invoices (organisation_id, due_date, company_id)
      include (outstanding, exchange_rate, kind) where status = 'open';
    create index invoices_of_kind on invoices (organisation_id, kind, created_at desc, id);
    create index invoices_paid on invoices (organisation_id, paid_at) include (company_id, paid_total, exchange_rate) where status = 'paid';
    create index invoices_to_send on invoices (organisation_id) where auto_send;
    create index invoices_of_source on invoices (organisation_id, credit_for_id) where credit_for_id is not null;
    create index invoices_of_quote on invoices (organisation_id, quote_id) where quote_id is not null;
    create index invoices_of_subscription on invoices (organisation_id, subscription_id) where subscription_id is not null;
    create index quotes_of_invoice on quotes (organisation_id, invoice_id) where invoice_id is not null;
    create index quotes_open on quotes (organisation_id, valid_until) include (total, exchange_rate, company_id) where status = 'open';

    create table document_lines (
      id uuid primary key,
      organisation_id uuid not null references organisations (id),
      invoice_id uuid,
      quote_id uuid,
      position int not null,
      description text not null check (description <> ''),
      line_kind text not null default 'product' check (line_kind in ('product', 'hours', 'subscription', 'domain')),
      quantity numeric(10, 2) not null default 1,
      unit text,
      unit_price numeric(12, 2) not null default 0,
      amount numeric(12, 2) not null default 0,
      tax_rate_id uuid,
      -- Frozen when the line was written (money §2).
      tax_rate_pct numeric(5, 2) not null,
      tax_category text not null check (tax_category in ('standard', 'reduced', 'zero', 'exempt', 'reverse_charge')),
      tax_name text not null default '',
      -- What the line asks to bill; which of it counts stands in the tables of claims. No references: it is echoed as it was sent.
      time_entry_ids uuid[] not null default '{}',
      subscription_id uuid,
      domain_id uuid,
      period_start date,
      period_end date,
      created_at timestamptz not null default statement_timestamp(),
      unique (organisation_id, id),
      check (num_nonnulls(invoice_id, quote_id) = 1),
      constraint document_lines_invoice_fkey foreign key (organisation_id, invoice_id) references invoices (organisation_id, id)
        on delete cascade,
      constraint document_lines_quote_fkey foreign key (organisation_id, quote_id) references quotes (organisation_id, id)
        on delete cascade,
      constraint document_lines_tax_rate_fkey foreign key (organisation_id, tax_rate_id) references tax_rates (organisation_id, id)
        on delete set null (tax_rate_id)
    );
    create unique index document_lines_of_invoice on document_lines (organisation_id, invoice_id, position) where invoice_id is not null;
    create unique index document_lines_of_quote on document_lines (organisation_id, quote_id, position) where quote_id is not null;
    create index document_lines_of_tax_rate on document_lines (organisation_id, tax_rate_id) where tax_rate_id is not null;

    -- An hour is billed by one document (money §8).
    create table time_entry_claims (
      organisation_id uuid not null references organisations (id),
      time_entry_id uuid not null,
      invoice_id uuid not null,
      created_at timestamptz not null default statement_timestamp(),
      primary key (organisation_id, time_entry_id),
      constraint time_entry_claims_entry_fkey foreign key (organisation_id, time_entry_id) references time_entries (organisation_id, id)
        on delete cascade,
      constraint time_entry_claims_invoice_fkey foreign key (organisation_id, invoice_id) references invoices (organisation_id, id)
        on delete cascade
    );
    create index time_entry_claims_of_invoice on time_entry_claims (organisation_id, invoice_id);

    -- A period of an agreement or of a domain is billed by one document (money §8).
    create table period_claims (
      organisation_id uuid not null references organisations (id),
      source text not null check (source in ('subscription', 'domain')),
      source_id uuid not null,
      period_end date not null,
      period_start date,
      invoice_id uuid not null,
      created_at timestamptz not null default statement_timestamp(),
      constraint period_claims_key primary key (organisation_id, source, source_id, period_end),
      constraint period_claims_invoice_fkey foreign key (organisation_id, invoice_id) references invoices (organisation_id, id)
        on delete cascade
    );
    create index period_claims_of_invoice on period_claims (organisation_id, invoice_id);

    create table external_refs (
      id uuid primary key,
      organisation_id uuid not null references organisations (id),
      provider text not null check (provider <> ''),
      local_type text not null check (local_type <> ''),
      local_id uuid not null,
      external_id text not null,
      payload jsonb not null default '{}',
      synced_at timestamptz,
      created_at timestamptz not null default statement_timestamp(),
      updated_at timestamptz not null default statement_timestamp(),
      version int not null default 1,
      unique (organisation_id, id),
      constraint external_refs_local_key unique (organisation_id, provider, local_type, local_id)
    );
    create index on external_refs (organisation_id, local_type, local_id);
  `);
  for (const table of ["invoices", "quotes", "document_lines", "time_entry_claims", "period_claims", "external_refs"])
    await sql(tenantTable(table, application));
  await sql(
    `revoke all on function organisation_today() from public; grant execute on function organisation_today() to ${application};`,
  );
  await sql(filesOfRecord("invoices", "invoice") + filesOfRecord("quotes", "quote"));
}

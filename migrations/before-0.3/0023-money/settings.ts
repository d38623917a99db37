import { type StepContext, tenantTable } from "../../step.ts";

const ROW = `
      id uuid primary key,
      organisation_id uuid not null references organisations (id),
      created_at timestamptz not null default statement_timestamp(),
      updated_at timestamptz not null default statement_timestamp(),
      version int not null default 1`;

/** What documents begin with: settings, tax rates, products and templates. */
export async function settingTables({ sql, application }: StepContext): Promise<void> {
  await sql(`
    create table tax_rates (${ROW},
      label_i18n jsonb not null default '{}',
      rate numeric(5, 2) not null default 0 check (rate between 0 and 100),
      category text not null default 'standard' check (category in ('standard', 'reduced', 'zero', 'exempt', 'reverse_charge')),
      country text check (length(country) = 2),
      ledger_code text,
      is_default boolean not null default false,
      active boolean not null default true,
      position int not null default 0,
      unique (organisation_id, id)
    );
    create unique index tax_rates_one_default on tax_rates (organisation_id) where is_default;
    create index on tax_rates (organisation_id, position, rate desc, id);
    create index on tax_rates (organisation_id, updated_at);

    create table products (${ROW},
      name text not null check (name <> ''),
      code text collate "C" check (code <> ''),
      description text,
      unit text,
      unit_price numeric(12, 2) not null default 0 check (unit_price >= 0),
      tax_rate_id uuid,
      active boolean not null default true,
      position int not null default 0,
      unique (organisation_id, id),
      constraint products_code_key unique (organisation_id, code),
      constraint products_tax_rate_fkey foreign key (organisation_id, tax_rate_id) references tax_rates (organisation_id, id)
        on delete set null (tax_rate_id)
    );
    create index on products (organisation_id, position, name collate kantoor_text, id);
    create index on products (organisation_id, updated_at);
    create index on products (organisation_id, tax_rate_id) where tax_rate_id is not null;

    create table invoice_templates (${ROW},
      name text not null check (name <> ''),
      is_default boolean not null default false,
      active boolean not null default true,
      position int not null default 0,
      config jsonb not null default '{}',
      unique (organisation_id, id)
    );
    create unique index invoice_templates_one_default on invoice_templates (organisation_id) where is_default;
    create index on invoice_templates (organisation_id, position, name collate kantoor_text, id);
    create index on invoice_templates (organisation_id, updated_at);

    -- One row per organisation, made on first touch; numbering locks it for as long as the issuing transaction lasts (money §5).
    create table invoicing_settings (
      organisation_id uuid primary key references organisations (id),
      created_at timestamptz not null default statement_timestamp(),
      updated_at timestamptz not null default statement_timestamp(),
      version int not null default 1,
      company_details jsonb not null default '{}',
      tax_country text not null default 'NL' check (tax_country ~ '^[A-Z]{2}$'),
      prices_include_tax boolean not null default false,
      default_due_days int not null default 14 check (default_due_days between 0 and 365),
      quote_valid_days int not null default 30 check (quote_valid_days between 1 and 365),
      default_tax_rate_id uuid,
      default_template_id uuid,
      default_hourly_rate numeric(12, 2) check (default_hourly_rate >= 0),
      invoice_number_format text not null default '{year}-{seq:4}',
      quote_number_format text not null default 'Q{year}-{seq:4}',
      invoice_next_seq bigint not null default 1 check (invoice_next_seq >= 1),
      quote_next_seq bigint not null default 1 check (quote_next_seq >= 1),
      -- The year the last number of each sequence was given in.
      invoice_seq_year int,
      quote_seq_year int,
      number_reset_yearly boolean not null default true,
      auto_invoice_mode text not null default 'draft' check (auto_invoice_mode in ('off', 'draft', 'issue', 'send')),
      reminders_enabled boolean not null default false,
      reminder_days int[] not null default '{7,14,30}',
      public_invoice_links boolean not null default true,
      constraint invoicing_settings_tax_rate_fkey foreign key (organisation_id, default_tax_rate_id)
        references tax_rates (organisation_id, id) on delete set null (default_tax_rate_id),
      constraint invoicing_settings_template_fkey foreign key (organisation_id, default_template_id)
        references invoice_templates (organisation_id, id) on delete set null (default_template_id)
    );
  `);
  for (const table of ["tax_rates", "products", "invoice_templates", "invoicing_settings"])
    await sql(tenantTable(table, application));
}

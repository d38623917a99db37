import { filesOfRecord, type StepContext, searchIndexes, tenantTable } from "../../step.ts";

/** Domains, their renewals, and the last answers of public DNS (assets §2, §3). */
export async function domainTables({ sql, application }: StepContext): Promise<void> {
  await sql(`
    create table domains (
      id uuid primary key,
      organisation_id uuid not null references organisations (id),
      created_at timestamptz not null default statement_timestamp(),
      updated_at timestamptz not null default statement_timestamp(),
      version int not null default 1,
      company_id uuid not null,
      -- In ASCII, as providers and DNS know it; label is what people read.
      name text collate "C" not null check (name <> ''),
      label text not null check (label <> ''),
      search_text text not null generated always as (lower(label collate "und-x-icu") || ' ' || name) stored,
      tld text collate "C",
      status text not null default 'active' check (status in ('active', 'redirect', 'parked', 'expired', 'inactive')),
      redirect_url text,
      start_date date not null,
      next_invoice_date date,
      price_override numeric(12, 2) check (price_override >= 0),
      -- Null follows the register.
      invoiceable boolean,
      -- Null follows the organisation.
      auto_invoice_mode text check (auto_invoice_mode in ('off', 'draft', 'issue', 'send')),
      registrar_provider_id uuid,
      dns_provider_id uuid,
      registry_contact_type text check (registry_contact_type in ('agency', 'company', 'employee', 'contact')),
      registry_contact_id uuid,
      email_enabled boolean not null default false,
      email_provider_id uuid,
      email_contact_type text check (email_contact_type in ('agency', 'company', 'employee', 'contact')),
      email_contact_id uuid,
      custom jsonb not null default '{}',
      -- What public DNS last said; null before the first look.
      nameservers text[],
      dnssec boolean,
      mx_records jsonb,
      dns_checked_at timestamptz,
      unique (organisation_id, id),
      constraint domains_name_key unique (organisation_id, name),
      constraint domains_company_fkey foreign key (organisation_id, company_id) references companies (organisation_id, id)
        on delete cascade,
      constraint domains_registrar_provider_fkey foreign key (organisation_id, registrar_provider_id)
        references providers (organisation_id, id) on delete set null (registrar_provider_id),
      constraint domains_dns_provider_fkey foreign key (organisation_id, dns_provider_id)
        references providers (organisation_id, id) on delete set null (dns_provider_id),
      constraint domains_email_provider_fkey foreign key (organisation_id, email_provider_id)
        references providers (organisation_id, id) on delete set null (email_provider_id)
    );
    create index domains_by_label on domains (organisation_id, label collate kantoor_text, id);
    create index domains_of_company on domains (organisation_id, company_id, label collate kantoor_text, id);
    ${["start_date", "created_at", "updated_at", "next_invoice_date"]
      .map(
        (column) => `
    create index domains_by_${column} on domains (organisation_id, ${column}, label collate kantoor_text, id);`,
      )
      .join("")}
    create index domains_by_next_invoice_date_down on domains
      (organisation_id, next_invoice_date desc nulls last, label collate kantoor_text, id);
    create index domains_by_tld on domains (organisation_id, tld);
    create index domains_due on domains (organisation_id, next_invoice_date) where status in ('active', 'redirect', 'parked');
    create index on domains (organisation_id, registrar_provider_id) where registrar_provider_id is not null;
    create index on domains (organisation_id, dns_provider_id) where dns_provider_id is not null;
    create index on domains (organisation_id, email_provider_id) where email_provider_id is not null;
    ${searchIndexes("domains", "label collate kantoor_text, id")}

    -- One row per date from which a price holds; never rewritten but on that date.
    create table tld_prices (
      id uuid primary key,
      organisation_id uuid not null references organisations (id),
      created_at timestamptz not null default statement_timestamp(),
      updated_at timestamptz not null default statement_timestamp(),
      version int not null default 1,
      tld text collate "C" not null check (tld <> ''),
      amount numeric(12, 2) not null check (amount >= 0),
      currency text not null check (length(currency) = 3),
      valid_from date not null,
      unique (organisation_id, id),
      constraint tld_prices_key unique (organisation_id, tld, valid_from)
    );
  `);
  // Documents named domains before there were any.
  await sql(`
    update invoices set domain_id = null where domain_id is not null;
    alter table invoices add constraint invoices_domain_fkey foreign key (organisation_id, domain_id)
      references domains (organisation_id, id) on delete set null (domain_id);
    create index on invoices (organisation_id, domain_id) where domain_id is not null;
  `);
  for (const table of ["domains", "tld_prices"]) await sql(tenantTable(table, application));
  await sql(filesOfRecord("domains", "domain"));
}

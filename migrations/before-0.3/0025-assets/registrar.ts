import { SEALED_TYPE, type StepContext, tenantTable } from "../../step.ts";
import { ACCOUNT_SYNC } from "./account-sync.ts";

/** Accounts at registrars and the domains they last listed (assets §10). */
export async function registrarTables({ sql, application }: StepContext): Promise<void> {
  await sql(SEALED_TYPE);
  await sql(`
    create table registrar_accounts (
      id uuid primary key,
      organisation_id uuid not null references organisations (id),
      created_at timestamptz not null default statement_timestamp(),
      updated_at timestamptz not null default statement_timestamp(),
      version int not null default 1,
      -- The adapter that speaks to it (integrations/registrar).
      adapter text not null default 'oxxa',
      name text not null check (name <> ''),
      api_user text not null check (api_user <> ''),
      api_password sealed not null,
      provider_id uuid,
      active boolean not null default true,
      status text not null default 'active' check (status in ('active', 'error')),
      tlds text[] not null default '{}',
      funds_available numeric(14, 2),
      last_verified_at timestamptz,
      last_synced_at timestamptz,
      last_error text,
      -- Whose turn it is to change name servers there, and until when it counts unless it is prolonged (assets §10.4).
      pushing uuid,
      pushing_until timestamptz,
      ${ACCOUNT_SYNC},
      unique (organisation_id, id),
      constraint registrar_accounts_provider_fkey foreign key (organisation_id, provider_id)
        references providers (organisation_id, id) on delete set null (provider_id)
    );
    create unique index registrar_accounts_name_key on registrar_accounts (organisation_id, lower(name collate "und-x-icu"));
    create index on registrar_accounts (organisation_id, provider_id) where provider_id is not null;

    create table registrar_domains (
      id uuid primary key,
      organisation_id uuid not null references organisations (id),
      created_at timestamptz not null default statement_timestamp(),
      updated_at timestamptz not null default statement_timestamp(),
      version int not null default 1,
      account_id uuid not null,
      -- In ASCII, as the registrar and DNS know it; label is what people read.
      name text collate "C" not null,
      label text not null,
      sld text collate "C" not null,
      tld text collate "C",
      domain_id uuid,
      expires_on date,
      transfer_lock boolean,
      autorenew boolean,
      dnssec boolean,
      nsgroup_ref text,
      ns_observed text[],
      ns_desired text[],
      ns_push_status text check (ns_push_status in ('pending', 'active', 'drift', 'missing', 'error')),
      -- The registrar's word, or gone.
      registry_status text,
      contact_refs jsonb,
      registrant text,
      last_error text,
      last_synced_at timestamptz,
      unique (organisation_id, id),
      constraint registrar_domains_key unique (organisation_id, account_id, name),
      constraint registrar_domains_account_fkey foreign key (organisation_id, account_id)
        references registrar_accounts (organisation_id, id) on delete cascade,
      constraint registrar_domains_domain_fkey foreign key (organisation_id, domain_id) references domains (organisation_id, id)
        on delete set null (domain_id)
    );
    create index on registrar_domains (organisation_id, domain_id) where domain_id is not null;
    create index on registrar_domains (organisation_id, name);
    create index on registrar_domains (organisation_id, label collate kantoor_text, id);
    create index on registrar_domains (organisation_id, updated_at);
  `);
  for (const table of ["registrar_accounts", "registrar_domains"]) await sql(tenantTable(table, application));
}

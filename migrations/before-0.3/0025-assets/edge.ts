import { SEALED_TYPE, type StepContext, tenantTable } from "../../step.ts";
import { ACCOUNT_SYNC } from "./account-sync.ts";

/** Accounts at edge DNS providers and what those last said: zones, redirects, static projects, registrations (assets §6 to §8). */
export async function edgeTables({ sql, application }: StepContext): Promise<void> {
  await sql(SEALED_TYPE);
  await sql(`
    create table edge_accounts (
      id uuid primary key,
      organisation_id uuid not null references organisations (id),
      created_at timestamptz not null default statement_timestamp(),
      updated_at timestamptz not null default statement_timestamp(),
      version int not null default 1,
      name text not null check (name <> ''),
      api_token sealed not null,
      edge_account_id text,
      edge_account_name text,
      provider_id uuid,
      active boolean not null default true,
      status text not null default 'active' check (status in ('active', 'error')),
      capabilities jsonb not null default '{}',
      capability_errors jsonb not null default '{}',
      last_verified_at timestamptz,
      last_synced_at timestamptz,
      last_error text,
      -- When its list of registrations was last read to its end: from then on it is an authority for billing (assets §2.3).
      registrations_read_at timestamptz,
      ${ACCOUNT_SYNC},
      unique (organisation_id, id),
      constraint edge_accounts_provider_fkey foreign key (organisation_id, provider_id)
        references providers (organisation_id, id) on delete set null (provider_id)
    );
    create unique index edge_accounts_name_key on edge_accounts (organisation_id, lower(name collate "und-x-icu"));
    create index on edge_accounts (organisation_id, provider_id) where provider_id is not null;

    create table edge_zones (
      id uuid primary key,
      organisation_id uuid not null references organisations (id),
      created_at timestamptz not null default statement_timestamp(),
      updated_at timestamptz not null default statement_timestamp(),
      version int not null default 1,
      account_id uuid not null,
      edge_zone_id text collate "C" not null,
      name text collate "C" not null,
      -- The provider's word, or gone.
      status text not null,
      plan text,
      paused boolean,
      name_servers text[],
      original_name_servers text[],
      domain_id uuid,
      last_synced_at timestamptz,
      unique (organisation_id, id),
      constraint edge_zones_key unique (organisation_id, edge_zone_id),
      constraint edge_zones_account_fkey foreign key (organisation_id, account_id) references edge_accounts (organisation_id, id)
        on delete cascade,
      constraint edge_zones_domain_fkey foreign key (organisation_id, domain_id) references domains (organisation_id, id)
        on delete set null (domain_id)
    );
    create unique index edge_zones_domain_key on edge_zones (organisation_id, domain_id) where domain_id is not null;
    create index on edge_zones (organisation_id, name, id);
    create index on edge_zones (organisation_id, account_id, name, id);
    create index on edge_zones (organisation_id, updated_at);

    -- Who works on the rules of a zone: one caller at a time, for as long as it shows signs of life.
    create table edge_zone_leases (
      organisation_id uuid not null references organisations (id),
      zone_id uuid not null,
      holder uuid not null,
      held_until timestamptz not null,
      primary key (organisation_id, zone_id),
      constraint edge_zone_leases_zone_fkey foreign key (organisation_id, zone_id) references edge_zones (organisation_id, id)
        on delete cascade
    );

    -- The redirect of a domain that we asked for, and how the provider's rule compares with it.
    create table edge_redirects (
      id uuid primary key,
      organisation_id uuid not null references organisations (id),
      created_at timestamptz not null default statement_timestamp(),
      updated_at timestamptz not null default statement_timestamp(),
      version int not null default 1,
      zone_id uuid not null,
      domain_id uuid not null,
      target_url text not null,
      status_code int not null check (status_code in (301, 302, 307, 308)),
      preserve_path boolean not null,
      preserve_query boolean not null,
      include_subdomains boolean not null,
      ruleset_id text,
      rule_id text,
      -- Made by the provider's own side and only taken into our books, so that deleting it leaves the rule.
      adopted boolean not null default false,
      last_status text not null default 'pending' check (last_status in ('pending', 'active', 'drift', 'missing', 'error')),
      last_error text,
      last_checked_at timestamptz,
      last_pushed_at timestamptz,
      unique (organisation_id, id),
      constraint edge_redirects_domain_key unique (organisation_id, domain_id),
      constraint edge_redirects_zone_fkey foreign key (organisation_id, zone_id) references edge_zones (organisation_id, id)
        on delete cascade,
      constraint edge_redirects_domain_fkey foreign key (organisation_id, domain_id) references domains (organisation_id, id)
        on delete cascade
    );
    create index on edge_redirects (organisation_id, zone_id);

    -- Redirects on the zone of a domain that are not ours, as last seen, one row per kind of probe.
    create table edge_observations (
      organisation_id uuid not null references organisations (id),
      domain_id uuid not null,
      kind text not null check (kind in ('redirect_rule', 'page_rule')),
      found jsonb not null,
      observed_at timestamptz not null,
      primary key (organisation_id, domain_id, kind),
      constraint edge_observations_domain_fkey foreign key (organisation_id, domain_id) references domains (organisation_id, id)
        on delete cascade
    );

    create table edge_projects (
      id uuid primary key,
      organisation_id uuid not null references organisations (id),
      created_at timestamptz not null default statement_timestamp(),
      updated_at timestamptz not null default statement_timestamp(),
      version int not null default 1,
      account_id uuid not null,
      name text collate "C" not null,
      subdomain text,
      production_branch text,
      gone boolean not null default false,
      last_synced_at timestamptz,
      unique (organisation_id, id),
      constraint edge_projects_key unique (organisation_id, account_id, name),
      constraint edge_projects_account_fkey foreign key (organisation_id, account_id) references edge_accounts (organisation_id, id)
        on delete cascade
    );

    create table edge_page_links (
      id uuid primary key,
      organisation_id uuid not null references organisations (id),
      created_at timestamptz not null default statement_timestamp(),
      updated_at timestamptz not null default statement_timestamp(),
      version int not null default 1,
      project_id uuid not null,
      domain_id uuid not null,
      hostname text collate "C" not null,
      status text,
      last_error text,
      discovered_at timestamptz,
      missing_at timestamptz,
      last_checked_at timestamptz,
      unique (organisation_id, id),
      constraint edge_page_links_key unique (organisation_id, project_id, hostname),
      constraint edge_page_links_project_fkey foreign key (organisation_id, project_id) references edge_projects (organisation_id, id)
        on delete cascade,
      constraint edge_page_links_domain_fkey foreign key (organisation_id, domain_id) references domains (organisation_id, id)
        on delete cascade
    );
    create index on edge_page_links (organisation_id, domain_id);

    create table edge_registrations (
      id uuid primary key,
      organisation_id uuid not null references organisations (id),
      created_at timestamptz not null default statement_timestamp(),
      updated_at timestamptz not null default statement_timestamp(),
      version int not null default 1,
      account_id uuid not null,
      name text collate "C" not null,
      domain_id uuid,
      current_registrar text,
      at_provider boolean not null,
      expires_at timestamptz,
      auto_renew boolean,
      locked boolean,
      registry_statuses text[],
      gone boolean not null default false,
      last_synced_at timestamptz,
      unique (organisation_id, id),
      constraint edge_registrations_key unique (organisation_id, account_id, name),
      constraint edge_registrations_account_fkey foreign key (organisation_id, account_id) references edge_accounts (organisation_id, id)
        on delete cascade,
      constraint edge_registrations_domain_fkey foreign key (organisation_id, domain_id) references domains (organisation_id, id)
        on delete set null (domain_id)
    );
    create index on edge_registrations (organisation_id, domain_id) where domain_id is not null;
    create index on edge_registrations (organisation_id, name);
  `);
  for (const table of [
    "edge_accounts",
    "edge_zones",
    "edge_zone_leases",
    "edge_redirects",
    "edge_observations",
    "edge_projects",
    "edge_page_links",
    "edge_registrations",
  ])
    await sql(tenantTable(table, application));
}

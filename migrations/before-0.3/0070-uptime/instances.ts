import { SEALED_TYPE, type StepContext, tenantTable } from "../../step.ts";

const SHARED = `id uuid primary key,
      organisation_id uuid not null references organisations (id),
      created_at timestamptz not null default statement_timestamp(),
      updated_at timestamptz not null default statement_timestamp(),
      version int not null default 1`;

/** Uptime servers with their credentials, which node holds the session to each, and profiles of settings. */
export async function instanceTables({ sql, application }: StepContext): Promise<void> {
  await sql(SEALED_TYPE);
  await sql(`
    create table uptime_instances (
      ${SHARED},
      name text not null check (name <> ''),
      -- managed: this service signs in there; linked: the server only posts to the webhook.
      mode text not null check (mode in ('managed', 'linked')),
      base_url text check (mode = 'linked' or base_url is not null),
      ssl_verify boolean not null default true,
      active boolean not null default true,
      status text not null default 'pending' check (status in ('pending', 'active', 'error', 'needs_reauth')),
      server_version text,
      token sealed,
      connect_headers sealed,
      hook_secret sealed not null,
      enrolled_at timestamptz,
      last_error text,
      last_synced_at timestamptz,
      heartbeats_read_at timestamptz,
      -- Syncs are numbered per instance: the last that was asked for, and the last that has ended.
      sync_asked int not null default 0,
      sync_ended int not null default 0 check (sync_ended <= sync_asked),
      sync_asked_at timestamptz,
      sync_asked_by jsonb,
      sync_result jsonb,
      unique (organisation_id, id)
    );
    create unique index uptime_instances_name_key on uptime_instances (organisation_id, lower(name collate "und-x-icu"));
    create index on uptime_instances (organisation_id, name collate kantoor_text, id);
    create index on uptime_instances (organisation_id, updated_at);

    -- The one session to an instance over all nodes. The row of a node that died may be taken once held_until has passed.
    create table uptime_leases (
      organisation_id uuid not null references organisations (id),
      instance_id uuid not null,
      holder uuid,
      node text,
      held_until timestamptz not null default '-infinity',
      last_login_at timestamptz,
      primary key (organisation_id, instance_id),
      foreign key (organisation_id, instance_id) references uptime_instances (organisation_id, id) on delete cascade
    );

    create table uptime_profiles (
      ${SHARED},
      name text not null check (name <> ''),
      -- Null takes the built-in value.
      interval_seconds int,
      retries int,
      retry_interval_seconds int,
      resend_interval int,
      timeout_seconds int,
      method text,
      accepted_statuses text[],
      max_redirects int,
      expiry_notification boolean,
      unique (organisation_id, id)
    );
    create unique index uptime_profiles_name_key on uptime_profiles (organisation_id, lower(name collate "und-x-icu"));
    create index on uptime_profiles (organisation_id, name collate kantoor_text, id);
    create index on uptime_profiles (organisation_id, updated_at);
  `);
  for (const table of ["uptime_instances", "uptime_leases", "uptime_profiles"]) await sql(tenantTable(table, application));
}

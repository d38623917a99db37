import { type StepContext, tenantTable } from "../../step.ts";

/** The key pair an organisation signs its pushes with (RFC 8292), and the devices people registered (RFC 8030). */
export async function pushTables({ sql, application }: StepContext): Promise<void> {
  await sql(`
    -- Made at first use and never replaced: devices are registered for its public half.
    create table notification_push_keys (
      id uuid primary key,
      organisation_id uuid not null unique references organisations (id),
      created_at timestamptz not null default statement_timestamp(),
      updated_at timestamptz not null default statement_timestamp(),
      version int not null default 1,
      public_key text not null,
      private_key sealed not null,
      unique (organisation_id, id)
    );

    create table notification_push_devices (
      id uuid primary key,
      organisation_id uuid not null references organisations (id),
      created_at timestamptz not null default statement_timestamp(),
      updated_at timestamptz not null default statement_timestamp(),
      version int not null default 1,
      account_id uuid not null references accounts (id) on delete cascade,
      -- SHA-256 of the endpoint, by which it is found: with the endpoint itself a caller could send to the device.
      endpoint_hash bytea not null,
      endpoint sealed not null,
      p256dh sealed not null,
      auth sealed not null,
      user_agent text,
      last_seen_at timestamptz not null default statement_timestamp(),
      last_success_at timestamptz,
      unique (organisation_id, id),
      constraint notification_push_devices_endpoint_key unique (organisation_id, endpoint_hash)
    );
    create index on notification_push_devices (organisation_id, account_id);
    create index on notification_push_devices (account_id);
  `);
  for (const table of ["notification_push_keys", "notification_push_devices"]) await sql(tenantTable(table, application));
}

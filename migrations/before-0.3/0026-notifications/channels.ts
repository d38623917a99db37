import { SEALED_TYPE, type StepContext, tenantTable } from "../../step.ts";

/** External channels of persons and shared rooms, and which events go to which. */
export async function channelTables({ sql, application }: StepContext): Promise<void> {
  await sql(SEALED_TYPE);
  await sql(`
    create table notification_channels (
      id uuid primary key,
      organisation_id uuid not null references organisations (id),
      created_at timestamptz not null default statement_timestamp(),
      updated_at timestamptz not null default statement_timestamp(),
      version int not null default 1,
      -- Whose it is; null is a shared room.
      account_id uuid references accounts (id) on delete cascade,
      kind text not null check (kind in ('email', 'slack', 'msteams', 'gchat', 'discord', 'telegram', 'mailto', 'webhook', 'custom')),
      name text not null check (name <> ''),
      url sealed not null,
      -- What answers show of the address.
      redacted text not null,
      enabled boolean not null default true,
      -- Null is 08:00, and Monday.
      digest_time wall_time,
      digest_weekday int check (digest_weekday between 0 and 6),
      unique (organisation_id, id)
    );
    create index on notification_channels (organisation_id, account_id);
    create index on notification_channels (account_id);

    create table notification_channel_routes (
      organisation_id uuid not null references organisations (id),
      channel_id uuid not null,
      event_type text not null,
      enabled boolean not null,
      delay_minutes int not null default 0 check (delay_minutes between 0 and 1440),
      digest text not null default 'immediate' check (digest in ('immediate', 'hourly', 'daily', 'weekly')),
      primary key (organisation_id, channel_id, event_type),
      foreign key (organisation_id, channel_id) references notification_channels (organisation_id, id) on delete cascade
    );
    create index notification_channel_routes_of_event on notification_channel_routes (organisation_id, event_type) where enabled;
  `);
  for (const table of ["notification_channels", "notification_channel_routes"]) await sql(tenantTable(table, application));
}

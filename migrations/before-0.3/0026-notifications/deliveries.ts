import { type StepContext, tenantTable } from "../../step.ts";

/** Deliveries by e-mail, push and channels, written with their inbox row and taken by the delivery job. */
export async function deliveryTables({ sql, application }: StepContext): Promise<void> {
  await sql(`
    create table notification_deliveries (
      id uuid primary key default gen_random_uuid(),
      organisation_id uuid not null,
      created_at timestamptz not null default statement_timestamp(),
      updated_at timestamptz not null default statement_timestamp(),
      way text not null check (way in ('email', 'push', 'channel')),
      -- The recipient; null for a shared room.
      account_id uuid references accounts (id) on delete cascade,
      -- Without a reference: a channel that is gone fails what waits for it.
      channel_id uuid check ((channel_id is not null) = (way = 'channel')),
      -- The inbox row whose event is told, the last one of a burst; null for a shared room, which is told of \`event_id\`.
      notification_id uuid check ((notification_id is null) = (account_id is null)),
      event_id uuid not null,
      due_at timestamptz not null,
      status text not null default 'pending' check (status in ('pending', 'sending', 'sent', 'failed')),
      attempts int not null default 0 check (attempts >= 0),
      error text,
      -- The message it went or goes with, the same for the same rows: set when it is claimed.
      bundle_id uuid,
      claimed_at timestamptz,
      finished_at timestamptz,
      unique (organisation_id, id),
      foreign key (organisation_id, notification_id) references notifications (organisation_id, id) on delete cascade,
      foreign key (organisation_id, event_id) references notification_events (organisation_id, id) on delete cascade
    );
    create index notification_deliveries_due on notification_deliveries (organisation_id, way, due_at, id) where status = 'pending';
    create index notification_deliveries_sending on notification_deliveries (organisation_id, claimed_at) where status = 'sending';
    create index on notification_deliveries (organisation_id, notification_id);
    create index on notification_deliveries (organisation_id, event_id);
    create index on notification_deliveries (organisation_id, channel_id) where channel_id is not null;
    create index on notification_deliveries (account_id);
  `);
  await sql(tenantTable("notification_deliveries", application));
}

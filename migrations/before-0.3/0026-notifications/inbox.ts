import { type StepContext, tenantTable } from "../../step.ts";

/** Events of records, the inboxes they reached, followers, and how each wants to be notified. */
export async function inboxTables({ sql, application }: StepContext): Promise<void> {
  await sql(`
    -- An event of the catalogue as readers of the record see it. Appended to by nearly every write: without a reference to \`organisations\`,
    -- whose row it would lock each time (0014).
    create table notification_events (
      id uuid primary key,
      organisation_id uuid not null,
      event_type text not null,
      entity_type text not null,
      entity_id uuid not null,
      actor_account_id uuid,
      -- As it was then; null is the system.
      actor_name text,
      payload jsonb not null default '{}',
      created_at timestamptz not null default statement_timestamp(),
      unique (organisation_id, id)
    );
    create index notification_events_of_record on notification_events (organisation_id, entity_type, entity_id, created_at, id);

    create table notifications (
      id uuid primary key default gen_random_uuid(),
      organisation_id uuid not null,
      created_at timestamptz not null default statement_timestamp(),
      updated_at timestamptz not null default statement_timestamp(),
      version int not null default 1,
      account_id uuid not null references accounts (id) on delete cascade,
      -- Of a burst the last one.
      event_id uuid not null,
      event_type text not null,
      entity_type text not null,
      entity_id uuid not null,
      read_at timestamptz,
      -- Before it the row counts nowhere.
      visible_at timestamptz not null,
      unique (organisation_id, id),
      foreign key (organisation_id, event_id) references notification_events (organisation_id, id) on delete cascade
    );
    create index notifications_of_account on notifications (organisation_id, account_id, created_at, id);
    -- The unread count reads this index alone.
    create index notifications_unread on notifications (organisation_id, account_id, created_at, id) include (visible_at)
      where read_at is null;
    -- Bursts, and what a later write makes pointless.
    create index notifications_unread_of_record on notifications (organisation_id, entity_id, event_type, account_id)
      include (entity_type, visible_at) where read_at is null;
    create index on notifications (organisation_id, event_id);
    create index on notifications (organisation_id, updated_at);
    create index on notifications (account_id);

    create table notification_watches (
      organisation_id uuid not null references organisations (id),
      entity_type text not null,
      entity_id uuid not null,
      account_id uuid not null references accounts (id) on delete cascade,
      -- False: muted, by the person's own choice.
      watching boolean not null,
      created_at timestamptz not null default statement_timestamp(),
      primary key (organisation_id, entity_id, entity_type, account_id)
    );
    create index on notification_watches (organisation_id, account_id);
    create index on notification_watches (account_id);

    -- One row a person, and one of the organisation (without account): each part of it is taken whole or not at all.
    create table notification_preferences (
      id uuid primary key default gen_random_uuid(),
      organisation_id uuid not null references organisations (id),
      created_at timestamptz not null default statement_timestamp(),
      updated_at timestamptz not null default statement_timestamp(),
      version int not null default 1,
      account_id uuid references accounts (id) on delete cascade,
      -- Rules by event: {"task.commented": {"enabled", "delay_minutes", "digest", "digest_time", "digest_weekday"}}, the last two in \`events\` alone.
      events jsonb not null default '{}' check (jsonb_typeof(events) = 'object'),
      email_events jsonb not null default '{}' check (jsonb_typeof(email_events) = 'object'),
      push_events jsonb not null default '{}' check (jsonb_typeof(push_events) = 'object'),
      -- {"due_soon_days", "quiet_hours_start", "quiet_hours_end"}
      general jsonb check (jsonb_typeof(general) = 'object'),
      -- {"digest_time", "digest_weekday"}
      email jsonb check (jsonb_typeof(email) = 'object'),
      push jsonb check (jsonb_typeof(push) = 'object'),
      unique (organisation_id, id),
      constraint notification_preferences_scope_key unique nulls not distinct (organisation_id, account_id)
    );
    create index on notification_preferences (account_id);
  `);
  for (const table of ["notification_events", "notifications", "notification_watches", "notification_preferences"])
    await sql(tenantTable(table, application));
}

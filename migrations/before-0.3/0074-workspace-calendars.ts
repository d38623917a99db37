import { type Step, tenantTable } from "../step.ts";

/** Calendars of connected people: cached events, push channels, and events written by the service (workspace §2.3). */
const step: Step = {
  async up({ sql, application }) {
    await sql(`
      -- How far the calendar of a connection was read. Goes with the connection.
      create table workspace_calendars (
        organisation_id uuid not null references organisations (id),
        connection_id uuid not null,
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        -- Where the next pull goes on; null: everything is read anew.
        sync_token text,
        -- Which cached events count. A refill writes its own under another number and exchanges the numbers at its end.
        fill uuid,
        filled_at timestamptz,
        last_synced_at timestamptz,
        -- When changes were last asked to be pushed; null: nobody has tried yet.
        watched_at timestamptz,
        -- The run that reads now: a run that has lost its turn writes nothing any more.
        pulled_by uuid,
        last_error text,
        primary key (organisation_id, connection_id),
        foreign key (organisation_id, connection_id) references workspace_connections (organisation_id, id) on delete cascade
      );

      create table workspace_calendar_events (
        organisation_id uuid not null references organisations (id),
        connection_id uuid not null,
        fill uuid not null,
        event_id text collate "C" not null,
        -- The series it is an instance of.
        recurring_event_id text collate "C",
        -- Of an event that this service wrote, or of an instance of one: the key of its mirror.
        mirror_key text collate "C",
        status text not null check (status in ('confirmed', 'tentative', 'cancelled')),
        title text not null,
        html_link text,
        -- Timed events have instants, whole days have dates of which the end is exclusive.
        starts_at timestamptz,
        ends_at timestamptz,
        start_date date,
        end_date date,
        primary key (organisation_id, connection_id, fill, event_id),
        foreign key (organisation_id, connection_id) references workspace_calendars (organisation_id, connection_id) on delete cascade,
        check (num_nonnulls(starts_at, ends_at) in (0, 2) and num_nonnulls(starts_at, ends_at) + num_nonnulls(start_date, end_date) = 2)
      );
      create index workspace_calendar_events_timed on workspace_calendar_events (organisation_id, connection_id, fill, ends_at)
        where ends_at is not null;
      create index workspace_calendar_events_days on workspace_calendar_events (organisation_id, connection_id, fill, end_date)
        where end_date is not null;
      create index workspace_calendar_events_series on workspace_calendar_events (organisation_id, connection_id, fill, recurring_event_id)
        where recurring_event_id is not null;

      -- Push channels. One that is being opened is kept before the provider is asked for it; its answer may be lost.
      create table workspace_calendar_channels (
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        connection_id uuid not null,
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        status text not null check (status in ('opening', 'active', 'lapsed')),
        secret_hash bytea not null,
        resource_id text,
        expires_at timestamptz,
        unique (organisation_id, id),
        foreign key (organisation_id, connection_id) references workspace_calendars (organisation_id, connection_id) on delete cascade,
        -- No channel counts as active of which it is not known how it is stopped.
        check (status = 'opening' or (resource_id is not null and expires_at is not null))
      );
      create unique index workspace_calendar_channels_active on workspace_calendar_channels (organisation_id, connection_id)
        where status = 'active';
      create index on workspace_calendar_channels (organisation_id, connection_id);

      -- What the service writes into the calendars of its people: one row per record and owner. It outlasts the connection, so that a person
      -- who connects again has each event once.
      create table workspace_calendar_mirrors (
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        account_id uuid not null,
        kind text collate "C" not null check (kind in ('leave', 'availability', 'schedule')),
        source_id uuid not null,
        -- The beginning of its event ids, which the generation completes.
        mirror_key text collate "C" not null,
        -- A deleted id stays taken, so that each time an event comes back it has the next one.
        generation int not null default 0,
        -- The person at the provider whose calendar it is in; null before the first write.
        subject text,
        -- 'asked': the provider was asked for it and may have it; 'there': it said so.
        presence text not null default 'absent' check (presence in ('absent', 'asked', 'there')),
        -- Of what the provider was last asked to keep.
        content_hash bytea,
        -- Moves with each change of the record, so that what changes during a call is written afterwards.
        revision int not null default 1,
        status text not null default 'pending' check (status in ('pending', 'done', 'failed')),
        attempts int not null default 0,
        last_error text,
        queued_at timestamptz not null default statement_timestamp(),
        unique (organisation_id, id),
        constraint workspace_calendar_mirrors_one unique (organisation_id, kind, source_id, account_id),
        constraint workspace_calendar_mirrors_key unique (organisation_id, account_id, mirror_key),
        foreign key (organisation_id, account_id) references memberships (organisation_id, account_id) on delete cascade
      );
      create index workspace_calendar_mirrors_waiting on workspace_calendar_mirrors (organisation_id, account_id, queued_at, id)
        where status = 'pending';
    `);
    for (const table of [
      "workspace_calendars",
      "workspace_calendar_events",
      "workspace_calendar_channels",
      "workspace_calendar_mirrors",
    ])
      await sql(tenantTable(table, application));
  },
};

export default step;

import { type Step, tenantTable } from "../step.ts";

/** How far the mailbox of a connection has been read, and messages of it that were passed over (workspace §2.5). */
const step: Step = {
  async up({ sql, application }) {
    await sql(`
      create table workspace_mailboxes (
        organisation_id uuid not null references organisations (id),
        connection_id uuid not null,
        -- What has been read up to; null: the next poll begins with what arrives after it.
        history_id text,
        polled_at timestamptz,
        -- From when mail may be missing, and whether the provider has answered with a history since.
        gap_since timestamptz,
        gap_open boolean not null default false,
        -- The message that the provider failed to give at the end of the last polls, and how often.
        stuck_message_id text,
        stuck_times int not null default 0,
        -- Polls asked for by hand: when the last one was, its number, the number that has ended, and with what.
        asked_at timestamptz,
        asked int not null default 0,
        ended int not null default 0,
        result jsonb,
        primary key (organisation_id, connection_id),
        foreign key (organisation_id, connection_id) references workspace_connections (organisation_id, id) on delete cascade
      );

      create table workspace_mail_skips (
        organisation_id uuid not null references organisations (id),
        connection_id uuid not null,
        message_id text not null,
        reason text not null check (reason in ('deferred_to_owner', 'ingest_error')),
        detail jsonb not null default '{}',
        created_at timestamptz not null default statement_timestamp(),
        primary key (organisation_id, connection_id, message_id),
        foreign key (organisation_id, connection_id) references workspace_connections (organisation_id, id) on delete cascade
      );
      create index on workspace_mail_skips (organisation_id, created_at);

      -- What arrives while its owner has the feed switched off is not read later.
      create function mailbox_switched_off() returns trigger language plpgsql as $$
      begin
        update workspace_mailboxes set history_id = null, gap_open = false where organisation_id = new.organisation_id and connection_id = new.id;
        return null;
      end $$;
      create trigger mailbox_switched_off after update of mail_sync_enabled on workspace_connections for each row
        when (old.mail_sync_enabled and not new.mail_sync_enabled) execute function mailbox_switched_off();
    `);
    for (const table of ["workspace_mailboxes", "workspace_mail_skips"]) await sql(tenantTable(table, application));
  },
};

export default step;

import type { Step } from "./step.ts";

/**
 * Backups of one organisation, and their restores. They outlive the organisation. The application role has no right to these tables.
 */
const step: Step = {
  async up({ sql }) {
    await sql(`
      create table organisation_backups (
        id uuid primary key,
        -- The organisation as it was; it may be gone.
        organisation uuid not null,
        slug text not null,
        name text not null,
        state text not null default 'waiting' check (state in ('waiting', 'running', 'ready', 'failed')),
        -- What is being done, and how much of it.
        step text,
        done bigint not null default 0,
        total bigint,
        version text,
        taken_at timestamptz,
        tables integer,
        rows bigint,
        files integer,
        files_missing integer,
        bytes bigint,
        backend text check (backend in ('disk', 's3')),
        -- The key of its encryption.
        content_key sealed,
        error text,
        requested_by text not null,
        created_at timestamptz not null default statement_timestamp(),
        finished_at timestamptz,
        -- When it is deleted; null until it is finished.
        expires_at timestamptz,
        check ((state = 'ready') <= (content_key is not null and backend is not null and taken_at is not null))
      );
      create index organisation_backups_organisation on organisation_backups (organisation, created_at);
      create index organisation_backups_expiry on organisation_backups (expires_at) where expires_at is not null;
      create table organisation_restores (
        id uuid primary key,
        backup_id uuid not null references organisation_backups (id) on delete cascade,
        slug text not null,
        name text,
        state text not null default 'waiting' check (state in ('waiting', 'running', 'done', 'failed')),
        step text,
        done bigint not null default 0,
        total bigint,
        -- The restored organisation; null until it is there.
        organisation uuid,
        rows bigint,
        files integer,
        -- Accounts that it brought back, because they were gone.
        accounts integer,
        error text,
        requested_by text not null,
        created_at timestamptz not null default statement_timestamp(),
        finished_at timestamptz
      );
      create index organisation_restores_backup on organisation_restores (backup_id);
    `);
  },
};

export default step;

import { movesWhenCut, type Step, tenantTable } from "../step.ts";

/** The record that a row is about: one of the three, and its kind and id as the API names them. */
const RECORD = `
        company_id uuid,
        project_id uuid,
        task_id uuid,
        entity_type text not null generated always as
          (case when company_id is not null then 'company' when project_id is not null then 'project' else 'task' end) stored,
        entity_id uuid not null generated always as (coalesce(company_id, project_id, task_id)) stored,
        check (num_nonnulls(company_id, project_id, task_id) = 1)`;
const recordOf = (table: string): string =>
  [
    ["company", "companies"],
    ["project", "projects"],
    ["task", "tasks"],
  ]
    .map(
      ([kind, records]) => `
      alter table ${table} add constraint ${table}_${kind}_fkey
        foreign key (organisation_id, ${kind}_id) references ${records} (organisation_id, id) on delete cascade;
      create index on ${table} (organisation_id, ${kind}_id) where ${kind}_id is not null;`,
    )
    .join("");

/** Files of people's own storage: links of records, folders to create, and cached listings of browsed folders (workspace §2.4). */
const step: Step = {
  async up({ sql, application }) {
    await sql(`
      create table drive_links (
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        version int not null default 1,
        ${RECORD},
        drive_file_id text not null,
        drive_url text not null,
        name text not null,
        mime_type text,
        is_folder boolean not null,
        is_root boolean not null default false,
        created_by_account_id uuid references accounts (id) on delete set null,
        created_by_name text,
        unique (organisation_id, id),
        check (is_folder or not is_root),
        constraint drive_links_file unique (organisation_id, entity_id, entity_type, drive_file_id)
      );
      ${recordOf("drive_links")}
      create unique index drive_links_root on drive_links (organisation_id, entity_id, entity_type) where is_root;
      create index on drive_links (organisation_id, drive_file_id) where is_root;
      create index on drive_links (created_by_account_id);
      ${movesWhenCut("drive_links", "created_by_account_id")}

      -- Folders that are to be made for records, until each is there. A row that has failed stays until it is asked for again.
      create table drive_provisions (
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        created_at timestamptz not null default statement_timestamp(),
        ${RECORD},
        state text not null default 'waiting' check (state in ('waiting', 'failed')),
        attempts int not null default 0,
        due_at timestamptz not null default statement_timestamp(),
        -- The folder, from the moment it is known; what comes after it may still be missing.
        drive_file_id text,
        last_error text,
        unique (organisation_id, id),
        constraint drive_provisions_record unique (organisation_id, entity_id, entity_type)
      );
      ${recordOf("drive_provisions")}
      create index on drive_provisions (organisation_id, due_at) where state = 'waiting';

      -- What is made at the provider under a place of ours, by its place: who makes it, whether it was asked for, and what it became.
      create table drive_creations (
        organisation_id uuid not null references organisations (id),
        place text not null,
        holder uuid,
        held_until timestamptz not null,
        asked_at timestamptz,
        drive_file_id text,
        changed_at timestamptz not null default statement_timestamp(),
        primary key (organisation_id, place)
      );
      create index on drive_creations (organisation_id, changed_at);

      -- What the provider listed for a person less than a minute ago. Unlogged: names of private files are in no backup of the log.
      create unlogged table drive_listings (
        organisation_id uuid not null references organisations (id),
        account_id uuid not null,
        folder_id text not null,
        term text not null,
        content jsonb not null,
        read_at timestamptz not null default statement_timestamp(),
        primary key (organisation_id, account_id, folder_id, term),
        foreign key (organisation_id, account_id) references workspace_connections (organisation_id, account_id) on delete cascade
      );
      create index on drive_listings (organisation_id, read_at);
    `);
    for (const table of ["drive_links", "drive_provisions", "drive_creations", "drive_listings"])
      await sql(tenantTable(table, application));
  },
};

export default step;

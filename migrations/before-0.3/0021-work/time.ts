import { type StepContext, tenantTable } from "../../step.ts";

/** Hours: their types, entries, drafts of a day, and the weeks already reminded of. */
export async function timeTables({ sql, application }: StepContext): Promise<void> {
  await sql(`
    create table time_entry_types (
      id uuid primary key,
      organisation_id uuid not null references organisations (id),
      key text collate "C" not null check (key ~ '^[a-z0-9_]{1,50}$'),
      label_i18n jsonb not null default '{}',
      position int not null default 0,
      active boolean not null default true,
      version int not null default 1,
      created_at timestamptz not null default statement_timestamp(),
      updated_at timestamptz not null default statement_timestamp(),
      unique (organisation_id, id),
      constraint time_entry_types_key_key unique (organisation_id, key)
    );

    -- That an organisation once had types: those it starts with come once (work §4.1).
    create table time_entry_types_seeded (
      organisation_id uuid primary key references organisations (id),
      created_at timestamptz not null default statement_timestamp()
    );

    create table time_entries (
      id uuid primary key,
      organisation_id uuid not null references organisations (id),
      created_at timestamptz not null default statement_timestamp(),
      updated_at timestamptz not null default statement_timestamp(),
      version int not null default 1,
      -- No reference: hours stay when the account of who worked them goes.
      user_id uuid not null,
      started_at timestamptz not null,
      -- Null while the timer runs.
      ended_at timestamptz,
      minutes int not null default 0 check (minutes >= 0),
      break_minutes int not null default 0 check (break_minutes between 0 and 1440),
      billable boolean not null default true,
      company_id uuid,
      project_id uuid,
      task_id uuid,
      entry_type_key text collate "C",
      approved_at timestamptz,
      approved_by_user_id uuid,
      invoiced_at timestamptz,
      interaction_id uuid,
      subscription_id uuid,
      description text,
      unique (organisation_id, id),
      constraint time_entries_company_fkey foreign key (organisation_id, company_id) references companies (organisation_id, id)
        on delete set null (company_id),
      constraint time_entries_project_fkey foreign key (organisation_id, project_id) references projects (organisation_id, id)
        on delete set null (project_id),
      constraint time_entries_task_fkey foreign key (organisation_id, task_id) references tasks (organisation_id, id)
        on delete set null (task_id),
      constraint time_entries_type_fkey foreign key (organisation_id, entry_type_key) references time_entry_types (organisation_id, key),
      constraint time_entries_interaction_fkey foreign key (organisation_id, interaction_id)
        references interactions (organisation_id, id) on delete set null (interaction_id)
    );
    -- Of a person's timers at most one runs.
    create unique index time_entries_one_running on time_entries (organisation_id, user_id) where ended_at is null;
    create index time_entries_of_person on time_entries (organisation_id, user_id, started_at, id);
    -- With all that the sums of reports need, so that they read no row.
    create index time_entries_by_start on time_entries (organisation_id, started_at, id)
      include (user_id, company_id, minutes, billable, ended_at, approved_at, invoiced_at);
    create index time_entries_by_change on time_entries (organisation_id, updated_at);
    create index time_entries_of_company on time_entries (organisation_id, company_id, started_at, id)
      include (minutes, billable, ended_at) where company_id is not null;
    create index time_entries_of_project on time_entries (organisation_id, project_id, started_at, id)
      include (minutes, billable, approved_at, ended_at) where project_id is not null;
    create index time_entries_of_task on time_entries (organisation_id, task_id, started_at, id)
      include (minutes, billable, ended_at) where task_id is not null;
    create index time_entries_of_type on time_entries (organisation_id, entry_type_key) where entry_type_key is not null;
    create index time_entries_of_interaction on time_entries (organisation_id, interaction_id) where interaction_id is not null;

    create table time_drafts (
      organisation_id uuid not null references organisations (id),
      account_id uuid not null references accounts (id) on delete cascade,
      entry_date date not null,
      payload jsonb not null default '{}',
      version int not null default 1,
      updated_at timestamptz not null default statement_timestamp(),
      primary key (organisation_id, account_id, entry_date)
    );
    create index on time_drafts (account_id);
    create index on time_drafts (organisation_id, updated_at);

    -- Once per person and week (work §5).
    create table timesheet_reminders (
      organisation_id uuid not null references organisations (id),
      account_id uuid not null references accounts (id) on delete cascade,
      week_start date not null,
      created_at timestamptz not null default statement_timestamp(),
      primary key (organisation_id, account_id, week_start)
    );
    create index on timesheet_reminders (account_id);

    alter table task_schedules add constraint task_schedules_entry_fkey foreign key (organisation_id, time_entry_id)
      references time_entries (organisation_id, id) on delete set null (time_entry_id);
  `);
  for (const table of ["time_entry_types", "time_entry_types_seeded", "time_entries", "time_drafts", "timesheet_reminders"])
    await sql(tenantTable(table, application));
}

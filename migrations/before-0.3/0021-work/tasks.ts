import { filesOfRecord, type StepContext, searchIndexes, tenantTable } from "../../step.ts";

/** The columns that every row of an organisation has. */
const ROW = `id uuid primary key,
      organisation_id uuid not null references organisations (id),
      created_at timestamptz not null default statement_timestamp(),
      updated_at timestamptz not null default statement_timestamp(),
      version int not null default 1,
      unique (organisation_id, id)`;

/** A part of a task, which goes with it. */
const OF_TASK = `task_id uuid not null,
      foreign key (organisation_id, task_id) references tasks (organisation_id, id) on delete cascade`;

/** Statuses, labels, tasks with all their parts, templates, planned blocks, and the reminders sent. */
export async function taskTables({ sql, application }: StepContext): Promise<void> {
  await sql(`
    create table task_statuses (
      ${ROW},
      key text collate "C" not null check (key ~ '^[a-z0-9_]{1,50}$'),
      name text not null check (name <> ''),
      color text not null,
      position int not null default 0,
      is_terminal boolean not null default false,
      is_default boolean not null default false,
      requires_interaction boolean not null default false,
      constraint task_statuses_key_key unique (organisation_id, key)
    );
    create unique index task_statuses_one_default on task_statuses (organisation_id) where is_default;

    create table task_labels (
      ${ROW},
      name text not null check (name <> ''),
      color text not null,
      position int not null default 0,
      constraint task_labels_name_key unique (organisation_id, name)
    );

    create table task_checklist_templates (
      ${ROW},
      title text not null check (title <> ''),
      -- In order: \`[{title, description}]\`.
      items jsonb not null default '[]'
    );

    create table tasks (
      ${ROW},
      company_id uuid,
      project_id uuid,
      assignee_contact_id uuid,
      status text collate "C" not null,
      priority text not null default 'normal' check (priority in ('low', 'normal', 'high')),
      -- What an order by priority walks.
      priority_rank int not null generated always as (case priority when 'low' then 0 when 'normal' then 1 else 2 end) stored,
      due_date date,
      visible_to_client boolean not null default false,
      position double precision not null default 0,
      search_text text not null generated always as (lower(title collate "und-x-icu")) stored,
      title text not null check (title <> ''),
      unnamed boolean not null default false,
      allocated_minutes int check (allocated_minutes between 0 and 100000),
      completed_at timestamptz,
      requires_interaction boolean not null default false,
      -- Refers to interactions, which come with a table of their own (interactions.ts).
      closing_interaction_id uuid,
      recurrence jsonb,
      recurrence_next_run date,
      ai_status text check (ai_status in ('queued', 'running', 'done', 'skipped', 'failed')),
      -- Since when it has been so: a run that is stuck is failed (work §3.11).
      ai_status_at timestamptz,
      description text,
      constraint tasks_company_fkey foreign key (organisation_id, company_id) references companies (organisation_id, id)
        on delete set null (company_id),
      constraint tasks_project_fkey foreign key (organisation_id, project_id) references projects (organisation_id, id)
        on delete set null (project_id),
      constraint tasks_contact_fkey foreign key (organisation_id, assignee_contact_id) references contacts (organisation_id, id)
        on delete set null (assignee_contact_id),
      constraint tasks_status_fkey foreign key (organisation_id, status) references task_statuses (organisation_id, key)
    );
    create index tasks_by_position on tasks (organisation_id, position, created_at, id);
    create index tasks_by_title on tasks (organisation_id, title collate kantoor_text, position, created_at, id);
    create index tasks_by_title_down on tasks (organisation_id, title collate kantoor_text desc, position, created_at, id);
    create index tasks_by_due_date on tasks (organisation_id, due_date, position, created_at, id);
    create index tasks_by_due_date_down on tasks (organisation_id, due_date desc nulls last, position, created_at, id);
    create index tasks_by_priority on tasks (organisation_id, priority_rank, position, created_at, id);
    create index tasks_by_priority_down on tasks (organisation_id, priority_rank desc, position, created_at, id);
    create index tasks_by_creation on tasks (organisation_id, created_at, position, id);
    create index tasks_by_change on tasks (organisation_id, updated_at, position, created_at, id);
    create index tasks_of_company on tasks (organisation_id, company_id, position, created_at, id);
    create index tasks_of_project on tasks (organisation_id, project_id, position, created_at, id);
    create index tasks_of_contact on tasks (organisation_id, assignee_contact_id) where assignee_contact_id is not null;
    create index tasks_of_status on tasks (organisation_id, status, due_date);
    create index tasks_of_closing on tasks (organisation_id, closing_interaction_id) where closing_interaction_id is not null;
    create index tasks_to_recur on tasks (organisation_id, recurrence_next_run) where recurrence_next_run is not null;
    create index tasks_being_filled_in on tasks (organisation_id, ai_status_at) where ai_status in ('queued', 'running');
    ${searchIndexes("tasks", "position, created_at, id")}

    create table task_assignees (
      organisation_id uuid not null references organisations (id),
      account_id uuid not null references accounts (id) on delete cascade,
      is_primary boolean not null default false,
      position int generated always as identity,
      created_at timestamptz not null default statement_timestamp(),
      ${OF_TASK},
      primary key (organisation_id, task_id, account_id)
    );
    create unique index task_assignees_one_primary on task_assignees (organisation_id, task_id) where is_primary;
    create index on task_assignees (organisation_id, account_id, task_id);
    create index on task_assignees (account_id);

    create table task_label_links (
      organisation_id uuid not null references organisations (id),
      label_id uuid not null,
      ${OF_TASK},
      primary key (organisation_id, task_id, label_id),
      foreign key (organisation_id, label_id) references task_labels (organisation_id, id) on delete cascade
    );
    create index on task_label_links (organisation_id, label_id, task_id);

    create table task_links (
      ${ROW},
      url text not null,
      title text,
      ${OF_TASK}
    );
    create index task_links_of_task on task_links (organisation_id, task_id, created_at, id);

    create table task_checklists (
      ${ROW},
      title text not null check (title <> ''),
      description text,
      position int not null default 0,
      ${OF_TASK}
    );
    create index task_checklists_of_task on task_checklists (organisation_id, task_id, position, created_at, id);

    create table task_checklist_items (
      ${ROW},
      checklist_id uuid not null,
      title text not null check (title <> ''),
      description text,
      done boolean not null default false,
      position int not null default 0,
      foreign key (organisation_id, checklist_id) references task_checklists (organisation_id, id) on delete cascade
    );
    create index task_checklist_items_of_list on task_checklist_items (organisation_id, checklist_id, position, created_at, id);

    create table task_comments (
      ${ROW},
      -- The opener of the thread; null for the opener itself.
      parent_id uuid,
      -- No reference: what was said stays when the account goes, under the name that was kept with it (work §3.8).
      author_account_id uuid,
      author_service_account_id uuid,
      author_name text,
      impersonator_name text,
      body text not null check (body <> ''),
      mentioned_user_ids uuid[] not null default '{}',
      mentioned_contact_ids uuid[] not null default '{}',
      mentioned_task_ids uuid[] not null default '{}',
      edited_at timestamptz,
      ${OF_TASK},
      constraint task_comments_parent_fkey foreign key (organisation_id, parent_id) references task_comments (organisation_id, id)
        on delete cascade
    );
    create index task_comments_of_task on task_comments (organisation_id, task_id, created_at, id);
    create index task_comments_of_thread on task_comments (organisation_id, parent_id, created_at, id) where parent_id is not null;

    create table task_templates (
      ${ROW},
      name text not null check (name <> ''),
      trigger text not null default 'manual' check (trigger in ('manual', 'company_status')),
      trigger_status text,
      active boolean not null default true
    );
    create index task_templates_of_status on task_templates (organisation_id, trigger_status)
      where active and trigger = 'company_status';

    create table task_template_items (
      ${ROW},
      template_id uuid not null,
      position int not null default 0,
      title text not null check (title <> ''),
      description text,
      priority text not null default 'normal' check (priority in ('low', 'normal', 'high')),
      relative_due_days int check (relative_due_days between 0 and 365),
      allocated_minutes int check (allocated_minutes between 0 and 100000),
      assignee_user_id uuid references accounts (id) on delete set null,
      assign_responsible boolean not null default false,
      requires_interaction boolean not null default false,
      checklist_title text,
      checklist_items jsonb not null default '[]',
      foreign key (organisation_id, template_id) references task_templates (organisation_id, id) on delete cascade
    );
    create index task_template_items_of_template on task_template_items (organisation_id, template_id, position, id);
    create index on task_template_items (assignee_user_id) where assignee_user_id is not null;

    create table task_schedules (
      ${ROW},
      user_id uuid references accounts (id) on delete set null,
      starts_at timestamptz not null,
      ends_at timestamptz not null,
      note text,
      -- The entry it became; refers to time_entries (time.ts), whose deletion opens the block again.
      time_entry_id uuid,
      created_by_account_id uuid,
      created_by_name text,
      ${OF_TASK},
      check (ends_at > starts_at)
    );
    create index task_schedules_of_person on task_schedules (organisation_id, user_id, starts_at, id);
    create index task_schedules_by_start on task_schedules (organisation_id, starts_at, id);
    create index task_schedules_of_task on task_schedules (organisation_id, task_id, starts_at, id);
    create index task_schedules_of_entry on task_schedules (organisation_id, time_entry_id) where time_entry_id is not null;
    create index on task_schedules (user_id);

    create table task_calendar_tokens (
      ${ROW},
      membership_id uuid not null,
      token_hash bytea not null unique,
      constraint task_calendar_tokens_one unique (organisation_id, membership_id),
      foreign key (organisation_id, membership_id) references memberships (organisation_id, id) on delete cascade
    );

    -- Once per task, kind and due date: a moved due date may remind again (work §5).
    create table task_reminders (
      organisation_id uuid not null references organisations (id),
      kind text not null check (kind in ('overdue', 'due_soon')),
      due_date date not null,
      created_at timestamptz not null default statement_timestamp(),
      ${OF_TASK},
      primary key (organisation_id, task_id, kind, due_date)
    );
  `);
  for (const table of [
    "task_statuses",
    "task_labels",
    "task_checklist_templates",
    "tasks",
    "task_assignees",
    "task_label_links",
    "task_links",
    "task_checklists",
    "task_checklist_items",
    "task_comments",
    "task_templates",
    "task_template_items",
    "task_schedules",
    "task_calendar_tokens",
    "task_reminders",
  ])
    await sql(tenantTable(table, application));
  await sql(filesOfRecord("tasks", "task") + filesOfRecord("task_comments", "task_comment"));
}

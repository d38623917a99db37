import { filesOfRecord, type StepContext, searchIndexes, tenantTable } from "../../step.ts";

/** Contact moments: their kinds, the moments with their rosters of contacts, and messages that never come back. */
export async function interactionTables({ sql, application }: StepContext): Promise<void> {
  await sql(`
    create table interaction_kinds (
      id uuid primary key,
      organisation_id uuid not null references organisations (id),
      key text collate "C" not null check (key ~ '^[a-z0-9_]{1,50}$'),
      label_i18n jsonb not null default '{}',
      position int not null default 0,
      active boolean not null default true,
      is_protected boolean not null default false,
      version int not null default 1,
      created_at timestamptz not null default statement_timestamp(),
      updated_at timestamptz not null default statement_timestamp(),
      unique (organisation_id, id),
      constraint interaction_kinds_key_key unique (organisation_id, key)
    );

    create table interactions (
      id uuid primary key,
      organisation_id uuid not null references organisations (id),
      created_at timestamptz not null default statement_timestamp(),
      updated_at timestamptz not null default statement_timestamp(),
      version int not null default 1,
      kind text collate "C" not null,
      status text not null default 'logged' check (status in ('pending', 'logged')),
      source text not null default 'manual' check (source in ('manual', 'mail', 'upload')),
      direction text not null default 'none' check (direction in ('inbound', 'outbound', 'none')),
      occurred_at timestamptz not null,
      -- Whose mailbox it came from, or who wrote it down. No reference: what was said stays when the account goes.
      owner_account_id uuid,
      company_id uuid,
      project_id uuid,
      task_id uuid,
      -- The messages of one conversation share it; a row that stands alone has its own id there.
      conversation_id uuid not null,
      mail_thread_id text,
      message_id text,
      deep_link text,
      search_text text not null generated always as (
        lower(coalesce(subject, '') collate "und-x-icu") || E'\\x1f' || lower(coalesce(snippet, '') collate "und-x-icu") || E'\\x1f' ||
        lower(left(coalesce(body_text, ''), 4000) collate "und-x-icu")
      ) stored,
      subject text,
      snippet text,
      body_text text,
      body_markdown text,
      -- \`[{email, name, role, contact_id, user_id}]\`.
      participants jsonb not null default '[]',
      unique (organisation_id, id),
      constraint interactions_kind_fkey foreign key (organisation_id, kind) references interaction_kinds (organisation_id, key),
      constraint interactions_company_fkey foreign key (organisation_id, company_id) references companies (organisation_id, id)
        on delete set null (company_id),
      constraint interactions_project_fkey foreign key (organisation_id, project_id) references projects (organisation_id, id)
        on delete set null (project_id),
      constraint interactions_task_fkey foreign key (organisation_id, task_id) references tasks (organisation_id, id)
        on delete set null (task_id)
    );
    create index interactions_by_moment on interactions (organisation_id, occurred_at desc, id);
    create index interactions_by_change on interactions (organisation_id, updated_at, occurred_at desc, id);
    create index interactions_of_company on interactions (organisation_id, company_id, occurred_at desc, id);
    create index interactions_of_project on interactions (organisation_id, project_id, occurred_at desc, id);
    create index interactions_of_task on interactions (organisation_id, task_id, occurred_at desc, id);
    create index interactions_of_owner on interactions (organisation_id, owner_account_id, status, occurred_at desc, id);
    create index interactions_of_conversation on interactions (organisation_id, conversation_id, occurred_at desc, id);
    create index interactions_of_thread on interactions (organisation_id, mail_thread_id) where mail_thread_id is not null;
    create index interactions_of_message on interactions (organisation_id, message_id) where message_id is not null;
    create index interactions_of_kind on interactions (organisation_id, kind);
    ${searchIndexes("interactions", "occurred_at, id")}

    create table interaction_contacts (
      organisation_id uuid not null references organisations (id),
      interaction_id uuid not null,
      contact_id uuid not null,
      position int not null default 0,
      primary key (organisation_id, interaction_id, contact_id),
      foreign key (organisation_id, interaction_id) references interactions (organisation_id, id) on delete cascade,
      foreign key (organisation_id, contact_id) references contacts (organisation_id, id) on delete cascade
    );
    create index on interaction_contacts (organisation_id, contact_id);

    -- A message, or a whole thread, that its owner refused: it is not fetched again.
    create table interaction_suppressions (
      organisation_id uuid not null references organisations (id),
      owner_account_id uuid not null,
      kind text not null check (kind in ('message', 'thread')),
      value text not null,
      created_at timestamptz not null default statement_timestamp(),
      primary key (organisation_id, owner_account_id, kind, value)
    );

    alter table tasks add constraint tasks_closing_fkey foreign key (organisation_id, closing_interaction_id)
      references interactions (organisation_id, id) on delete set null (closing_interaction_id);
  `);
  for (const table of ["interaction_kinds", "interactions", "interaction_contacts", "interaction_suppressions"])
    await sql(tenantTable(table, application));
  await sql(filesOfRecord("interactions", "interaction"));
}

import { filesOfRecord, type StepContext, searchIndexes, tenantTable } from "../../step.ts";

/** Projects, their rosters, and the budget warnings sent. */
export async function projectTables({ sql, application }: StepContext): Promise<void> {
  await sql(`
    create table projects (
      id uuid primary key,
      organisation_id uuid not null references organisations (id),
      created_at timestamptz not null default statement_timestamp(),
      updated_at timestamptz not null default statement_timestamp(),
      version int not null default 1,
      -- Null only in rows whose client is gone (work §2.1).
      company_id uuid,
      status text not null default 'active' check (status in ('active', 'on_hold', 'completed', 'archived')),
      unnamed boolean not null default false,
      search_text text not null generated always as (lower(name collate "und-x-icu")) stored,
      name text not null check (name <> ''),
      description text,
      billable_default boolean not null default true,
      budget_period text not null default 'total' check (budget_period in ('total', 'monthly', 'weekly', 'daily')),
      budget_hours numeric(12, 2) check (budget_hours >= 0),
      budget_amount numeric(14, 2) check (budget_amount >= 0),
      currency text not null default 'EUR' check (length(currency) = 3),
      color text,
      start_date date,
      end_date date,
      custom jsonb not null default '{}',
      unique (organisation_id, id),
      constraint projects_company_fkey foreign key (organisation_id, company_id) references companies (organisation_id, id)
        on delete set null (company_id)
    );
    create index projects_by_name on projects (organisation_id, name collate kantoor_text, id);
    create index projects_by_status on projects (organisation_id, status collate kantoor_text, name collate kantoor_text, id);
    create index projects_by_status_down on projects (organisation_id, status collate kantoor_text desc, name collate kantoor_text, id);
    create index projects_by_creation on projects (organisation_id, created_at, name collate kantoor_text, id);
    create index projects_by_change on projects (organisation_id, updated_at, name collate kantoor_text, id);
    ${["start_date", "end_date", "budget_hours"]
      .map(
        (column) => `
    create index projects_by_${column} on projects (organisation_id, ${column}, name collate kantoor_text, id);
    create index projects_by_${column}_down on projects (organisation_id, ${column} desc nulls last, name collate kantoor_text, id);`,
      )
      .join("")}
    create index projects_of_company on projects (organisation_id, company_id, name collate kantoor_text, id);
    ${searchIndexes("projects", "name collate kantoor_text, id")}

    create table project_assignees (
      organisation_id uuid not null references organisations (id),
      project_id uuid not null,
      account_id uuid not null references accounts (id) on delete cascade,
      is_primary boolean not null default false,
      position int generated always as identity,
      created_at timestamptz not null default statement_timestamp(),
      primary key (organisation_id, project_id, account_id),
      foreign key (organisation_id, project_id) references projects (organisation_id, id) on delete cascade
    );
    create unique index project_assignees_one_primary on project_assignees (organisation_id, project_id) where is_primary;
    create index on project_assignees (organisation_id, account_id);
    create index on project_assignees (account_id);

    -- Once per threshold and period (work §5); \`total\` has one period, of the first day there is.
    create table project_budget_warnings (
      organisation_id uuid not null references organisations (id),
      project_id uuid not null,
      threshold int not null check (threshold in (75, 100)),
      period text not null,
      period_start date not null,
      created_at timestamptz not null default statement_timestamp(),
      primary key (organisation_id, project_id, threshold, period, period_start),
      foreign key (organisation_id, project_id) references projects (organisation_id, id) on delete cascade
    );
  `);
  for (const table of ["projects", "project_assignees", "project_budget_warnings"]) await sql(tenantTable(table, application));
  await sql(filesOfRecord("projects", "project"));
}

import { filesOfRecord, type StepContext, searchIndexes, tenantTable } from "../../step.ts";

/** Recurring agreements: their types and presets, lines, links and the history of their prices. */
export async function agreementTables({ sql, application }: StepContext): Promise<void> {
  await sql(`
    create table subscription_types (
      id uuid primary key,
      organisation_id uuid not null references organisations (id),
      created_at timestamptz not null default statement_timestamp(),
      updated_at timestamptz not null default statement_timestamp(),
      version int not null default 1,
      key text collate "C" not null check (key ~ '^[a-z0-9_]{1,50}$'),
      label_i18n jsonb not null default '{}',
      position int not null default 0,
      active boolean not null default true,
      unique (organisation_id, id),
      constraint subscription_types_key_key unique (organisation_id, key)
    );
    create index on subscription_types (organisation_id, position, key);
    create index on subscription_types (organisation_id, updated_at);

    -- The task templates that are applied when an agreement of the type is first active.
    create table subscription_type_task_templates (
      organisation_id uuid not null references organisations (id),
      subscription_type_id uuid not null,
      task_template_id uuid not null,
      position int not null,
      primary key (organisation_id, subscription_type_id, task_template_id),
      constraint subscription_type_task_templates_type_fkey foreign key (organisation_id, subscription_type_id)
        references subscription_types (organisation_id, id) on delete cascade,
      constraint subscription_type_task_templates_template_fkey foreign key (organisation_id, task_template_id)
        references task_templates (organisation_id, id) on delete cascade
    );
    create index on subscription_type_task_templates (organisation_id, task_template_id);

    create table subscription_templates (
      id uuid primary key,
      organisation_id uuid not null references organisations (id),
      created_at timestamptz not null default statement_timestamp(),
      updated_at timestamptz not null default statement_timestamp(),
      version int not null default 1,
      name text not null check (name <> ''),
      amount numeric(12, 2) not null default 0 check (amount >= 0),
      currency text not null default 'EUR' check (length(currency) = 3),
      interval text not null default 'monthly' check (interval in ('monthly', 'quarterly', 'yearly')),
      interval_count int not null default 1 check (interval_count between 1 and 12),
      included_hours numeric(10, 2) check (included_hours >= 0),
      rollover jsonb not null default '{"mode": "none", "expires_after_periods": null}',
      notice_period_days int check (notice_period_days between 0 and 365),
      subscription_type_id uuid,
      lines jsonb not null default '[]',
      active boolean not null default true,
      position int not null default 0,
      unique (organisation_id, id),
      constraint subscription_templates_type_fkey foreign key (organisation_id, subscription_type_id)
        references subscription_types (organisation_id, id) on delete set null (subscription_type_id)
    );
    create index on subscription_templates (organisation_id, position, name collate kantoor_text, id);
    create index on subscription_templates (organisation_id, updated_at);
    create index on subscription_templates (organisation_id, subscription_type_id) where subscription_type_id is not null;

    create table subscriptions (
      id uuid primary key,
      organisation_id uuid not null references organisations (id),
      created_at timestamptz not null default statement_timestamp(),
      updated_at timestamptz not null default statement_timestamp(),
      version int not null default 1,
      company_id uuid not null,
      name text not null check (name <> ''),
      search_text text not null generated always as (lower(name collate "und-x-icu")) stored,
      status text not null default 'active' check (status in ('draft', 'active', 'paused', 'cancelled')),
      start_date date not null,
      end_date date,
      currency text not null default 'EUR' check (length(currency) = 3),
      interval text not null default 'monthly' check (interval in ('monthly', 'quarterly', 'yearly')),
      interval_count int not null default 1 check (interval_count between 1 and 12),
      next_invoice_date date,
      -- Null follows the organisation.
      auto_invoice_mode text check (auto_invoice_mode in ('off', 'draft', 'issue', 'send')),
      included_hours numeric(10, 2) check (included_hours >= 0),
      rollover jsonb not null default '{"mode": "none", "expires_after_periods": null}',
      notice_period_days int check (notice_period_days between 0 and 365),
      subscription_type_id uuid,
      subscription_template_id uuid,
      lines jsonb not null default '[]',
      notes text,
      custom jsonb not null default '{}',
      -- Set once, when the agreement is first active (money §9).
      activated_at timestamptz,
      unique (organisation_id, id),
      constraint subscriptions_company_fkey foreign key (organisation_id, company_id) references companies (organisation_id, id)
        on delete cascade,
      constraint subscriptions_type_fkey foreign key (organisation_id, subscription_type_id)
        references subscription_types (organisation_id, id) on delete set null (subscription_type_id),
      constraint subscriptions_template_fkey foreign key (organisation_id, subscription_template_id)
        references subscription_templates (organisation_id, id) on delete set null (subscription_template_id)
    );
    create index subscriptions_by_name on subscriptions (organisation_id, name collate kantoor_text, id);
    create index subscriptions_of_company on subscriptions (organisation_id, company_id, name collate kantoor_text, id);
    create index subscriptions_by_status on subscriptions (organisation_id, status collate kantoor_text, name collate kantoor_text, id);
    create index subscriptions_by_status_down on subscriptions
      (organisation_id, status collate kantoor_text desc, name collate kantoor_text, id);
    ${["start_date", "created_at", "updated_at", "next_invoice_date"]
      .map(
        (column) => `
    create index subscriptions_by_${column} on subscriptions (organisation_id, ${column}, name collate kantoor_text, id);`,
      )
      .join("")}
    create index subscriptions_by_next_invoice_date_down on subscriptions
      (organisation_id, next_invoice_date desc nulls last, name collate kantoor_text, id);
    create index subscriptions_of_type on subscriptions (organisation_id, subscription_type_id) where subscription_type_id is not null;
    create index subscriptions_of_template on subscriptions (organisation_id, subscription_template_id)
      where subscription_template_id is not null;
    create index subscriptions_due on subscriptions (next_invoice_date, organisation_id) where status = 'active';
    ${searchIndexes("subscriptions", "name collate kantoor_text, id")}

    -- Append-only but for the row of one date, which a correction of that date replaces.
    create table subscription_prices (
      organisation_id uuid not null references organisations (id),
      subscription_id uuid not null,
      valid_from date not null,
      amount numeric(12, 2) not null check (amount >= 0),
      created_at timestamptz not null default statement_timestamp(),
      updated_at timestamptz not null default statement_timestamp(),
      primary key (organisation_id, subscription_id, valid_from),
      constraint subscription_prices_subscription_fkey foreign key (organisation_id, subscription_id)
        references subscriptions (organisation_id, id) on delete cascade
    );

    create table subscription_projects (
      organisation_id uuid not null references organisations (id),
      subscription_id uuid not null,
      project_id uuid not null,
      created_at timestamptz not null default statement_timestamp(),
      primary key (organisation_id, subscription_id, project_id),
      constraint subscription_projects_subscription_fkey foreign key (organisation_id, subscription_id)
        references subscriptions (organisation_id, id) on delete cascade,
      constraint subscription_projects_project_fkey foreign key (organisation_id, project_id)
        references projects (organisation_id, id) on delete cascade
    );
    create index on subscription_projects (organisation_id, project_id);

    create table subscription_tasks (
      organisation_id uuid not null references organisations (id),
      subscription_id uuid not null,
      task_id uuid not null,
      created_at timestamptz not null default statement_timestamp(),
      primary key (organisation_id, subscription_id, task_id),
      constraint subscription_tasks_subscription_fkey foreign key (organisation_id, subscription_id)
        references subscriptions (organisation_id, id) on delete cascade,
      constraint subscription_tasks_task_fkey foreign key (organisation_id, task_id)
        references tasks (organisation_id, id) on delete cascade
    );
    create index on subscription_tasks (organisation_id, task_id);
  `);
  for (const table of [
    "subscription_types",
    "subscription_type_task_templates",
    "subscription_templates",
    "subscriptions",
    "subscription_prices",
    "subscription_projects",
    "subscription_tasks",
  ])
    await sql(tenantTable(table, application));
  await sql(filesOfRecord("subscriptions", "subscription"));
}

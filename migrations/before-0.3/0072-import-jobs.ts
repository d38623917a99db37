import { filesOfRecord, type Step, tenantTable } from "../step.ts";

/**
 * Imports that are too long for one call run as jobs (conventions §22). The file is one of the row's and goes with it; `run` names the run that
 * may end it, so that of two nodes one alone does.
 */
const step: Step = {
  async up({ sql, application }) {
    await sql(`create table impex_jobs (
      id uuid primary key, organisation_id uuid not null references organisations (id),
      entity text not null, starter_id uuid not null, starter jsonb not null, options jsonb not null, dry_run boolean not null,
      file_id uuid not null, status text not null default 'queued' check (status in ('queued', 'running', 'done', 'failed')),
      run uuid, rows_done int not null default 0 check (rows_done >= 0), rows_total int not null check (rows_total >= rows_done),
      report jsonb, error jsonb, started_at timestamptz, ended_at timestamptz,
      version int not null default 1, created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
      unique (organisation_id, id));
      create index on impex_jobs (organisation_id, created_at);`);
    await sql(tenantTable("impex_jobs", application) + filesOfRecord("impex_jobs", "impex_job"));
  },
};
export default step;

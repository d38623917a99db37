-- Written by `npm run schema -- baseline` from the steps of the schema: the next run replaces it.

-- # tables
create table impex_jobs (
  id uuid not null,
  organisation_id uuid not null,
  entity text not null,
  starter_id uuid not null,
  starter jsonb not null,
  options jsonb not null,
  dry_run boolean not null,
  file_id uuid not null,
  status text default 'queued'::text not null,
  run uuid,
  rows_done integer default 0 not null,
  rows_total integer not null,
  report jsonb,
  error jsonb,
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  version integer default 1 not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint impex_jobs_check CHECK ((rows_total >= rows_done)),
  constraint impex_jobs_rows_done_check CHECK ((rows_done >= 0)),
  constraint impex_jobs_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'done'::text, 'failed'::text])))
);

-- # keys and indexes
alter table impex_jobs add constraint impex_jobs_pkey PRIMARY KEY (id);
alter table impex_jobs add constraint impex_jobs_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE INDEX impex_jobs_organisation_id_created_at_idx ON public.impex_jobs USING btree (organisation_id, created_at);

-- # triggers
CREATE TRIGGER files_gone AFTER DELETE ON public.impex_jobs FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION remove_files_of_record('impex_job');

-- # row-level security
alter table impex_jobs enable row level security, force row level security;
create policy owner on impex_jobs for all to current_user using (true) with check (true);
create policy tenant on impex_jobs for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));

-- # grants
grant delete, insert, select, update on impex_jobs to :application;

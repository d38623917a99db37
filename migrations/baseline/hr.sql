-- Written by `npm run schema -- baseline` from the steps of the schema: the next run replaces it.

-- # tables
create table hr_documents (
  id uuid not null,
  organisation_id uuid not null,
  user_id uuid not null,
  file_id uuid not null,
  category text not null,
  title text not null,
  note text,
  uploaded_by_name text,
  version integer default 1 not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  constraint hr_documents_category_check CHECK ((category = ANY (ARRAY['contract'::text, 'growth_plan'::text, 'bonus'::text, 'benefits'::text, 'cao'::text, 'other'::text]))),
  constraint hr_documents_note_check CHECK ((note <> ''::text)),
  constraint hr_documents_title_check CHECK ((title <> ''::text))
);

-- # keys and indexes
alter table hr_documents add constraint hr_documents_pkey PRIMARY KEY (id);
alter table hr_documents add constraint hr_documents_organisation_id_id_key UNIQUE (organisation_id, id);
alter table hr_documents add constraint hr_documents_organisation_id_file_id_key UNIQUE (organisation_id, file_id);
CREATE INDEX hr_documents_of_person ON public.hr_documents USING btree (organisation_id, user_id, created_at DESC, id DESC);

-- # row-level security
alter table hr_documents enable row level security, force row level security;
create policy owner on hr_documents for all to current_user using (true) with check (true);
create policy tenant on hr_documents for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));

-- # grants
grant delete, insert, select, update on hr_documents to :application;

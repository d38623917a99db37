-- Written by `npm run schema -- baseline` from the steps of the schema: the next run replaces it.

-- # functions
CREATE OR REPLACE FUNCTION public.copied_pictures(organisation uuid, look uuid, brand jsonb, template jsonb)
 RETURNS jsonb
 LANGUAGE sql
 SET search_path TO 'public'
AS $function$
        with shown as (
          select distinct f.id, f.content_id, f.name, f.type, gen_random_uuid() as copy from files f
            where f.organisation_id = organisation and f.entity_type = 'branding' and f.id::text in (
              lower(substring(brand ->> 'logo_url' from '/api/v1/files/([0-9A-Fa-f-]{36})/public$')),
              lower(template -> 'background' ->> 'file_id'), lower(template ->> 'qr_logo_file_id'))),
        copied as (
          insert into files (id, organisation_id, content_id, entity_type, entity_id, inline, name, type)
            select copy, organisation, content_id, 'issued_look', look, true, name, type from shown)
        select coalesce(jsonb_object_agg(id, copy), '{}') from shown
      $function$
;
CREATE OR REPLACE FUNCTION public.remove_files_of_record()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        delete from files where organisation_id = old.organisation_id and entity_id = old.id and entity_type = any(tg_argv);
        return null;
      end $function$
;
CREATE OR REPLACE FUNCTION public.touch_file_content()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        update file_contents c set touched_at = statement_timestamp()
         where (c.organisation_id, c.id) in (select organisation_id, content_id from gone);
        return null;
      end $function$
;

-- # tables
create table custom_field_definitions (
  id uuid not null,
  organisation_id uuid not null,
  entity_type text not null,
  key text collate "C" not null,
  data_type text default 'text'::text not null,
  label_i18n jsonb default '{}'::jsonb not null,
  required boolean default false not null,
  options_json jsonb default '[]'::jsonb not null,
  config_json jsonb default '{}'::jsonb not null,
  "position" integer default 0 not null,
  active boolean default true not null,
  version integer default 1 not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  constraint custom_field_definitions_data_type_check CHECK ((data_type = ANY (ARRAY['text'::text, 'long_text'::text, 'number'::text, 'boolean'::text, 'date'::text, 'datetime'::text, 'select'::text, 'multi_select'::text, 'email'::text, 'url'::text, 'phone'::text]))),
  constraint custom_field_definitions_entity_type_check CHECK ((entity_type <> ''::text)),
  constraint custom_field_definitions_key_check CHECK ((key <> ''::text))
);
create table file_contents (
  id uuid not null,
  organisation_id uuid not null,
  touched_at timestamp with time zone default statement_timestamp() not null,
  size bigint not null,
  backend text not null,
  sha256 bytea not null,
  constraint file_contents_backend_check CHECK ((backend = ANY (ARRAY['disk'::text, 's3'::text]))),
  constraint file_contents_sha256_check CHECK ((length(sha256) = 32)),
  constraint file_contents_size_check CHECK ((size >= 0))
);
create table files (
  id uuid not null,
  organisation_id uuid not null,
  content_id uuid not null,
  entity_id uuid not null,
  uploaded_by_account_id uuid,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  inline boolean default false not null,
  entity_type text not null,
  name text not null,
  type text not null,
  uploaded_by_name text,
  constraint files_entity_type_check CHECK ((entity_type ~ '^[a-z][a-z0-9_]{0,63}$'::text)),
  constraint files_name_check CHECK ((name <> ''::text))
);

-- # keys and indexes
alter table custom_field_definitions add constraint custom_field_definitions_pkey PRIMARY KEY (id);
alter table custom_field_definitions add constraint custom_field_definitions_organisation_id_id_key UNIQUE (organisation_id, id);
alter table custom_field_definitions add constraint custom_field_definitions_key UNIQUE (organisation_id, entity_type, key);
CREATE INDEX custom_field_definitions_in_order ON public.custom_field_definitions USING btree (organisation_id, entity_type, "position", key);
alter table file_contents add constraint file_contents_pkey PRIMARY KEY (id);
alter table file_contents add constraint file_contents_organisation_id_id_key UNIQUE (organisation_id, id);
alter table file_contents add constraint file_contents_twin UNIQUE (organisation_id, backend, sha256);
CREATE INDEX file_contents_untouched ON public.file_contents USING btree (organisation_id, touched_at);
alter table files add constraint files_pkey PRIMARY KEY (id);
alter table files add constraint files_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE INDEX files_of_record ON public.files USING btree (organisation_id, entity_type, entity_id, created_at, id);
CREATE INDEX files_of_content ON public.files USING btree (organisation_id, content_id);
CREATE INDEX files_uploaded_by_account_id_idx ON public.files USING btree (uploaded_by_account_id);

-- # references
alter table files add constraint files_organisation_id_content_id_fkey FOREIGN KEY (organisation_id, content_id) REFERENCES file_contents(organisation_id, id);
alter table companies add constraint companies_logo FOREIGN KEY (organisation_id, logo_file_id) REFERENCES files(organisation_id, id) ON DELETE SET NULL (logo_file_id);
alter table hr_documents add constraint hr_documents_organisation_id_file_id_fkey FOREIGN KEY (organisation_id, file_id) REFERENCES files(organisation_id, id);
alter table report_templates add constraint report_templates_organisation_id_cover_image_file_id_fkey FOREIGN KEY (organisation_id, cover_image_file_id) REFERENCES files(organisation_id, id) ON DELETE SET NULL (cover_image_file_id);
alter table reports add constraint reports_organisation_id_pdf_file_id_fkey FOREIGN KEY (organisation_id, pdf_file_id) REFERENCES files(organisation_id, id) ON DELETE SET NULL (pdf_file_id);
alter table kept_documents add constraint kept_documents_organisation_id_file_id_fkey FOREIGN KEY (organisation_id, file_id) REFERENCES files(organisation_id, id);

-- # triggers
CREATE TRIGGER access_changed AFTER INSERT OR DELETE OR UPDATE ON public.custom_field_definitions FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION bump_access_of_row();
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.custom_field_definitions FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('custom_field');
CREATE TRIGGER content_left AFTER DELETE ON public.files REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION touch_file_content();
CREATE TRIGGER moved_by_deletion BEFORE UPDATE OF uploaded_by_account_id ON public.files FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((pg_trigger_depth() > 0) AND (new.version = old.version) AND ((old.uploaded_by_account_id IS NOT NULL) AND (new.uploaded_by_account_id IS NULL))))) EXECUTE FUNCTION moved_by_deletion();

-- # row-level security
alter table custom_field_definitions enable row level security, force row level security;
create policy owner on custom_field_definitions for all to current_user using (true) with check (true);
create policy tenant on custom_field_definitions for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table file_contents enable row level security, force row level security;
create policy owner on file_contents for all to current_user using (true) with check (true);
create policy tenant on file_contents for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table files enable row level security, force row level security;
create policy owner on files for all to current_user using (true) with check (true);
create policy tenant on files for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));

-- # grants
grant delete, insert, select, update on custom_field_definitions to :application;
grant delete, insert, select, update on file_contents to :application;
grant delete, insert, select, update on files to :application;
revoke all on function copied_pictures(uuid,uuid,jsonb,jsonb) from public;
grant execute on function copied_pictures(uuid,uuid,jsonb,jsonb) to :application;

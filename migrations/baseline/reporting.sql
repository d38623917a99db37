-- Written by `npm run schema -- baseline` from the steps of the schema: the next run replaces it.

-- # functions
CREATE OR REPLACE FUNCTION public.move_other_revisions()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public'
AS $function$
      declare
        moved reports := case tg_op when 'DELETE' then old else new end;
      begin
        if tg_op <> 'DELETE' and moved.published_at is not null then
          insert into gone_rows (organisation_id, entity_type, entity_id, reason, companies, for_clients)
            select o.organisation_id, 'report', o.id, 'left_view', array[o.company_id], true from reports o
              where o.organisation_id = moved.organisation_id and o.company_id = moved.company_id and o.audience = moved.audience
                and o.audience = 'client' and o.period_start = moved.period_start and o.revision < moved.revision and o.published_at is not null;
        else
          update reports o set version = o.version + 1, updated_at = statement_timestamp()
            where o.organisation_id = moved.organisation_id and o.company_id = moved.company_id and o.audience = moved.audience
              and o.audience = 'client' and o.period_start = moved.period_start and o.revision < moved.revision and o.published_at is not null;
        end if;
        return null;
      end $function$
;
CREATE OR REPLACE FUNCTION public.reports_searched()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      new.search_text := folded(concat_ws(E'\x1f', new.title, new.company_name, new.period_start, new.period_end));
      return new;
    end $function$
;

-- # tables
create table report_mails (
  id uuid not null,
  organisation_id uuid not null,
  version integer default 1 not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  report_id uuid not null,
  document_id uuid not null,
  address text not null,
  email text not null,
  name text,
  contact_id uuid,
  status text not null,
  reason text,
  sent_at timestamp with time zone,
  holder uuid not null,
  held_until timestamp with time zone not null,
  constraint report_mails_status_check CHECK ((status = ANY (ARRAY['sending'::text, 'sent'::text, 'bounced'::text, 'failed'::text, 'unknown'::text])))
);
create table report_profiles (
  id uuid not null,
  organisation_id uuid not null,
  version integer default 1 not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  company_id uuid not null,
  display_name text,
  tone_id uuid,
  template_id uuid,
  internal_template_id uuid,
  locale text,
  business_context text,
  goals text,
  seo_focus text,
  sea_focus text,
  key_services text,
  priority_pages text,
  conversion_goals text,
  scope_notes text,
  avoid_topics text,
  recipients jsonb default '[]'::jsonb not null,
  schedule jsonb default '{}'::jsonb not null,
  sections jsonb default '{}'::jsonb not null,
  internal_enabled boolean default true not null,
  active boolean default true not null
);
create table report_templates (
  id uuid not null,
  organisation_id uuid not null,
  version integer default 1 not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  name text collate kantoor_text not null,
  audience text default 'client'::text not null,
  design text default 'standard'::text not null,
  layout jsonb default '{"sections": []}'::jsonb not null,
  custom_html text,
  custom_css text,
  accent_color text,
  cover_image_file_id uuid,
  intro_text text,
  is_default boolean default false not null,
  constraint report_templates_audience_check CHECK ((audience = ANY (ARRAY['client'::text, 'internal'::text])))
);
create table report_tones (
  id uuid not null,
  organisation_id uuid not null,
  version integer default 1 not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  key text collate "C" not null,
  name text collate kantoor_text not null,
  description text,
  instructions text default ''::text not null,
  banned_phrases text[] default '{}'::text[] not null,
  preferred_phrases text[] default '{}'::text[] not null,
  is_default boolean default false not null,
  active boolean default true not null,
  "position" integer default 0 not null,
  constraint report_tones_key_check CHECK (((length(key) >= 1) AND (length(key) <= 64)))
);
create table report_turns (
  organisation_id uuid not null,
  report_id uuid not null,
  run_id uuid not null,
  began_at timestamp with time zone default statement_timestamp() not null,
  ended_at timestamp with time zone,
  narrative jsonb,
  warnings jsonb default '[]'::jsonb not null,
  constraint report_turns_check CHECK (((ended_at IS NULL) = (narrative IS NULL)))
);
create table reporting_settings (
  id uuid not null,
  organisation_id uuid not null,
  version integer default 1 not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  default_locale text default 'nl'::text not null,
  footer_text text,
  schedule jsonb default '{}'::jsonb not null
);
create table reports (
  id uuid not null,
  organisation_id uuid not null,
  version integer default 1 not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  company_id uuid,
  company_name text collate kantoor_text not null,
  audience text not null,
  status text default 'draft'::text not null,
  locale text not null,
  title text not null,
  period_start date not null,
  period_end date not null,
  compare_start date not null,
  compare_end date not null,
  template_id uuid,
  published_at timestamp with time zone,
  sent_at timestamp with time zone,
  sent_to jsonb default '[]'::jsonb not null,
  pdf_file_id uuid,
  generated_by uuid,
  generated_by_name text,
  sections jsonb default '[]'::jsonb not null,
  data_snapshot jsonb,
  look jsonb,
  narrative jsonb default '{}'::jsonb not null,
  edited_sections text[] default '{}'::text[] not null,
  warnings jsonb default '[]'::jsonb not null,
  gathered jsonb,
  run_id uuid,
  run_started_at timestamp with time zone,
  run_step text,
  status_before text,
  notified_run_id uuid,
  search_text text default ''::text not null,
  run_begun_at timestamp with time zone,
  revision integer default 1 not null,
  is_held boolean default false not null,
  constraint reports_audience_check CHECK ((audience = ANY (ARRAY['client'::text, 'internal'::text]))),
  constraint reports_check CHECK ((period_start <= period_end)),
  constraint reports_revision_check CHECK ((revision >= 1)),
  constraint reports_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'generating'::text, 'ready'::text, 'sent'::text, 'failed'::text])))
);

-- # keys and indexes
alter table report_mails add constraint report_mails_pkey PRIMARY KEY (id);
alter table report_mails add constraint report_mails_organisation_id_id_key UNIQUE (organisation_id, id);
alter table report_mails add constraint report_mails_one UNIQUE (organisation_id, report_id, document_id, address);
CREATE INDEX report_mails_organisation_id_contact_id_idx ON public.report_mails USING btree (organisation_id, contact_id) WHERE (contact_id IS NOT NULL);
alter table report_profiles add constraint report_profiles_pkey PRIMARY KEY (id);
alter table report_profiles add constraint report_profiles_organisation_id_id_key UNIQUE (organisation_id, id);
alter table report_profiles add constraint report_profiles_one UNIQUE (organisation_id, company_id);
CREATE INDEX report_profiles_organisation_id_tone_id_idx ON public.report_profiles USING btree (organisation_id, tone_id) WHERE (tone_id IS NOT NULL);
CREATE INDEX report_profiles_organisation_id_template_id_idx ON public.report_profiles USING btree (organisation_id, template_id) WHERE (template_id IS NOT NULL);
CREATE INDEX report_profiles_organisation_id_internal_template_id_idx ON public.report_profiles USING btree (organisation_id, internal_template_id) WHERE (internal_template_id IS NOT NULL);
alter table report_templates add constraint report_templates_pkey PRIMARY KEY (id);
alter table report_templates add constraint report_templates_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE UNIQUE INDEX report_templates_one_default ON public.report_templates USING btree (organisation_id, audience) WHERE is_default;
CREATE INDEX report_templates_organisation_id_cover_image_file_id_idx ON public.report_templates USING btree (organisation_id, cover_image_file_id) WHERE (cover_image_file_id IS NOT NULL);
alter table report_tones add constraint report_tones_pkey PRIMARY KEY (id);
alter table report_tones add constraint report_tones_organisation_id_id_key UNIQUE (organisation_id, id);
alter table report_tones add constraint report_tones_key UNIQUE (organisation_id, key);
CREATE UNIQUE INDEX report_tones_one_default ON public.report_tones USING btree (organisation_id) WHERE is_default;
alter table report_turns add constraint report_turns_pkey PRIMARY KEY (organisation_id, report_id, run_id);
alter table reporting_settings add constraint reporting_settings_pkey PRIMARY KEY (id);
alter table reporting_settings add constraint reporting_settings_organisation_id_id_key UNIQUE (organisation_id, id);
alter table reporting_settings add constraint reporting_settings_one UNIQUE (organisation_id);
alter table reports add constraint reports_pkey PRIMARY KEY (id);
alter table reports add constraint reports_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE INDEX reports_newest ON public.reports USING btree (organisation_id, period_start DESC, company_name, id);
CREATE INDEX reports_organisation_id_updated_at_idx ON public.reports USING btree (organisation_id, updated_at);
CREATE INDEX reports_organisation_id_template_id_idx ON public.reports USING btree (organisation_id, template_id) WHERE (template_id IS NOT NULL);
CREATE INDEX reports_organisation_id_pdf_file_id_idx ON public.reports USING btree (organisation_id, pdf_file_id) WHERE (pdf_file_id IS NOT NULL);
CREATE INDEX reports_running ON public.reports USING btree (run_started_at) WHERE (status = 'generating'::text);
CREATE INDEX reports_search ON public.reports USING gin (organisation_id, search_text gin_trgm_ops);
CREATE INDEX reports_walk ON public.reports USING btree (organisation_id, period_start DESC, company_name, id) INCLUDE (search_text) WHERE (octet_length(search_text) <= 1000);
CREATE INDEX reports_walk_long ON public.reports USING btree (organisation_id, period_start DESC, company_name, id) WHERE (octet_length(search_text) > 1000);
CREATE INDEX reports_look ON public.reports USING btree (organisation_id, SUBSTRING(uuid_send(id) FROM 14)) INCLUDE (id, search_text) WHERE ((get_byte(uuid_send(id), 13) < 4) AND (octet_length(search_text) <= 1000));
CREATE INDEX reports_look_long ON public.reports USING btree (organisation_id, SUBSTRING(uuid_send(id) FROM 14)) WHERE ((get_byte(uuid_send(id), 13) < 4) AND (octet_length(search_text) > 1000));
alter table reports add constraint reports_one UNIQUE (organisation_id, company_id, audience, period_start, revision);

-- # references
alter table report_profiles add constraint report_profiles_organisation_id_template_id_fkey FOREIGN KEY (organisation_id, template_id) REFERENCES report_templates(organisation_id, id) ON DELETE SET NULL (template_id);
alter table report_profiles add constraint report_profiles_organisation_id_internal_template_id_fkey FOREIGN KEY (organisation_id, internal_template_id) REFERENCES report_templates(organisation_id, id) ON DELETE SET NULL (internal_template_id);
alter table reports add constraint reports_organisation_id_template_id_fkey FOREIGN KEY (organisation_id, template_id) REFERENCES report_templates(organisation_id, id) ON DELETE SET NULL (template_id);
alter table report_profiles add constraint report_profiles_organisation_id_tone_id_fkey FOREIGN KEY (organisation_id, tone_id) REFERENCES report_tones(organisation_id, id) ON DELETE SET NULL (tone_id);
alter table report_turns add constraint report_turns_organisation_id_report_id_fkey FOREIGN KEY (organisation_id, report_id) REFERENCES reports(organisation_id, id) ON DELETE CASCADE;
alter table report_mails add constraint report_mails_organisation_id_report_id_fkey FOREIGN KEY (organisation_id, report_id) REFERENCES reports(organisation_id, id) ON DELETE CASCADE;

-- # triggers
CREATE TRIGGER moved_by_deletion BEFORE UPDATE OF contact_id ON public.report_mails FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((pg_trigger_depth() > 0) AND (new.version = old.version) AND (old.contact_id IS NOT NULL) AND (new.contact_id IS NULL)))) EXECUTE FUNCTION moved_by_deletion();
CREATE TRIGGER moved_by_deletion BEFORE UPDATE OF tone_id, template_id, internal_template_id ON public.report_profiles FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((pg_trigger_depth() > 0) AND (new.version = old.version) AND (((old.tone_id IS NOT NULL) AND (new.tone_id IS NULL)) OR ((old.template_id IS NOT NULL) AND (new.template_id IS NULL)) OR ((old.internal_template_id IS NOT NULL) AND (new.internal_template_id IS NULL)))))) EXECUTE FUNCTION moved_by_deletion();
CREATE TRIGGER moved_by_deletion BEFORE UPDATE OF cover_image_file_id ON public.report_templates FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((pg_trigger_depth() > 0) AND (new.version = old.version) AND (old.cover_image_file_id IS NOT NULL) AND (new.cover_image_file_id IS NULL)))) EXECUTE FUNCTION moved_by_deletion();
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.report_templates FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('report_template');
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.report_tones FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('report_tone');
CREATE TRIGGER files_gone AFTER DELETE ON public.reports FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION remove_files_of_record('report', 'internal_report');
CREATE TRIGGER moved_by_deletion BEFORE UPDATE OF company_id, template_id, pdf_file_id ON public.reports FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((pg_trigger_depth() > 0) AND (new.version = old.version) AND (((old.company_id IS NOT NULL) AND (new.company_id IS NULL)) OR ((old.template_id IS NOT NULL) AND (new.template_id IS NULL)) OR ((old.pdf_file_id IS NOT NULL) AND (new.pdf_file_id IS NULL)))))) EXECUTE FUNCTION moved_by_deletion();
CREATE TRIGGER moved_revisions AFTER UPDATE OF published_at ON public.reports FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((old.published_at IS NULL) <> (new.published_at IS NULL)))) EXECUTE FUNCTION move_other_revisions();
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.reports FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('report');
CREATE TRIGGER noted_view AFTER UPDATE OF company_id, audience, published_at ON public.reports FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((old.company_id IS DISTINCT FROM new.company_id) OR (old.audience IS DISTINCT FROM new.audience) OR (old.published_at IS DISTINCT FROM new.published_at)))) EXECUTE FUNCTION note_left_view('report');
CREATE TRIGGER removed_revision AFTER DELETE ON public.reports FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (old.published_at IS NOT NULL))) EXECUTE FUNCTION move_other_revisions();
CREATE TRIGGER searched BEFORE INSERT OR UPDATE OF title, company_name, period_start, period_end ON public.reports FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION reports_searched();
alter table reports enable always trigger searched;

-- # row-level security
alter table report_mails enable row level security, force row level security;
create policy owner on report_mails for all to current_user using (true) with check (true);
create policy tenant on report_mails for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table report_profiles enable row level security, force row level security;
create policy owner on report_profiles for all to current_user using (true) with check (true);
create policy tenant on report_profiles for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table report_templates enable row level security, force row level security;
create policy owner on report_templates for all to current_user using (true) with check (true);
create policy tenant on report_templates for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table report_tones enable row level security, force row level security;
create policy owner on report_tones for all to current_user using (true) with check (true);
create policy tenant on report_tones for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table report_turns enable row level security, force row level security;
create policy owner on report_turns for all to current_user using (true) with check (true);
create policy tenant on report_turns for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table reporting_settings enable row level security, force row level security;
create policy owner on reporting_settings for all to current_user using (true) with check (true);
create policy tenant on reporting_settings for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table reports enable row level security, force row level security;
create policy owner on reports for all to current_user using (true) with check (true);
create policy tenant on reports for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));

-- # grants
grant delete, insert, select, update on report_mails to :application;
grant delete, insert, select, update on report_profiles to :application;
grant delete, insert, select, update on report_templates to :application;
grant delete, insert, select, update on report_tones to :application;
grant delete, insert, select, update on report_turns to :application;
grant delete, insert, select, update on reporting_settings to :application;
grant delete, insert, select, update on reports to :application;

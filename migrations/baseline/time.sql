-- Written by `npm run schema -- baseline` from the steps of the schema: the next run replaces it.

-- # functions
CREATE OR REPLACE FUNCTION public.note_given_day()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        perform set_config('app.day_given', new.id::text, true);
        return new;
      end $function$
;
CREATE OR REPLACE FUNCTION public.settle_moved_hours()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        if current_setting('app.day_given', true) is distinct from new.id::text then
          new.work_date := organisation_date(new.organisation_id, new.started_at);
        end if;
        return new;
      end $function$
;
CREATE OR REPLACE FUNCTION public.settle_new_hours()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        new.work_date := organisation_date(new.organisation_id, new.started_at);
        if new.project_id is null and new.task_id is not null then
          select t.project_id into new.project_id from tasks t where t.organisation_id = new.organisation_id and t.id = new.task_id;
        end if;
        if new.company_id is null then
          new.company_id := coalesce(
            (select p.company_id from projects p where p.organisation_id = new.organisation_id and p.id = new.project_id),
            (select t.company_id from tasks t where t.organisation_id = new.organisation_id and t.id = new.task_id));
        end if;
        return new;
      end $function$
;
CREATE OR REPLACE FUNCTION public.time_entries_counted()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      if tg_op = 'INSERT' then
        insert into public.count_changes (organisation_id, list, key, rows)
          select r.organisation_id, 'time_entries', r.user_id::text, count(*) from changed r group by 1, 3;
      else
        insert into public.count_changes (organisation_id, list, key, rows)
          select r.organisation_id, 'time_entries', r.user_id::text, -count(*) from changed r group by 1, 3;
      end if;
      return null;
    end $function$
;
CREATE OR REPLACE FUNCTION public.time_entries_recounted()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin

      insert into public.count_changes (organisation_id, list, key, rows)
        values (old.organisation_id, 'time_entries', old.user_id::text, -1);
      insert into public.count_changes (organisation_id, list, key, rows)
        values (new.organisation_id, 'time_entries', new.user_id::text, 1);
      return null;
    end $function$
;

-- # tables
create table time_drafts (
  organisation_id uuid not null,
  account_id uuid not null,
  entry_date date not null,
  payload jsonb default '{}'::jsonb not null,
  version integer default 1 not null,
  updated_at timestamp with time zone default statement_timestamp() not null
);
create table time_entries (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  user_id uuid not null,
  started_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  minutes integer default 0 not null,
  break_minutes integer default 0 not null,
  billable boolean default true not null,
  company_id uuid,
  project_id uuid,
  task_id uuid,
  entry_type_key text collate "C",
  approved_at timestamp with time zone,
  approved_by_user_id uuid,
  invoiced_at timestamp with time zone,
  interaction_id uuid,
  subscription_id uuid,
  description text,
  work_date date not null,
  constraint time_entries_break_minutes_check CHECK (((break_minutes >= 0) AND (break_minutes <= 1440))),
  constraint time_entries_minutes_check CHECK ((minutes >= 0))
);
create table time_entry_types (
  id uuid not null,
  organisation_id uuid not null,
  key text collate "C" not null,
  label_i18n jsonb default '{}'::jsonb not null,
  "position" integer default 0 not null,
  active boolean default true not null,
  version integer default 1 not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  constraint time_entry_types_key_check CHECK ((key ~ '^[a-z0-9_]{1,50}$'::text))
);
create table time_entry_types_seeded (
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null
);
create table timesheet_reminders (
  organisation_id uuid not null,
  account_id uuid not null,
  week_start date not null,
  created_at timestamp with time zone default statement_timestamp() not null
);

-- # keys and indexes
alter table time_drafts add constraint time_drafts_pkey PRIMARY KEY (organisation_id, account_id, entry_date);
CREATE INDEX time_drafts_account_id_idx ON public.time_drafts USING btree (account_id);
CREATE INDEX time_drafts_organisation_id_updated_at_idx ON public.time_drafts USING btree (organisation_id, updated_at);
alter table time_entries add constraint time_entries_pkey PRIMARY KEY (id);
alter table time_entries add constraint time_entries_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE UNIQUE INDEX time_entries_one_running ON public.time_entries USING btree (organisation_id, user_id) WHERE (ended_at IS NULL);
CREATE INDEX time_entries_of_person ON public.time_entries USING btree (organisation_id, user_id, started_at, id);
CREATE INDEX time_entries_by_change ON public.time_entries USING btree (organisation_id, updated_at);
CREATE INDEX time_entries_of_type ON public.time_entries USING btree (organisation_id, entry_type_key) WHERE (entry_type_key IS NOT NULL);
CREATE INDEX time_entries_of_interaction ON public.time_entries USING btree (organisation_id, interaction_id) WHERE (interaction_id IS NOT NULL);
CREATE INDEX time_entries_to_invoice ON public.time_entries USING btree (organisation_id, company_id, started_at, id) WHERE (billable AND (approved_at IS NOT NULL) AND (invoiced_at IS NULL) AND (ended_at IS NOT NULL) AND (minutes > 0));
CREATE INDEX time_entries_by_start ON public.time_entries USING btree (organisation_id, started_at, id) INCLUDE (work_date, user_id, company_id, minutes, billable, ended_at, approved_at, invoiced_at);
CREATE INDEX time_entries_of_company ON public.time_entries USING btree (organisation_id, company_id, started_at, id) INCLUDE (work_date, minutes, billable, ended_at) WHERE (company_id IS NOT NULL);
CREATE INDEX time_entries_of_project ON public.time_entries USING btree (organisation_id, project_id, started_at, id) INCLUDE (work_date, minutes, billable, approved_at, ended_at) WHERE (project_id IS NOT NULL);
CREATE INDEX time_entries_of_task ON public.time_entries USING btree (organisation_id, task_id, started_at, id) INCLUDE (work_date, minutes, billable, ended_at) WHERE (task_id IS NOT NULL);
CREATE INDEX time_entries_by_minutes ON public.time_entries USING btree (organisation_id, minutes, started_at DESC, id);
alter table time_entry_types add constraint time_entry_types_pkey PRIMARY KEY (id);
alter table time_entry_types add constraint time_entry_types_organisation_id_id_key UNIQUE (organisation_id, id);
alter table time_entry_types add constraint time_entry_types_key_key UNIQUE (organisation_id, key);
alter table time_entry_types_seeded add constraint time_entry_types_seeded_pkey PRIMARY KEY (organisation_id);
alter table timesheet_reminders add constraint timesheet_reminders_pkey PRIMARY KEY (organisation_id, account_id, week_start);
CREATE INDEX timesheet_reminders_account_id_idx ON public.timesheet_reminders USING btree (account_id);

-- # references
alter table task_schedules add constraint task_schedules_entry_fkey FOREIGN KEY (organisation_id, time_entry_id) REFERENCES time_entries(organisation_id, id) ON DELETE SET NULL (time_entry_id);
alter table time_entry_claims add constraint time_entry_claims_entry_fkey FOREIGN KEY (organisation_id, time_entry_id) REFERENCES time_entries(organisation_id, id) ON DELETE CASCADE;
alter table time_entries add constraint time_entries_type_fkey FOREIGN KEY (organisation_id, entry_type_key) REFERENCES time_entry_types(organisation_id, key);

-- # triggers
CREATE TRIGGER change_counted BEFORE UPDATE ON public.time_entries FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((new.version = old.version) AND (NOT (new.work_date IS DISTINCT FROM old.work_date))))) EXECUTE FUNCTION count_change_of_row();
CREATE TRIGGER counted AFTER INSERT ON public.time_entries REFERENCING NEW TABLE AS changed FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION time_entries_counted();
alter table time_entries enable always trigger counted;
CREATE TRIGGER emptied AFTER TRUNCATE ON public.time_entries FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION count_emptied();
alter table time_entries enable always trigger emptied;
CREATE TRIGGER moved_by_deletion BEFORE UPDATE OF company_id, interaction_id, project_id, task_id ON public.time_entries FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((pg_trigger_depth() > 0) AND (new.version = old.version) AND (((old.company_id IS NOT NULL) AND (new.company_id IS NULL)) OR ((old.interaction_id IS NOT NULL) AND (new.interaction_id IS NULL)) OR ((old.project_id IS NOT NULL) AND (new.project_id IS NULL)) OR ((old.task_id IS NOT NULL) AND (new.task_id IS NULL)))))) EXECUTE FUNCTION moved_by_deletion();
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.time_entries FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('time_entry');
CREATE TRIGGER noted_view AFTER UPDATE OF user_id, company_id, project_id, task_id ON public.time_entries FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((old.user_id IS DISTINCT FROM new.user_id) OR (old.company_id IS DISTINCT FROM new.company_id) OR (old.project_id IS DISTINCT FROM new.project_id) OR (old.task_id IS DISTINCT FROM new.task_id)))) EXECUTE FUNCTION note_left_view('time_entry');
CREATE TRIGGER recounted AFTER UPDATE ON public.time_entries FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (old.user_id IS DISTINCT FROM new.user_id))) EXECUTE FUNCTION time_entries_recounted();
alter table time_entries enable always trigger recounted;
CREATE TRIGGER time_entries_day_given BEFORE UPDATE OF work_date ON public.time_entries FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (new.started_at IS DISTINCT FROM old.started_at))) EXECUTE FUNCTION note_given_day();
CREATE TRIGGER time_entries_day_kept BEFORE UPDATE OF started_at ON public.time_entries FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (new.started_at IS DISTINCT FROM old.started_at))) EXECUTE FUNCTION settle_moved_hours();
CREATE TRIGGER time_entries_settled BEFORE INSERT ON public.time_entries FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (new.work_date IS NULL))) EXECUTE FUNCTION settle_new_hours();
CREATE TRIGGER uncounted AFTER DELETE ON public.time_entries REFERENCING OLD TABLE AS changed FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION time_entries_counted();
alter table time_entries enable always trigger uncounted;
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.time_entry_types FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('time_entry_type');

-- # row-level security
alter table time_drafts enable row level security, force row level security;
create policy owner on time_drafts for all to current_user using (true) with check (true);
create policy tenant on time_drafts for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table time_entries enable row level security, force row level security;
create policy owner on time_entries for all to current_user using (true) with check (true);
create policy tenant on time_entries for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table time_entry_types enable row level security, force row level security;
create policy owner on time_entry_types for all to current_user using (true) with check (true);
create policy tenant on time_entry_types for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table time_entry_types_seeded enable row level security, force row level security;
create policy owner on time_entry_types_seeded for all to current_user using (true) with check (true);
create policy tenant on time_entry_types_seeded for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table timesheet_reminders enable row level security, force row level security;
create policy owner on timesheet_reminders for all to current_user using (true) with check (true);
create policy tenant on timesheet_reminders for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));

-- # grants
grant delete, insert, select, update on time_drafts to :application;
grant delete, insert, select, update on time_entries to :application;
grant delete, insert, select, update on time_entry_types to :application;
grant delete, insert, select, update on time_entry_types_seeded to :application;
grant delete, insert, select, update on timesheet_reminders to :application;

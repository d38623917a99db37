-- Written by `npm run schema -- baseline` from the steps of the schema: the next run replaces it.

-- # functions
CREATE OR REPLACE FUNCTION public.move_below_project()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public'
AS $function$
      declare
        inherited constant jsonb := jsonb_build_object('company_id', old.company_id, 'project_id', null, 'task_id', null, 'inherited', true);
        below constant uuid[] := array(select t.id from tasks t
          where t.organisation_id = new.organisation_id and t.project_id = new.id and t.company_id is null);
      begin
        perform note_gone('task', to_jsonb(t) || inherited, 'left_view') from tasks t
          where t.organisation_id = new.organisation_id and t.id = any(below);
        update tasks t set version = t.version + 1, updated_at = statement_timestamp()
          where t.organisation_id = new.organisation_id and t.id = any(below);
        perform move_work_below(new.organisation_id, new.id, below, inherited);
        return null;
      end $function$
;
CREATE OR REPLACE FUNCTION public.projects_counted()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      if tg_op = 'INSERT' then
        insert into public.count_changes (organisation_id, list, key, rows)
          select r.organisation_id, 'projects', r.status, count(*) from changed r group by 1, 3;
      else
        insert into public.count_changes (organisation_id, list, key, rows)
          select r.organisation_id, 'projects', r.status, -count(*) from changed r group by 1, 3;
      end if;
      return null;
    end $function$
;
CREATE OR REPLACE FUNCTION public.projects_recounted()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin

      insert into public.count_changes (organisation_id, list, key, rows)
        values (old.organisation_id, 'projects', old.status, -1);
      insert into public.count_changes (organisation_id, list, key, rows)
        values (new.organisation_id, 'projects', new.status, 1);
      return null;
    end $function$
;
CREATE OR REPLACE FUNCTION public.projects_searched()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      new.search_text := folded(concat_ws(E'\x1f', new.name));
      return new;
    end $function$
;

-- # tables
create table project_assignees (
  organisation_id uuid not null,
  project_id uuid not null,
  account_id uuid not null,
  is_primary boolean default false not null,
  "position" integer generated always as identity not null,
  created_at timestamp with time zone default statement_timestamp() not null
);
create table project_budget_warnings (
  organisation_id uuid not null,
  project_id uuid not null,
  threshold integer not null,
  period text not null,
  period_start date not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  constraint project_budget_warnings_threshold_check CHECK ((threshold = ANY (ARRAY[75, 100])))
);
create table projects (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  company_id uuid,
  status text default 'active'::text not null,
  unnamed boolean default false not null,
  search_text text default ''::text not null,
  name text not null,
  description text,
  billable_default boolean default true not null,
  budget_period text default 'total'::text not null,
  budget_hours numeric(12,2),
  budget_amount numeric(14,2),
  currency text default 'EUR'::text not null,
  color text,
  start_date date,
  end_date date,
  custom jsonb default '{}'::jsonb not null,
  constraint projects_budget_amount_check CHECK ((budget_amount >= (0)::numeric)),
  constraint projects_budget_hours_check CHECK ((budget_hours >= (0)::numeric)),
  constraint projects_budget_period_check CHECK ((budget_period = ANY (ARRAY['total'::text, 'monthly'::text, 'weekly'::text, 'daily'::text]))),
  constraint projects_currency_check CHECK ((length(currency) = 3)),
  constraint projects_name_check CHECK ((name <> ''::text)),
  constraint projects_status_check CHECK ((status = ANY (ARRAY['active'::text, 'on_hold'::text, 'completed'::text, 'archived'::text])))
);

-- # keys and indexes
alter table project_assignees add constraint project_assignees_pkey PRIMARY KEY (organisation_id, project_id, account_id);
CREATE UNIQUE INDEX project_assignees_one_primary ON public.project_assignees USING btree (organisation_id, project_id) WHERE is_primary;
CREATE INDEX project_assignees_organisation_id_account_id_idx ON public.project_assignees USING btree (organisation_id, account_id);
CREATE INDEX project_assignees_of_account ON public.project_assignees USING hash (account_id);
alter table project_budget_warnings add constraint project_budget_warnings_pkey PRIMARY KEY (organisation_id, project_id, threshold, period, period_start);
alter table projects add constraint projects_pkey PRIMARY KEY (id);
alter table projects add constraint projects_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE INDEX projects_by_name ON public.projects USING btree (organisation_id, name COLLATE kantoor_text, id);
CREATE INDEX projects_by_status ON public.projects USING btree (organisation_id, status COLLATE kantoor_text, name COLLATE kantoor_text, id);
CREATE INDEX projects_by_status_down ON public.projects USING btree (organisation_id, status COLLATE kantoor_text DESC, name COLLATE kantoor_text, id);
CREATE INDEX projects_by_creation ON public.projects USING btree (organisation_id, created_at, name COLLATE kantoor_text, id);
CREATE INDEX projects_by_change ON public.projects USING btree (organisation_id, updated_at, name COLLATE kantoor_text, id);
CREATE INDEX projects_by_start_date ON public.projects USING btree (organisation_id, start_date, name COLLATE kantoor_text, id);
CREATE INDEX projects_by_start_date_down ON public.projects USING btree (organisation_id, start_date DESC NULLS LAST, name COLLATE kantoor_text, id);
CREATE INDEX projects_by_end_date ON public.projects USING btree (organisation_id, end_date, name COLLATE kantoor_text, id);
CREATE INDEX projects_by_end_date_down ON public.projects USING btree (organisation_id, end_date DESC NULLS LAST, name COLLATE kantoor_text, id);
CREATE INDEX projects_by_budget_hours ON public.projects USING btree (organisation_id, budget_hours, name COLLATE kantoor_text, id);
CREATE INDEX projects_by_budget_hours_down ON public.projects USING btree (organisation_id, budget_hours DESC NULLS LAST, name COLLATE kantoor_text, id);
CREATE INDEX projects_of_company ON public.projects USING btree (organisation_id, company_id, name COLLATE kantoor_text, id);
CREATE INDEX projects_search ON public.projects USING gin (organisation_id, search_text gin_trgm_ops);
CREATE INDEX projects_walk ON public.projects USING btree (organisation_id, name COLLATE kantoor_text, id) INCLUDE (search_text) WHERE (octet_length(search_text) <= 1000);
CREATE INDEX projects_walk_long ON public.projects USING btree (organisation_id, name COLLATE kantoor_text, id) WHERE (octet_length(search_text) > 1000);
CREATE INDEX projects_look ON public.projects USING btree (organisation_id, SUBSTRING(uuid_send(id) FROM 14)) INCLUDE (id, search_text) WHERE ((get_byte(uuid_send(id), 13) < 4) AND (octet_length(search_text) <= 1000));
CREATE INDEX projects_look_long ON public.projects USING btree (organisation_id, SUBSTRING(uuid_send(id) FROM 14)) WHERE ((get_byte(uuid_send(id), 13) < 4) AND (octet_length(search_text) > 1000));

-- # references
alter table project_assignees add constraint project_assignees_organisation_id_project_id_fkey FOREIGN KEY (organisation_id, project_id) REFERENCES projects(organisation_id, id) ON DELETE CASCADE;
alter table project_budget_warnings add constraint project_budget_warnings_organisation_id_project_id_fkey FOREIGN KEY (organisation_id, project_id) REFERENCES projects(organisation_id, id) ON DELETE CASCADE;
alter table tasks add constraint tasks_project_fkey FOREIGN KEY (organisation_id, project_id) REFERENCES projects(organisation_id, id) ON DELETE SET NULL (project_id);
alter table interactions add constraint interactions_project_fkey FOREIGN KEY (organisation_id, project_id) REFERENCES projects(organisation_id, id) ON DELETE SET NULL (project_id);
alter table time_entries add constraint time_entries_project_fkey FOREIGN KEY (organisation_id, project_id) REFERENCES projects(organisation_id, id) ON DELETE SET NULL (project_id);
alter table subscription_projects add constraint subscription_projects_project_fkey FOREIGN KEY (organisation_id, project_id) REFERENCES projects(organisation_id, id) ON DELETE CASCADE;
alter table drive_links add constraint drive_links_project_fkey FOREIGN KEY (organisation_id, project_id) REFERENCES projects(organisation_id, id) ON DELETE CASCADE;
alter table drive_provisions add constraint drive_provisions_project_fkey FOREIGN KEY (organisation_id, project_id) REFERENCES projects(organisation_id, id) ON DELETE CASCADE;

-- # triggers
CREATE TRIGGER link_lost_by_deletion AFTER DELETE ON public.project_assignees REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (pg_trigger_depth() > 0))) EXECUTE FUNCTION link_lost_by_deletion('projects', 'project_id');
CREATE TRIGGER change_counted BEFORE UPDATE ON public.projects FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (new.version = old.version))) EXECUTE FUNCTION count_change_of_row();
CREATE TRIGGER counted AFTER INSERT ON public.projects REFERENCING NEW TABLE AS changed FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION projects_counted();
alter table projects enable always trigger counted;
CREATE TRIGGER emptied AFTER TRUNCATE ON public.projects FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION count_emptied();
alter table projects enable always trigger emptied;
CREATE TRIGGER files_gone AFTER DELETE ON public.projects FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION remove_files_of_record('project');
CREATE TRIGGER moved_below AFTER UPDATE OF company_id ON public.projects FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (old.company_id IS DISTINCT FROM new.company_id))) EXECUTE FUNCTION move_below_project();
CREATE TRIGGER moved_by_deletion BEFORE UPDATE OF company_id ON public.projects FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((pg_trigger_depth() > 0) AND (new.version = old.version) AND ((old.company_id IS NOT NULL) AND (new.company_id IS NULL))))) EXECUTE FUNCTION moved_by_deletion();
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.projects FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('project');
CREATE TRIGGER noted_view AFTER UPDATE OF company_id ON public.projects FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (old.company_id IS DISTINCT FROM new.company_id))) EXECUTE FUNCTION note_left_view('project');
CREATE TRIGGER recounted AFTER UPDATE ON public.projects FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (old.status IS DISTINCT FROM new.status))) EXECUTE FUNCTION projects_recounted();
alter table projects enable always trigger recounted;
CREATE TRIGGER searched BEFORE INSERT OR UPDATE OF name ON public.projects FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION projects_searched();
alter table projects enable always trigger searched;
CREATE TRIGGER uncounted AFTER DELETE ON public.projects REFERENCING OLD TABLE AS changed FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION projects_counted();
alter table projects enable always trigger uncounted;

-- # row-level security
alter table project_assignees enable row level security, force row level security;
create policy owner on project_assignees for all to current_user using (true) with check (true);
create policy tenant on project_assignees for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table project_budget_warnings enable row level security, force row level security;
create policy owner on project_budget_warnings for all to current_user using (true) with check (true);
create policy tenant on project_budget_warnings for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table projects enable row level security, force row level security;
create policy owner on projects for all to current_user using (true) with check (true);
create policy tenant on projects for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));

-- # grants
grant delete, insert, select, update on project_assignees to :application;
grant delete, insert, select, update on project_budget_warnings to :application;
grant delete, insert, select, update on projects to :application;

-- Written by `npm run schema -- baseline` from the steps of the schema: the next run replaces it.

-- # functions
CREATE OR REPLACE FUNCTION public.bump_access_of_added_statuses()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public'
AS $function$
      begin
        perform bump_access(a.organisation_id) from (select distinct organisation_id from added) a
         where exists (select from task_statuses s where s.organisation_id = a.organisation_id and s.id not in (select n.id from added n));
        return null;
      end $function$
;
CREATE OR REPLACE FUNCTION public.move_below_task()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public'
AS $function$
      declare
        before constant uuid := client_of_work(old.organisation_id, old.company_id, old.project_id, null);
      begin
        if before is distinct from client_of_work(new.organisation_id, new.company_id, new.project_id, null) then
          perform move_work_below(new.organisation_id, null, array[new.id],
            jsonb_build_object('company_id', before, 'project_id', null, 'task_id', null, 'inherited', true));
        end if;
        return null;
      end $function$
;
CREATE OR REPLACE FUNCTION public.next_task_position(step integer)
 RETURNS double precision
 LANGUAGE plpgsql
 SET search_path TO 'public'
AS $function$
      declare fraction double precision := 0;
      begin
        if not pg_try_advisory_xact_lock(hashtextextended('task positions ' || current_organisation(), 0)) then
          fraction := trunc((random() * step / 2 * 1e6)::numeric) / 1e6;
        end if;
        return (select coalesce(max(position), 0) + step + fraction from tasks where organisation_id = current_organisation());
      end $function$
;
CREATE OR REPLACE FUNCTION public.tasks_counted()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      if tg_op = 'INSERT' then
        insert into public.count_changes (organisation_id, list, key, rows)
          select r.organisation_id, 'tasks', r.status, count(*) from changed r group by 1, 3;
      else
        insert into public.count_changes (organisation_id, list, key, rows)
          select r.organisation_id, 'tasks', r.status, -count(*) from changed r group by 1, 3;
      end if;
      return null;
    end $function$
;
CREATE OR REPLACE FUNCTION public.tasks_recounted()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin

      insert into public.count_changes (organisation_id, list, key, rows)
        values (old.organisation_id, 'tasks', old.status, -1);
      insert into public.count_changes (organisation_id, list, key, rows)
        values (new.organisation_id, 'tasks', new.status, 1);
      return null;
    end $function$
;
CREATE OR REPLACE FUNCTION public.tasks_searched()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      new.search_text := folded(concat_ws(E'\x1f', new.title));
      return new;
    end $function$
;

-- # tables
create table task_assignees (
  organisation_id uuid not null,
  account_id uuid not null,
  is_primary boolean default false not null,
  "position" integer generated always as identity not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  task_id uuid not null
);
create table task_blockers (
  organisation_id uuid not null,
  task_id uuid not null,
  blocker_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  constraint task_blockers_other_task CHECK ((task_id <> blocker_id))
);
create table task_calendar_tokens (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  membership_id uuid not null,
  token_hash bytea not null
);
create table task_checklist_items (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  checklist_id uuid not null,
  title text not null,
  description text,
  done boolean default false not null,
  "position" integer default 0 not null,
  constraint task_checklist_items_title_check CHECK ((title <> ''::text))
);
create table task_checklist_templates (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  title text not null,
  items jsonb default '[]'::jsonb not null,
  constraint task_checklist_templates_title_check CHECK ((title <> ''::text))
);
create table task_checklists (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  title text not null,
  description text,
  "position" integer default 0 not null,
  task_id uuid not null,
  constraint task_checklists_title_check CHECK ((title <> ''::text))
);
create table task_comments (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  parent_id uuid,
  author_account_id uuid,
  author_service_account_id uuid,
  author_name text,
  impersonator_name text,
  body text not null,
  mentioned_user_ids uuid[] default '{}'::uuid[] not null,
  mentioned_contact_ids uuid[] default '{}'::uuid[] not null,
  mentioned_task_ids uuid[] default '{}'::uuid[] not null,
  edited_at timestamp with time zone,
  task_id uuid not null,
  constraint task_comments_body_check CHECK ((body <> ''::text))
);
create table task_label_links (
  organisation_id uuid not null,
  label_id uuid not null,
  task_id uuid not null
);
create table task_labels (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  name text not null,
  color text not null,
  "position" integer default 0 not null,
  constraint task_labels_name_check CHECK ((name <> ''::text))
);
create table task_links (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  url text not null,
  title text,
  task_id uuid not null
);
create table task_reminders (
  organisation_id uuid not null,
  kind text not null,
  due_date date not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  task_id uuid not null,
  constraint task_reminders_kind_check CHECK ((kind = ANY (ARRAY['overdue'::text, 'due_soon'::text])))
);
create table task_schedules (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  user_id uuid,
  starts_at timestamp with time zone not null,
  ends_at timestamp with time zone not null,
  note text,
  time_entry_id uuid,
  created_by_account_id uuid,
  created_by_name text,
  task_id uuid not null,
  constraint task_schedules_check CHECK ((ends_at > starts_at))
);
create table task_statuses (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  key text collate "C" not null,
  name text not null,
  color text not null,
  "position" integer default 0 not null,
  is_terminal boolean default false not null,
  is_default boolean default false not null,
  requires_interaction boolean default false not null,
  constraint task_statuses_key_check CHECK ((key ~ '^[a-z0-9_]{1,50}$'::text)),
  constraint task_statuses_name_check CHECK ((name <> ''::text))
);
create table task_template_items (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  template_id uuid not null,
  "position" integer default 0 not null,
  title text not null,
  description text,
  priority text default 'normal'::text not null,
  relative_due_days integer,
  allocated_minutes integer,
  assignee_user_id uuid,
  assign_responsible boolean default false not null,
  requires_interaction boolean default false not null,
  checklist_title text,
  checklist_items jsonb default '[]'::jsonb not null,
  constraint task_template_items_allocated_minutes_check CHECK (((allocated_minutes >= 0) AND (allocated_minutes <= 100000))),
  constraint task_template_items_priority_check CHECK ((priority = ANY (ARRAY['low'::text, 'normal'::text, 'high'::text]))),
  constraint task_template_items_relative_due_days_check CHECK (((relative_due_days >= 0) AND (relative_due_days <= 365))),
  constraint task_template_items_title_check CHECK ((title <> ''::text))
);
create table task_templates (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  name text not null,
  trigger text default 'manual'::text not null,
  trigger_status text,
  active boolean default true not null,
  constraint task_templates_name_check CHECK ((name <> ''::text)),
  constraint task_templates_trigger_check CHECK ((trigger = ANY (ARRAY['manual'::text, 'company_status'::text])))
);
create table tasks (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  company_id uuid,
  project_id uuid,
  assignee_contact_id uuid,
  status text collate "C" not null,
  priority text default 'normal'::text not null,
  priority_rank integer generated always as (
CASE priority
    WHEN 'low'::text THEN 0
    WHEN 'normal'::text THEN 1
    ELSE 2
END) stored not null,
  due_date date,
  visible_to_client boolean default false not null,
  "position" double precision default 0 not null,
  search_text text default ''::text not null,
  title text not null,
  unnamed boolean default false not null,
  allocated_minutes integer,
  completed_at timestamp with time zone,
  requires_interaction boolean default false not null,
  closing_interaction_id uuid,
  recurrence jsonb,
  recurrence_next_run date,
  ai_status text,
  ai_status_at timestamp with time zone,
  description text,
  constraint tasks_ai_status_check CHECK ((ai_status = ANY (ARRAY['queued'::text, 'running'::text, 'done'::text, 'skipped'::text, 'failed'::text]))),
  constraint tasks_allocated_minutes_check CHECK (((allocated_minutes >= 0) AND (allocated_minutes <= 100000))),
  constraint tasks_priority_check CHECK ((priority = ANY (ARRAY['low'::text, 'normal'::text, 'high'::text]))),
  constraint tasks_title_check CHECK ((title <> ''::text))
);

-- # keys and indexes
alter table task_assignees add constraint task_assignees_pkey PRIMARY KEY (organisation_id, task_id, account_id);
CREATE UNIQUE INDEX task_assignees_one_primary ON public.task_assignees USING btree (organisation_id, task_id) WHERE is_primary;
CREATE INDEX task_assignees_of_account ON public.task_assignees USING hash (account_id);
CREATE INDEX task_assignees_of_person ON public.task_assignees USING btree (organisation_id, account_id, task_id) INCLUDE (is_primary);
alter table task_blockers add constraint task_blockers_pkey PRIMARY KEY (organisation_id, task_id, blocker_id);
CREATE INDEX task_blockers_organisation_id_blocker_id_task_id_idx ON public.task_blockers USING btree (organisation_id, blocker_id, task_id);
alter table task_calendar_tokens add constraint task_calendar_tokens_pkey PRIMARY KEY (id);
alter table task_calendar_tokens add constraint task_calendar_tokens_organisation_id_id_key UNIQUE (organisation_id, id);
alter table task_calendar_tokens add constraint task_calendar_tokens_token_hash_key UNIQUE (token_hash);
alter table task_calendar_tokens add constraint task_calendar_tokens_one UNIQUE (organisation_id, membership_id);
alter table task_checklist_items add constraint task_checklist_items_pkey PRIMARY KEY (id);
alter table task_checklist_items add constraint task_checklist_items_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE INDEX task_checklist_items_of_list ON public.task_checklist_items USING btree (organisation_id, checklist_id, "position", created_at, id);
alter table task_checklist_templates add constraint task_checklist_templates_pkey PRIMARY KEY (id);
alter table task_checklist_templates add constraint task_checklist_templates_organisation_id_id_key UNIQUE (organisation_id, id);
alter table task_checklists add constraint task_checklists_pkey PRIMARY KEY (id);
alter table task_checklists add constraint task_checklists_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE INDEX task_checklists_of_task ON public.task_checklists USING btree (organisation_id, task_id, "position", created_at, id);
alter table task_comments add constraint task_comments_pkey PRIMARY KEY (id);
alter table task_comments add constraint task_comments_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE INDEX task_comments_of_task ON public.task_comments USING btree (organisation_id, task_id, created_at, id);
CREATE INDEX task_comments_of_thread ON public.task_comments USING btree (organisation_id, parent_id, created_at, id) WHERE (parent_id IS NOT NULL);
alter table task_label_links add constraint task_label_links_pkey PRIMARY KEY (organisation_id, task_id, label_id);
CREATE INDEX task_label_links_organisation_id_label_id_task_id_idx ON public.task_label_links USING btree (organisation_id, label_id, task_id);
alter table task_labels add constraint task_labels_pkey PRIMARY KEY (id);
alter table task_labels add constraint task_labels_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE UNIQUE INDEX task_labels_name_key ON public.task_labels USING btree (organisation_id, lower((name COLLATE "und-x-icu")));
alter table task_links add constraint task_links_pkey PRIMARY KEY (id);
alter table task_links add constraint task_links_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE INDEX task_links_of_task ON public.task_links USING btree (organisation_id, task_id, created_at, id);
alter table task_reminders add constraint task_reminders_pkey PRIMARY KEY (organisation_id, task_id, kind, due_date);
alter table task_schedules add constraint task_schedules_pkey PRIMARY KEY (id);
alter table task_schedules add constraint task_schedules_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE INDEX task_schedules_of_person ON public.task_schedules USING btree (organisation_id, user_id, starts_at, id);
CREATE INDEX task_schedules_by_start ON public.task_schedules USING btree (organisation_id, starts_at, id);
CREATE INDEX task_schedules_of_task ON public.task_schedules USING btree (organisation_id, task_id, starts_at, id);
CREATE INDEX task_schedules_of_entry ON public.task_schedules USING btree (organisation_id, time_entry_id) WHERE (time_entry_id IS NOT NULL);
CREATE INDEX task_schedules_user_id_idx ON public.task_schedules USING btree (user_id);
alter table task_statuses add constraint task_statuses_pkey PRIMARY KEY (id);
alter table task_statuses add constraint task_statuses_organisation_id_id_key UNIQUE (organisation_id, id);
alter table task_statuses add constraint task_statuses_key_key UNIQUE (organisation_id, key);
CREATE UNIQUE INDEX task_statuses_one_default ON public.task_statuses USING btree (organisation_id) WHERE is_default;
alter table task_template_items add constraint task_template_items_pkey PRIMARY KEY (id);
alter table task_template_items add constraint task_template_items_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE INDEX task_template_items_of_template ON public.task_template_items USING btree (organisation_id, template_id, "position", id);
CREATE INDEX task_template_items_assignee_user_id_idx ON public.task_template_items USING btree (assignee_user_id) WHERE (assignee_user_id IS NOT NULL);
alter table task_templates add constraint task_templates_pkey PRIMARY KEY (id);
alter table task_templates add constraint task_templates_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE INDEX task_templates_of_status ON public.task_templates USING btree (organisation_id, trigger_status) WHERE (active AND (trigger = 'company_status'::text));
alter table tasks add constraint tasks_pkey PRIMARY KEY (id);
alter table tasks add constraint tasks_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE INDEX tasks_by_position ON public.tasks USING btree (organisation_id, "position", created_at, id);
CREATE INDEX tasks_by_title ON public.tasks USING btree (organisation_id, title COLLATE kantoor_text, "position", created_at, id);
CREATE INDEX tasks_by_title_down ON public.tasks USING btree (organisation_id, title COLLATE kantoor_text DESC, "position", created_at, id);
CREATE INDEX tasks_by_due_date ON public.tasks USING btree (organisation_id, due_date, "position", created_at, id);
CREATE INDEX tasks_by_due_date_down ON public.tasks USING btree (organisation_id, due_date DESC NULLS LAST, "position", created_at, id);
CREATE INDEX tasks_by_priority ON public.tasks USING btree (organisation_id, priority_rank, "position", created_at, id);
CREATE INDEX tasks_by_priority_down ON public.tasks USING btree (organisation_id, priority_rank DESC, "position", created_at, id);
CREATE INDEX tasks_by_creation ON public.tasks USING btree (organisation_id, created_at, "position", id);
CREATE INDEX tasks_by_change ON public.tasks USING btree (organisation_id, updated_at, "position", created_at, id);
CREATE INDEX tasks_of_company ON public.tasks USING btree (organisation_id, company_id, "position", created_at, id);
CREATE INDEX tasks_of_project ON public.tasks USING btree (organisation_id, project_id, "position", created_at, id);
CREATE INDEX tasks_of_contact ON public.tasks USING btree (organisation_id, assignee_contact_id) WHERE (assignee_contact_id IS NOT NULL);
CREATE INDEX tasks_of_closing ON public.tasks USING btree (organisation_id, closing_interaction_id) WHERE (closing_interaction_id IS NOT NULL);
CREATE INDEX tasks_to_recur ON public.tasks USING btree (organisation_id, recurrence_next_run) WHERE (recurrence_next_run IS NOT NULL);
CREATE INDEX tasks_being_filled_in ON public.tasks USING btree (organisation_id, ai_status_at) WHERE (ai_status = ANY (ARRAY['queued'::text, 'running'::text]));
CREATE INDEX tasks_search ON public.tasks USING gin (organisation_id, search_text gin_trgm_ops);
CREATE INDEX tasks_walk ON public.tasks USING btree (organisation_id, "position", created_at, id) INCLUDE (search_text) WHERE (octet_length(search_text) <= 1000);
CREATE INDEX tasks_walk_long ON public.tasks USING btree (organisation_id, "position", created_at, id) WHERE (octet_length(search_text) > 1000);
CREATE INDEX tasks_look ON public.tasks USING btree (organisation_id, SUBSTRING(uuid_send(id) FROM 14)) INCLUDE (id, search_text) WHERE ((get_byte(uuid_send(id), 13) < 4) AND (octet_length(search_text) <= 1000));
CREATE INDEX tasks_look_long ON public.tasks USING btree (organisation_id, SUBSTRING(uuid_send(id) FROM 14)) WHERE ((get_byte(uuid_send(id), 13) < 4) AND (octet_length(search_text) > 1000));
CREATE INDEX tasks_of_status_by_position ON public.tasks USING btree (organisation_id, status, "position", created_at, id);
CREATE INDEX tasks_of_status_by_due_date ON public.tasks USING btree (organisation_id, status, due_date) INCLUDE (project_id, company_id);

-- # references
alter table task_checklist_items add constraint task_checklist_items_organisation_id_checklist_id_fkey FOREIGN KEY (organisation_id, checklist_id) REFERENCES task_checklists(organisation_id, id) ON DELETE CASCADE;
alter table task_comments add constraint task_comments_parent_fkey FOREIGN KEY (organisation_id, parent_id) REFERENCES task_comments(organisation_id, id) ON DELETE CASCADE;
alter table task_label_links add constraint task_label_links_organisation_id_label_id_fkey FOREIGN KEY (organisation_id, label_id) REFERENCES task_labels(organisation_id, id) ON DELETE CASCADE;
alter table tasks add constraint tasks_status_fkey FOREIGN KEY (organisation_id, status) REFERENCES task_statuses(organisation_id, key);
alter table task_template_items add constraint task_template_items_organisation_id_template_id_fkey FOREIGN KEY (organisation_id, template_id) REFERENCES task_templates(organisation_id, id) ON DELETE CASCADE;
alter table subscription_type_task_templates add constraint subscription_type_task_templates_template_fkey FOREIGN KEY (organisation_id, task_template_id) REFERENCES task_templates(organisation_id, id) ON DELETE CASCADE;
alter table task_assignees add constraint task_assignees_organisation_id_task_id_fkey FOREIGN KEY (organisation_id, task_id) REFERENCES tasks(organisation_id, id) ON DELETE CASCADE;
alter table task_label_links add constraint task_label_links_organisation_id_task_id_fkey FOREIGN KEY (organisation_id, task_id) REFERENCES tasks(organisation_id, id) ON DELETE CASCADE;
alter table task_links add constraint task_links_organisation_id_task_id_fkey FOREIGN KEY (organisation_id, task_id) REFERENCES tasks(organisation_id, id) ON DELETE CASCADE;
alter table task_checklists add constraint task_checklists_organisation_id_task_id_fkey FOREIGN KEY (organisation_id, task_id) REFERENCES tasks(organisation_id, id) ON DELETE CASCADE;
alter table task_comments add constraint task_comments_organisation_id_task_id_fkey FOREIGN KEY (organisation_id, task_id) REFERENCES tasks(organisation_id, id) ON DELETE CASCADE;
alter table task_schedules add constraint task_schedules_organisation_id_task_id_fkey FOREIGN KEY (organisation_id, task_id) REFERENCES tasks(organisation_id, id) ON DELETE CASCADE;
alter table task_reminders add constraint task_reminders_organisation_id_task_id_fkey FOREIGN KEY (organisation_id, task_id) REFERENCES tasks(organisation_id, id) ON DELETE CASCADE;
alter table interactions add constraint interactions_task_fkey FOREIGN KEY (organisation_id, task_id) REFERENCES tasks(organisation_id, id) ON DELETE SET NULL (task_id);
alter table time_entries add constraint time_entries_task_fkey FOREIGN KEY (organisation_id, task_id) REFERENCES tasks(organisation_id, id) ON DELETE SET NULL (task_id);
alter table subscription_tasks add constraint subscription_tasks_task_fkey FOREIGN KEY (organisation_id, task_id) REFERENCES tasks(organisation_id, id) ON DELETE CASCADE;
alter table drive_links add constraint drive_links_task_fkey FOREIGN KEY (organisation_id, task_id) REFERENCES tasks(organisation_id, id) ON DELETE CASCADE;
alter table drive_provisions add constraint drive_provisions_task_fkey FOREIGN KEY (organisation_id, task_id) REFERENCES tasks(organisation_id, id) ON DELETE CASCADE;
alter table task_blockers add constraint task_blockers_organisation_id_task_id_fkey FOREIGN KEY (organisation_id, task_id) REFERENCES tasks(organisation_id, id) ON DELETE CASCADE;
alter table task_blockers add constraint task_blockers_organisation_id_blocker_id_fkey FOREIGN KEY (organisation_id, blocker_id) REFERENCES tasks(organisation_id, id) ON DELETE CASCADE;

-- # triggers
CREATE TRIGGER link_lost_by_deletion AFTER DELETE ON public.task_assignees REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (pg_trigger_depth() > 0))) EXECUTE FUNCTION link_lost_by_deletion('tasks', 'task_id');
CREATE TRIGGER link_lost_by_deletion AFTER DELETE ON public.task_blockers REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (pg_trigger_depth() > 0))) EXECUTE FUNCTION link_lost_by_deletion('tasks', 'task_id');
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.task_checklist_templates FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('checklist_template');
CREATE TRIGGER files_gone AFTER DELETE ON public.task_comments FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION remove_files_of_record('task_comment');
CREATE TRIGGER link_lost_by_deletion AFTER DELETE ON public.task_label_links REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (pg_trigger_depth() > 0))) EXECUTE FUNCTION link_lost_by_deletion('tasks', 'task_id');
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.task_labels FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('task_label');
CREATE TRIGGER change_counted BEFORE UPDATE ON public.task_schedules FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (new.version = old.version))) EXECUTE FUNCTION count_change_of_row();
CREATE TRIGGER moved_by_deletion BEFORE UPDATE OF time_entry_id, user_id ON public.task_schedules FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((pg_trigger_depth() > 0) AND (new.version = old.version) AND (((old.time_entry_id IS NOT NULL) AND (new.time_entry_id IS NULL)) OR ((old.user_id IS NOT NULL) AND (new.user_id IS NULL)))))) EXECUTE FUNCTION moved_by_deletion();
CREATE TRIGGER access_changed AFTER DELETE OR UPDATE OF key, "position", is_terminal, is_default, requires_interaction ON public.task_statuses FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION bump_access_of_row();
CREATE TRIGGER access_changed_by_added AFTER INSERT ON public.task_statuses REFERENCING NEW TABLE AS added FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION bump_access_of_added_statuses();
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.task_statuses FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('task_status');
CREATE TRIGGER moved_by_deletion BEFORE UPDATE OF assignee_user_id ON public.task_template_items FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((pg_trigger_depth() > 0) AND (new.version = old.version) AND ((old.assignee_user_id IS NOT NULL) AND (new.assignee_user_id IS NULL))))) EXECUTE FUNCTION moved_by_deletion();
CREATE TRIGGER access_changed AFTER INSERT OR DELETE OR UPDATE OF trigger, trigger_status, active ON public.task_templates FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION bump_access_of_row();
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.task_templates FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('task_template');
CREATE TRIGGER change_counted BEFORE UPDATE ON public.tasks FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (new.version = old.version))) EXECUTE FUNCTION count_change_of_row();
CREATE TRIGGER counted AFTER INSERT ON public.tasks REFERENCING NEW TABLE AS changed FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION tasks_counted();
alter table tasks enable always trigger counted;
CREATE TRIGGER emptied AFTER TRUNCATE ON public.tasks FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION count_emptied();
alter table tasks enable always trigger emptied;
CREATE TRIGGER files_gone AFTER DELETE ON public.tasks FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION remove_files_of_record('task');
CREATE TRIGGER moved_below AFTER UPDATE OF company_id, project_id ON public.tasks FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((old.company_id IS DISTINCT FROM new.company_id) OR (old.project_id IS DISTINCT FROM new.project_id)))) EXECUTE FUNCTION move_below_task();
CREATE TRIGGER moved_by_deletion BEFORE UPDATE OF assignee_contact_id, closing_interaction_id, company_id, project_id ON public.tasks FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((pg_trigger_depth() > 0) AND (new.version = old.version) AND (((old.assignee_contact_id IS NOT NULL) AND (new.assignee_contact_id IS NULL)) OR ((old.closing_interaction_id IS NOT NULL) AND (new.closing_interaction_id IS NULL)) OR ((old.company_id IS NOT NULL) AND (new.company_id IS NULL)) OR ((old.project_id IS NOT NULL) AND (new.project_id IS NULL)))))) EXECUTE FUNCTION moved_by_deletion();
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.tasks FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('task');
CREATE TRIGGER noted_view AFTER UPDATE OF company_id, project_id, visible_to_client ON public.tasks FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((old.company_id IS DISTINCT FROM new.company_id) OR (old.project_id IS DISTINCT FROM new.project_id) OR (old.visible_to_client IS DISTINCT FROM new.visible_to_client)))) EXECUTE FUNCTION note_left_view('task');
CREATE TRIGGER recounted AFTER UPDATE ON public.tasks FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (old.status IS DISTINCT FROM new.status))) EXECUTE FUNCTION tasks_recounted();
alter table tasks enable always trigger recounted;
CREATE TRIGGER searched BEFORE INSERT OR UPDATE OF title ON public.tasks FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION tasks_searched();
alter table tasks enable always trigger searched;
CREATE TRIGGER uncounted AFTER DELETE ON public.tasks REFERENCING OLD TABLE AS changed FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION tasks_counted();
alter table tasks enable always trigger uncounted;

-- # row-level security
alter table task_assignees enable row level security, force row level security;
create policy owner on task_assignees for all to current_user using (true) with check (true);
create policy tenant on task_assignees for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table task_blockers enable row level security, force row level security;
create policy owner on task_blockers for all to current_user using (true) with check (true);
create policy tenant on task_blockers for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table task_calendar_tokens enable row level security, force row level security;
create policy owner on task_calendar_tokens for all to current_user using (true) with check (true);
create policy tenant on task_calendar_tokens for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table task_checklist_items enable row level security, force row level security;
create policy owner on task_checklist_items for all to current_user using (true) with check (true);
create policy tenant on task_checklist_items for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table task_checklist_templates enable row level security, force row level security;
create policy owner on task_checklist_templates for all to current_user using (true) with check (true);
create policy tenant on task_checklist_templates for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table task_checklists enable row level security, force row level security;
create policy owner on task_checklists for all to current_user using (true) with check (true);
create policy tenant on task_checklists for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table task_comments enable row level security, force row level security;
create policy owner on task_comments for all to current_user using (true) with check (true);
create policy tenant on task_comments for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table task_label_links enable row level security, force row level security;
create policy owner on task_label_links for all to current_user using (true) with check (true);
create policy tenant on task_label_links for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table task_labels enable row level security, force row level security;
create policy owner on task_labels for all to current_user using (true) with check (true);
create policy tenant on task_labels for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table task_links enable row level security, force row level security;
create policy owner on task_links for all to current_user using (true) with check (true);
create policy tenant on task_links for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table task_reminders enable row level security, force row level security;
create policy owner on task_reminders for all to current_user using (true) with check (true);
create policy tenant on task_reminders for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table task_schedules enable row level security, force row level security;
create policy owner on task_schedules for all to current_user using (true) with check (true);
create policy tenant on task_schedules for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table task_statuses enable row level security, force row level security;
create policy owner on task_statuses for all to current_user using (true) with check (true);
create policy tenant on task_statuses for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table task_template_items enable row level security, force row level security;
create policy owner on task_template_items for all to current_user using (true) with check (true);
create policy tenant on task_template_items for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table task_templates enable row level security, force row level security;
create policy owner on task_templates for all to current_user using (true) with check (true);
create policy tenant on task_templates for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table tasks enable row level security, force row level security;
create policy owner on tasks for all to current_user using (true) with check (true);
create policy tenant on tasks for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));

-- # grants
grant delete, insert, select, update on task_assignees to :application;
grant delete, insert, select, update on task_blockers to :application;
grant delete, insert, select, update on task_calendar_tokens to :application;
grant delete, insert, select, update on task_checklist_items to :application;
grant delete, insert, select, update on task_checklist_templates to :application;
grant delete, insert, select, update on task_checklists to :application;
grant delete, insert, select, update on task_comments to :application;
grant delete, insert, select, update on task_label_links to :application;
grant delete, insert, select, update on task_labels to :application;
grant delete, insert, select, update on task_links to :application;
grant delete, insert, select, update on task_reminders to :application;
grant delete, insert, select, update on task_schedules to :application;
grant delete, insert, select, update on task_statuses to :application;
grant delete, insert, select, update on task_template_items to :application;
grant delete, insert, select, update on task_templates to :application;
grant delete, insert, select, update on tasks to :application;

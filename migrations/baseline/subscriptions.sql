-- Written by `npm run schema -- baseline` from the steps of the schema: the next run replaces it.

-- # functions
CREATE OR REPLACE FUNCTION public.subscriptions_counted()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      if tg_op = 'INSERT' then
        insert into public.count_changes (organisation_id, list, key, rows)
          select r.organisation_id, 'subscriptions', r.status, count(*) from changed r group by 1, 3;
      else
        insert into public.count_changes (organisation_id, list, key, rows)
          select r.organisation_id, 'subscriptions', r.status, -count(*) from changed r group by 1, 3;
      end if;
      return null;
    end $function$
;
CREATE OR REPLACE FUNCTION public.subscriptions_recounted()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin

      insert into public.count_changes (organisation_id, list, key, rows)
        values (old.organisation_id, 'subscriptions', old.status, -1);
      insert into public.count_changes (organisation_id, list, key, rows)
        values (new.organisation_id, 'subscriptions', new.status, 1);
      return null;
    end $function$
;
CREATE OR REPLACE FUNCTION public.subscriptions_searched()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      new.search_text := folded(concat_ws(E'\x1f', new.name));
      return new;
    end $function$
;

-- # tables
create table subscription_prices (
  organisation_id uuid not null,
  subscription_id uuid not null,
  valid_from date not null,
  amount numeric(12,2) not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  increased_from numeric(12,2),
  constraint subscription_prices_amount_check CHECK ((amount >= (0)::numeric))
);
create table subscription_projects (
  organisation_id uuid not null,
  subscription_id uuid not null,
  project_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null
);
create table subscription_tasks (
  organisation_id uuid not null,
  subscription_id uuid not null,
  task_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null
);
create table subscription_templates (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  name text not null,
  amount numeric(12,2) default 0 not null,
  currency text default 'EUR'::text not null,
  "interval" text default 'monthly'::text not null,
  interval_count integer default 1 not null,
  included_hours numeric(10,2),
  rollover jsonb default '{"mode": "none", "expires_after_periods": null}'::jsonb not null,
  notice_period_days integer,
  subscription_type_id uuid,
  lines jsonb default '[]'::jsonb not null,
  active boolean default true not null,
  "position" integer default 0 not null,
  increased_from numeric(12,2),
  increased_on date,
  constraint subscription_templates_amount_check CHECK ((amount >= (0)::numeric)),
  constraint subscription_templates_currency_check CHECK ((length(currency) = 3)),
  constraint subscription_templates_included_hours_check CHECK ((included_hours >= (0)::numeric)),
  constraint subscription_templates_interval_check CHECK (("interval" = ANY (ARRAY['monthly'::text, 'quarterly'::text, 'yearly'::text]))),
  constraint subscription_templates_interval_count_check CHECK (((interval_count >= 1) AND (interval_count <= 12))),
  constraint subscription_templates_name_check CHECK ((name <> ''::text)),
  constraint subscription_templates_notice_period_days_check CHECK (((notice_period_days >= 0) AND (notice_period_days <= 365)))
);
create table subscription_type_task_templates (
  organisation_id uuid not null,
  subscription_type_id uuid not null,
  task_template_id uuid not null,
  "position" integer not null
);
create table subscription_types (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  key text collate "C" not null,
  label_i18n jsonb default '{}'::jsonb not null,
  "position" integer default 0 not null,
  active boolean default true not null,
  constraint subscription_types_key_check CHECK ((key ~ '^[a-z0-9_]{1,50}$'::text))
);
create table subscriptions (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  company_id uuid not null,
  name text not null,
  search_text text default ''::text not null,
  status text default 'active'::text not null,
  start_date date not null,
  end_date date,
  currency text default 'EUR'::text not null,
  "interval" text default 'monthly'::text not null,
  interval_count integer default 1 not null,
  next_invoice_date date,
  auto_invoice_mode text,
  included_hours numeric(10,2),
  rollover jsonb default '{"mode": "none", "expires_after_periods": null}'::jsonb not null,
  notice_period_days integer,
  subscription_type_id uuid,
  subscription_template_id uuid,
  lines jsonb default '[]'::jsonb not null,
  notes text,
  custom jsonb default '{}'::jsonb not null,
  activated_at timestamp with time zone,
  anchor text,
  last_boundary date,
  constraint subscriptions_anchor_check CHECK ((anchor = 'month_end'::text)),
  constraint subscriptions_auto_invoice_mode_check CHECK ((auto_invoice_mode = ANY (ARRAY['off'::text, 'draft'::text, 'issue'::text, 'send'::text]))),
  constraint subscriptions_currency_check CHECK ((length(currency) = 3)),
  constraint subscriptions_included_hours_check CHECK ((included_hours >= (0)::numeric)),
  constraint subscriptions_interval_check CHECK (("interval" = ANY (ARRAY['monthly'::text, 'quarterly'::text, 'yearly'::text]))),
  constraint subscriptions_interval_count_check CHECK (((interval_count >= 1) AND (interval_count <= 12))),
  constraint subscriptions_name_check CHECK ((name <> ''::text)),
  constraint subscriptions_notice_period_days_check CHECK (((notice_period_days >= 0) AND (notice_period_days <= 365))),
  constraint subscriptions_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'active'::text, 'paused'::text, 'cancelled'::text])))
);

-- # keys and indexes
alter table subscription_prices add constraint subscription_prices_pkey PRIMARY KEY (organisation_id, subscription_id, valid_from);
alter table subscription_projects add constraint subscription_projects_pkey PRIMARY KEY (organisation_id, subscription_id, project_id);
CREATE INDEX subscription_projects_organisation_id_project_id_idx ON public.subscription_projects USING btree (organisation_id, project_id);
alter table subscription_tasks add constraint subscription_tasks_pkey PRIMARY KEY (organisation_id, subscription_id, task_id);
CREATE INDEX subscription_tasks_organisation_id_task_id_idx ON public.subscription_tasks USING btree (organisation_id, task_id);
alter table subscription_templates add constraint subscription_templates_pkey PRIMARY KEY (id);
alter table subscription_templates add constraint subscription_templates_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE INDEX subscription_templates_organisation_id_position_name_id_idx ON public.subscription_templates USING btree (organisation_id, "position", name COLLATE kantoor_text, id);
CREATE INDEX subscription_templates_organisation_id_updated_at_idx ON public.subscription_templates USING btree (organisation_id, updated_at);
CREATE INDEX subscription_templates_organisation_id_subscription_type_id_idx ON public.subscription_templates USING btree (organisation_id, subscription_type_id) WHERE (subscription_type_id IS NOT NULL);
alter table subscription_type_task_templates add constraint subscription_type_task_templates_pkey PRIMARY KEY (organisation_id, subscription_type_id, task_template_id);
CREATE INDEX subscription_type_task_templa_organisation_id_task_template_idx ON public.subscription_type_task_templates USING btree (organisation_id, task_template_id);
alter table subscription_types add constraint subscription_types_pkey PRIMARY KEY (id);
alter table subscription_types add constraint subscription_types_organisation_id_id_key UNIQUE (organisation_id, id);
alter table subscription_types add constraint subscription_types_key_key UNIQUE (organisation_id, key);
CREATE INDEX subscription_types_organisation_id_position_key_idx ON public.subscription_types USING btree (organisation_id, "position", key);
CREATE INDEX subscription_types_organisation_id_updated_at_idx ON public.subscription_types USING btree (organisation_id, updated_at);
alter table subscriptions add constraint subscriptions_pkey PRIMARY KEY (id);
alter table subscriptions add constraint subscriptions_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE INDEX subscriptions_by_name ON public.subscriptions USING btree (organisation_id, name COLLATE kantoor_text, id);
CREATE INDEX subscriptions_of_company ON public.subscriptions USING btree (organisation_id, company_id, name COLLATE kantoor_text, id);
CREATE INDEX subscriptions_by_status ON public.subscriptions USING btree (organisation_id, status COLLATE kantoor_text, name COLLATE kantoor_text, id);
CREATE INDEX subscriptions_by_status_down ON public.subscriptions USING btree (organisation_id, status COLLATE kantoor_text DESC, name COLLATE kantoor_text, id);
CREATE INDEX subscriptions_by_start_date ON public.subscriptions USING btree (organisation_id, start_date, name COLLATE kantoor_text, id);
CREATE INDEX subscriptions_by_created_at ON public.subscriptions USING btree (organisation_id, created_at, name COLLATE kantoor_text, id);
CREATE INDEX subscriptions_by_updated_at ON public.subscriptions USING btree (organisation_id, updated_at, name COLLATE kantoor_text, id);
CREATE INDEX subscriptions_by_next_invoice_date ON public.subscriptions USING btree (organisation_id, next_invoice_date, name COLLATE kantoor_text, id);
CREATE INDEX subscriptions_by_next_invoice_date_down ON public.subscriptions USING btree (organisation_id, next_invoice_date DESC NULLS LAST, name COLLATE kantoor_text, id);
CREATE INDEX subscriptions_of_type ON public.subscriptions USING btree (organisation_id, subscription_type_id) WHERE (subscription_type_id IS NOT NULL);
CREATE INDEX subscriptions_of_template ON public.subscriptions USING btree (organisation_id, subscription_template_id) WHERE (subscription_template_id IS NOT NULL);
CREATE INDEX subscriptions_due ON public.subscriptions USING btree (next_invoice_date, organisation_id) WHERE (status = 'active'::text);
CREATE INDEX subscriptions_search ON public.subscriptions USING gin (organisation_id, search_text gin_trgm_ops);
CREATE INDEX subscriptions_walk ON public.subscriptions USING btree (organisation_id, name COLLATE kantoor_text, id) INCLUDE (search_text) WHERE (octet_length(search_text) <= 1000);
CREATE INDEX subscriptions_walk_long ON public.subscriptions USING btree (organisation_id, name COLLATE kantoor_text, id) WHERE (octet_length(search_text) > 1000);
CREATE INDEX subscriptions_look ON public.subscriptions USING btree (organisation_id, SUBSTRING(uuid_send(id) FROM 14)) INCLUDE (id, search_text) WHERE ((get_byte(uuid_send(id), 13) < 4) AND (octet_length(search_text) <= 1000));
CREATE INDEX subscriptions_look_long ON public.subscriptions USING btree (organisation_id, SUBSTRING(uuid_send(id) FROM 14)) WHERE ((get_byte(uuid_send(id), 13) < 4) AND (octet_length(search_text) > 1000));
CREATE INDEX subscriptions_by_months ON public.subscriptions USING btree (organisation_id, ((
CASE "interval"
    WHEN 'monthly'::text THEN 1
    WHEN 'quarterly'::text THEN 3
    ELSE 12
END * interval_count)), name COLLATE kantoor_text, id);
CREATE INDEX subscriptions_by_months_down ON public.subscriptions USING btree (organisation_id, ((
CASE "interval"
    WHEN 'monthly'::text THEN 1
    WHEN 'quarterly'::text THEN 3
    ELSE 12
END * interval_count)) DESC, name COLLATE kantoor_text, id);

-- # references
alter table subscriptions add constraint subscriptions_template_fkey FOREIGN KEY (organisation_id, subscription_template_id) REFERENCES subscription_templates(organisation_id, id) ON DELETE SET NULL (subscription_template_id);
alter table subscription_type_task_templates add constraint subscription_type_task_templates_type_fkey FOREIGN KEY (organisation_id, subscription_type_id) REFERENCES subscription_types(organisation_id, id) ON DELETE CASCADE;
alter table subscription_templates add constraint subscription_templates_type_fkey FOREIGN KEY (organisation_id, subscription_type_id) REFERENCES subscription_types(organisation_id, id) ON DELETE SET NULL (subscription_type_id);
alter table subscriptions add constraint subscriptions_type_fkey FOREIGN KEY (organisation_id, subscription_type_id) REFERENCES subscription_types(organisation_id, id) ON DELETE SET NULL (subscription_type_id);
alter table subscription_prices add constraint subscription_prices_subscription_fkey FOREIGN KEY (organisation_id, subscription_id) REFERENCES subscriptions(organisation_id, id) ON DELETE CASCADE;
alter table subscription_projects add constraint subscription_projects_subscription_fkey FOREIGN KEY (organisation_id, subscription_id) REFERENCES subscriptions(organisation_id, id) ON DELETE CASCADE;
alter table subscription_tasks add constraint subscription_tasks_subscription_fkey FOREIGN KEY (organisation_id, subscription_id) REFERENCES subscriptions(organisation_id, id) ON DELETE CASCADE;
alter table invoices add constraint invoices_subscription_fkey FOREIGN KEY (organisation_id, subscription_id) REFERENCES subscriptions(organisation_id, id) ON DELETE SET NULL (subscription_id);

-- # triggers
CREATE TRIGGER link_lost_by_deletion AFTER DELETE ON public.subscription_projects REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (pg_trigger_depth() > 0))) EXECUTE FUNCTION link_lost_by_deletion('subscriptions', 'subscription_id');
CREATE TRIGGER link_lost_by_deletion AFTER DELETE ON public.subscription_tasks REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (pg_trigger_depth() > 0))) EXECUTE FUNCTION link_lost_by_deletion('subscriptions', 'subscription_id');
CREATE TRIGGER change_counted BEFORE UPDATE ON public.subscription_templates FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (new.version = old.version))) EXECUTE FUNCTION count_change_of_row();
CREATE TRIGGER moved_by_deletion BEFORE UPDATE OF subscription_type_id ON public.subscription_templates FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((pg_trigger_depth() > 0) AND (new.version = old.version) AND ((old.subscription_type_id IS NOT NULL) AND (new.subscription_type_id IS NULL))))) EXECUTE FUNCTION moved_by_deletion();
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.subscription_templates FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('subscription_template');
CREATE TRIGGER link_lost_by_deletion AFTER DELETE ON public.subscription_type_task_templates REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (pg_trigger_depth() > 0))) EXECUTE FUNCTION link_lost_by_deletion('subscription_types', 'subscription_type_id');
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.subscription_types FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('subscription_type');
CREATE TRIGGER change_counted BEFORE UPDATE ON public.subscriptions FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (new.version = old.version))) EXECUTE FUNCTION count_change_of_row();
CREATE TRIGGER counted AFTER INSERT ON public.subscriptions REFERENCING NEW TABLE AS changed FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION subscriptions_counted();
alter table subscriptions enable always trigger counted;
CREATE TRIGGER emptied AFTER TRUNCATE ON public.subscriptions FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION count_emptied();
alter table subscriptions enable always trigger emptied;
CREATE TRIGGER files_gone AFTER DELETE ON public.subscriptions FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION remove_files_of_record('subscription');
CREATE TRIGGER moved_by_deletion BEFORE UPDATE OF subscription_template_id, subscription_type_id ON public.subscriptions FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((pg_trigger_depth() > 0) AND (new.version = old.version) AND (((old.subscription_template_id IS NOT NULL) AND (new.subscription_template_id IS NULL)) OR ((old.subscription_type_id IS NOT NULL) AND (new.subscription_type_id IS NULL)))))) EXECUTE FUNCTION moved_by_deletion();
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.subscriptions FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('subscription');
CREATE TRIGGER noted_view AFTER UPDATE OF company_id ON public.subscriptions FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (old.company_id IS DISTINCT FROM new.company_id))) EXECUTE FUNCTION note_left_view('subscription');
CREATE TRIGGER recounted AFTER UPDATE ON public.subscriptions FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (old.status IS DISTINCT FROM new.status))) EXECUTE FUNCTION subscriptions_recounted();
alter table subscriptions enable always trigger recounted;
CREATE TRIGGER searched BEFORE INSERT OR UPDATE OF name ON public.subscriptions FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION subscriptions_searched();
alter table subscriptions enable always trigger searched;
CREATE TRIGGER uncounted AFTER DELETE ON public.subscriptions REFERENCING OLD TABLE AS changed FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION subscriptions_counted();
alter table subscriptions enable always trigger uncounted;

-- # row-level security
alter table subscription_prices enable row level security, force row level security;
create policy owner on subscription_prices for all to current_user using (true) with check (true);
create policy tenant on subscription_prices for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table subscription_projects enable row level security, force row level security;
create policy owner on subscription_projects for all to current_user using (true) with check (true);
create policy tenant on subscription_projects for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table subscription_tasks enable row level security, force row level security;
create policy owner on subscription_tasks for all to current_user using (true) with check (true);
create policy tenant on subscription_tasks for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table subscription_templates enable row level security, force row level security;
create policy owner on subscription_templates for all to current_user using (true) with check (true);
create policy tenant on subscription_templates for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table subscription_type_task_templates enable row level security, force row level security;
create policy owner on subscription_type_task_templates for all to current_user using (true) with check (true);
create policy tenant on subscription_type_task_templates for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table subscription_types enable row level security, force row level security;
create policy owner on subscription_types for all to current_user using (true) with check (true);
create policy tenant on subscription_types for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table subscriptions enable row level security, force row level security;
create policy owner on subscriptions for all to current_user using (true) with check (true);
create policy tenant on subscriptions for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));

-- # grants
grant delete, insert, select, update on subscription_prices to :application;
grant delete, insert, select, update on subscription_projects to :application;
grant delete, insert, select, update on subscription_tasks to :application;
grant delete, insert, select, update on subscription_templates to :application;
grant delete, insert, select, update on subscription_type_task_templates to :application;
grant delete, insert, select, update on subscription_types to :application;
grant delete, insert, select, update on subscriptions to :application;

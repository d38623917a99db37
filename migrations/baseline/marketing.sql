-- Written by `npm run schema -- baseline` from the steps of the schema: the next run replaces it.

-- # functions
CREATE OR REPLACE FUNCTION public.sum_marketing_months()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      declare
        organisations uuid[];
        links uuid[];
        months date[];
      begin
        if tg_op = 'INSERT' then
          select array_agg(t.organisation_id), array_agg(t.link_id), array_agg(t.month) into organisations, links, months
            from (select distinct d.organisation_id, d.link_id, date_trunc('month', d.day::timestamp)::date as month from added d) t;
        elsif tg_op = 'DELETE' then
          select array_agg(t.organisation_id), array_agg(t.link_id), array_agg(t.month) into organisations, links, months
            from (select distinct d.organisation_id, d.link_id, date_trunc('month', d.day::timestamp)::date as month from gone d) t;
        else
          -- A day that is stored again with the figures it had changes no sum.
          select array_agg(t.organisation_id), array_agg(t.link_id), array_agg(t.month) into organisations, links, months
            from (select distinct d.organisation_id, d.link_id, date_trunc('month', d.day::timestamp)::date as month
              from ((select w.organisation_id, w.link_id, w.day, w.source, w.metrics::text from gone w except all select w.organisation_id, w.link_id, w.day, w.source, w.metrics::text from added w) union all (select w.organisation_id, w.link_id, w.day, w.source, w.metrics::text from added w except all select w.organisation_id, w.link_id, w.day, w.source, w.metrics::text from gone w)) d) t;
        end if;
        if links is null then return null; end if;
        -- Of two transactions that store days of a link, the later one waits here and then sees the days of the earlier one.
        perform from marketing_links l where (l.organisation_id, l.id) in (select t.organisation_id, t.link_id from unnest(organisations, links, months) t (organisation_id, link_id, month))
          order by l.organisation_id, l.id for no key update;
        delete from marketing_months m using unnest(organisations, links, months) t (organisation_id, link_id, month)
          where m.organisation_id = t.organisation_id and m.link_id = t.link_id and m.month = t.month
            and not exists (select from marketing_days d where d.organisation_id = t.organisation_id and d.link_id = t.link_id and d.day >= t.month
      and d.day < (t.month + interval '1 month')::date);
        
    insert into marketing_months (organisation_id, link_id, month, sums, days, weighted, weights)
    select t.organisation_id, t.link_id, t.month, s.sums, s.days, s.weighted, s.weights
      from unnest(organisations, links, months) t (organisation_id, link_id, month)
      cross join lateral (
        select coalesce(jsonb_object_agg(f.metric, f.total) filter (where f.metric is not null), '{}') as sums,
            coalesce(jsonb_object_agg(f.metric, f.days) filter (where f.metric is not null), '{}') as days,
            coalesce(jsonb_object_agg(f.metric, f.weighted) filter (where f.weighted is not null), '{}') as weighted,
            coalesce(jsonb_object_agg(f.metric, f.weights) filter (where f.weights is not null), '{}') as weights
          from (
            select e.key as metric, sum(e.value::numeric) as total, count(e.value) as days, sum(e.value::numeric * w.value) as weighted,
                sum(w.value) as weights
              from marketing_days d
              left join lateral jsonb_each(case jsonb_typeof(d.metrics) when 'object' then d.metrics end) e
                on jsonb_typeof(e.value) = 'number'
              left join (values ('ga4', 'engagementRate', 'sessions'), ('gsc', 'ctr', 'impressions'), ('gsc', 'position', 'impressions'))
                k (source, metric, weight) on k.source = d.source and k.metric = e.key
              left join lateral (
                select case jsonb_typeof(d.metrics -> k.weight) when 'number' then (d.metrics -> k.weight)::numeric end as value) w on true
             where d.organisation_id = t.organisation_id and d.link_id = t.link_id and d.day >= t.month
      and d.day < (t.month + interval '1 month')::date
             group by e.key) f
        having count(*) > 0) s
    on conflict (organisation_id, link_id, month) do update
      set sums = excluded.sums, days = excluded.days, weighted = excluded.weighted, weights = excluded.weights;
        return null;
      end $function$
;

-- # tables
create table marketing_answers (
  organisation_id uuid not null,
  cache_key text collate "C" not null,
  answer jsonb not null,
  fetched_at timestamp with time zone default statement_timestamp() not null
);
create table marketing_company_settings (
  id uuid not null,
  organisation_id uuid not null,
  version integer default 1 not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  company_id uuid not null,
  show_key_events boolean default true not null,
  layout jsonb,
  compare text,
  rankings jsonb,
  report jsonb,
  constraint marketing_company_settings_compare_check CHECK ((compare = ANY (ARRAY['year'::text, 'previous'::text])))
);
create table marketing_days (
  organisation_id uuid not null,
  link_id uuid not null,
  company_id uuid not null,
  source text collate "C" not null,
  day date not null,
  metrics jsonb not null,
  channels jsonb,
  currency text,
  stored_at timestamp with time zone default statement_timestamp() not null
);
create table marketing_links (
  id uuid not null,
  organisation_id uuid not null,
  version integer default 1 not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  company_id uuid not null,
  website_id uuid,
  source text collate "C" not null,
  external_id text collate "C" not null,
  display_name text not null,
  config jsonb default '{}'::jsonb not null,
  active boolean default true not null,
  connection_id uuid,
  backfill_done boolean default false not null,
  backfilled_to date,
  last_synced_at timestamp with time zone,
  last_error text,
  paused_until timestamp with time zone,
  held_by uuid,
  held_until timestamp with time zone,
  read_days datemultirange default '{}'::datemultirange not null,
  constraint marketing_links_external_id_check CHECK (((length(external_id) >= 1) AND (length(external_id) <= 512)))
);
create table marketing_months (
  organisation_id uuid not null,
  link_id uuid not null,
  month date not null,
  sums jsonb not null,
  days jsonb not null,
  weighted jsonb not null,
  weights jsonb not null,
  constraint marketing_months_month_check CHECK ((EXTRACT(day FROM month) = (1)::numeric))
);
create table marketing_period_values (
  organisation_id uuid not null,
  link_id uuid not null,
  metric text collate "C" not null,
  start_on date not null,
  end_on date not null,
  value numeric not null,
  stored_at timestamp with time zone default statement_timestamp() not null
);
create table marketing_settings (
  id uuid not null,
  organisation_id uuid not null,
  version integer default 1 not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  ads_developer_token sealed,
  seranking_api_key sealed,
  default_compare text,
  rankings jsonb default '{}'::jsonb not null,
  report jsonb default '{}'::jsonb not null,
  constraint marketing_settings_default_compare_check CHECK ((default_compare = ANY (ARRAY['year'::text, 'previous'::text])))
);
create table marketing_website_credentials (
  id uuid not null,
  organisation_id uuid not null,
  version integer default 1 not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  website_id uuid not null,
  address text not null,
  username text not null,
  password sealed not null
);

-- # keys and indexes
alter table marketing_answers add constraint marketing_answers_pkey PRIMARY KEY (organisation_id, cache_key);
alter table marketing_company_settings add constraint marketing_company_settings_pkey PRIMARY KEY (id);
alter table marketing_company_settings add constraint marketing_company_settings_organisation_id_id_key UNIQUE (organisation_id, id);
alter table marketing_company_settings add constraint marketing_company_settings_organisation_id_company_id_key UNIQUE (organisation_id, company_id);
alter table marketing_days add constraint marketing_days_pkey PRIMARY KEY (organisation_id, link_id, day);
CREATE INDEX marketing_days_of_client ON public.marketing_days USING btree (organisation_id, company_id, source, day);
alter table marketing_links add constraint marketing_links_pkey PRIMARY KEY (id);
alter table marketing_links add constraint marketing_links_organisation_id_id_key UNIQUE (organisation_id, id);
alter table marketing_links add constraint marketing_links_one UNIQUE (organisation_id, company_id, source, external_id);
CREATE INDEX marketing_links_organisation_id_website_id_idx ON public.marketing_links USING btree (organisation_id, website_id) WHERE (website_id IS NOT NULL);
CREATE INDEX marketing_links_organisation_id_connection_id_idx ON public.marketing_links USING btree (organisation_id, connection_id) WHERE (connection_id IS NOT NULL);
CREATE INDEX marketing_links_organisation_id_source_external_id_idx ON public.marketing_links USING btree (organisation_id, source, external_id);
alter table marketing_months add constraint marketing_months_pkey PRIMARY KEY (organisation_id, link_id, month);
alter table marketing_period_values add constraint marketing_period_values_pkey PRIMARY KEY (organisation_id, link_id, metric, start_on, end_on);
alter table marketing_settings add constraint marketing_settings_pkey PRIMARY KEY (id);
alter table marketing_settings add constraint marketing_settings_organisation_id_key UNIQUE (organisation_id);
alter table marketing_settings add constraint marketing_settings_organisation_id_id_key UNIQUE (organisation_id, id);
alter table marketing_website_credentials add constraint marketing_website_credentials_pkey PRIMARY KEY (id);
alter table marketing_website_credentials add constraint marketing_website_credentials_organisation_id_id_key UNIQUE (organisation_id, id);
alter table marketing_website_credentials add constraint marketing_website_credentials_organisation_id_website_id_key UNIQUE (organisation_id, website_id);

-- # references
alter table marketing_days add constraint marketing_days_organisation_id_link_id_fkey FOREIGN KEY (organisation_id, link_id) REFERENCES marketing_links(organisation_id, id) ON DELETE CASCADE;
alter table marketing_period_values add constraint marketing_period_values_organisation_id_link_id_fkey FOREIGN KEY (organisation_id, link_id) REFERENCES marketing_links(organisation_id, id) ON DELETE CASCADE;
alter table marketing_months add constraint marketing_months_organisation_id_link_id_fkey FOREIGN KEY (organisation_id, link_id) REFERENCES marketing_links(organisation_id, id) ON DELETE CASCADE;

-- # triggers
CREATE TRIGGER months_added AFTER INSERT ON public.marketing_days REFERENCING NEW TABLE AS added FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION sum_marketing_months();
CREATE TRIGGER months_changed AFTER UPDATE ON public.marketing_days REFERENCING OLD TABLE AS gone NEW TABLE AS added FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION sum_marketing_months();
CREATE TRIGGER months_gone AFTER DELETE ON public.marketing_days REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION sum_marketing_months();
CREATE TRIGGER moved_by_deletion BEFORE UPDATE OF website_id, connection_id ON public.marketing_links FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((pg_trigger_depth() > 0) AND (new.version = old.version) AND (((old.website_id IS NOT NULL) AND (new.website_id IS NULL)) OR ((old.connection_id IS NOT NULL) AND (new.connection_id IS NULL)))))) EXECUTE FUNCTION moved_by_deletion();
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.marketing_links FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('marketing_link');
CREATE TRIGGER noted_view AFTER UPDATE OF company_id ON public.marketing_links FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND (old.company_id IS DISTINCT FROM new.company_id))) EXECUTE FUNCTION note_left_view('marketing_link');

-- # row-level security
alter table marketing_answers enable row level security, force row level security;
create policy owner on marketing_answers for all to current_user using (true) with check (true);
create policy tenant on marketing_answers for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table marketing_company_settings enable row level security, force row level security;
create policy owner on marketing_company_settings for all to current_user using (true) with check (true);
create policy tenant on marketing_company_settings for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table marketing_days enable row level security, force row level security;
create policy owner on marketing_days for all to current_user using (true) with check (true);
create policy tenant on marketing_days for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table marketing_links enable row level security, force row level security;
create policy owner on marketing_links for all to current_user using (true) with check (true);
create policy tenant on marketing_links for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table marketing_months enable row level security, force row level security;
create policy owner on marketing_months for all to current_user using (true) with check (true);
create policy tenant on marketing_months for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table marketing_period_values enable row level security, force row level security;
create policy owner on marketing_period_values for all to current_user using (true) with check (true);
create policy tenant on marketing_period_values for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table marketing_settings enable row level security, force row level security;
create policy owner on marketing_settings for all to current_user using (true) with check (true);
create policy tenant on marketing_settings for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table marketing_website_credentials enable row level security, force row level security;
create policy owner on marketing_website_credentials for all to current_user using (true) with check (true);
create policy tenant on marketing_website_credentials for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));

-- # comments
comment on column marketing_links.read_days is 'The days that the source was read for, with or without a row';
comment on function sum_marketing_months() is 'Computes the months again whose days were written';

-- # grants
grant delete, insert, select, update on marketing_answers to :application;
grant delete, insert, select, update on marketing_company_settings to :application;
grant delete, insert, select, update on marketing_days to :application;
grant delete, insert, select, update on marketing_links to :application;
grant delete, insert, select, update on marketing_months to :application;
grant delete, insert, select, update on marketing_period_values to :application;
grant delete, insert, select, update on marketing_settings to :application;
grant delete, insert, select, update on marketing_website_credentials to :application;

-- Written by `npm run schema -- baseline` from the steps of the schema: the next run replaces it.

-- # functions
CREATE OR REPLACE FUNCTION public.clear_impersonations()
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public'
AS $function$
        delete from impersonations where ctid = any(array(select ctid from impersonations where coalesce(ended_at, expires_at) < now() - interval '1 day' limit 5000 for update skip locked)); $function$
;
CREATE OR REPLACE FUNCTION public.companies_of_impersonation(grant_id uuid)
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 STABLE ROWS 10
AS $function$
      begin
        return query select seen.company_id from impersonations i, companies_of_member(i.target_account_id) seen(company_id)
          where i.organisation_id = current_organisation() and i.id = grant_id
            and seen.company_id in (select c from companies_of_member(i.impersonator_account_id) c);
      end $function$
;

-- # tables
create table impersonations (
  id uuid not null,
  organisation_id uuid not null,
  session_id uuid not null,
  impersonator_account_id uuid not null,
  target_account_id uuid not null,
  contact_id uuid not null,
  token_hash bytea not null,
  expires_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  created_at timestamp with time zone default statement_timestamp() not null
);

-- # keys and indexes
alter table impersonations add constraint impersonations_pkey PRIMARY KEY (id);
alter table impersonations add constraint impersonations_organisation_id_id_key UNIQUE (organisation_id, id);
alter table impersonations add constraint impersonations_organisation_id_token_hash_key UNIQUE (organisation_id, token_hash);
CREATE UNIQUE INDEX impersonations_one_at_a_time ON public.impersonations USING btree (organisation_id, session_id) WHERE (ended_at IS NULL);
CREATE INDEX impersonations_organisation_id_session_id_idx ON public.impersonations USING btree (organisation_id, session_id);
CREATE INDEX impersonations_organisation_id_contact_id_idx ON public.impersonations USING btree (organisation_id, contact_id);
CREATE INDEX impersonations_impersonator_account_id_idx ON public.impersonations USING btree (impersonator_account_id);
CREATE INDEX impersonations_target_account_id_idx ON public.impersonations USING btree (target_account_id);

-- # triggers
CREATE TRIGGER access_changed AFTER DELETE OR UPDATE OF ended_at, expires_at ON public.impersonations FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION bump_access_of_row();

-- # row-level security
alter table impersonations enable row level security, force row level security;
create policy owner on impersonations for all to current_user using (true) with check (true);
create policy tenant on impersonations for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));

-- # grants
grant delete, insert, select, update on impersonations to :application;
revoke all on function clear_impersonations() from public;
grant execute on function clear_impersonations() to :application;

-- Written by `npm run schema -- baseline` from the steps of the schema: the next run replaces it.

-- # functions
CREATE OR REPLACE FUNCTION jobs.clear_expired()
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog'
AS $function$
        delete from public.idempotency_keys where ctid = any(array(select ctid from public.idempotency_keys where created_at < now() - interval '24 hours' limit 5000 for update skip locked));
        delete from public.sessions where ctid = any(array(select ctid from public.sessions where least(ended_at, expires_at) < now() - interval '1 day' limit 5000 for update skip locked)); $function$
;
CREATE OR REPLACE FUNCTION jobs.ship_permissions(catalogue text[], defaults jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog'
AS $function$
    declare
      is_first boolean := not exists (select from jobs.shipped_permissions);
      new_ones text[];
    begin
      with added as (insert into jobs.shipped_permissions (permission) select unnest(catalogue) on conflict do nothing returning permission)
        select coalesce(array_agg(permission order by permission), '{}') into new_ones from added;
      if is_first or cardinality(new_ones) = 0 then return '{}'; end if;
      update public.roles r set permissions = r.permissions || added.grants, version = r.version + 1, updated_at = now()
        from (select o.id, array_agg(g.value) as grants from public.roles o join jsonb_each(defaults) d(role, grants) on d.role = o.key
            cross join jsonb_array_elements_text(d.grants) g
           where o.is_system and regexp_replace(g.value, ':(own|any)$', '') = any(new_ones) and not g.value = any(o.permissions)
           group by o.id) added
       where r.id = added.id;
      return new_ones;
    end $function$
;
CREATE OR REPLACE FUNCTION public.bump_access_of_account()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public'
AS $function$
      begin
        update organisations set access_revision = access_revision + 1
         where id in (select organisation_id from memberships where account_id = old.id);
        return null;
      end $function$
;
CREATE OR REPLACE FUNCTION public.bump_access_of_enforcement()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public'
AS $function$
      begin
        if tg_op = 'DELETE' then
          update organisations set sso_enforced = false where id = old.organisation_id and sso_enforced;
        else
          update organisations set sso_enforced = new.enforced where id = new.organisation_id and sso_enforced <> new.enforced;
        end if;
        return null;
      end $function$
;
CREATE OR REPLACE FUNCTION public.clear_oauth()
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public'
AS $function$
        delete from oauth_clients where ctid = any(array(select ctid from oauth_clients where approved_at is null and created_at < now() - interval '24 hours' limit 5000 for update skip locked));
        delete from oauth_codes where ctid = any(array(select ctid from oauth_codes where expires_at < now() - interval '1 day' limit 5000 for update skip locked));
        
        update oauth_refresh_tokens set successor = null where successor is not null and rotated_at < now() - interval '30 seconds';
        update api_keys k set revoked_at = now(), updated_at = now()
         where k.oauth_client_id is not null and k.revoked_at is null and k.expires_at < now()
           and not exists (select from oauth_refresh_tokens r
             where r.organisation_id = k.organisation_id and r.key_id = k.id and r.expires_at > now());
        delete from oauth_refresh_tokens where ctid = any(array(select ctid from oauth_refresh_tokens where expires_at < now() limit 5000 for update skip locked)); $function$
;
CREATE OR REPLACE FUNCTION public.clear_sign_ins()
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public'
AS $function$
        delete from sign_in_challenges where ctid = any(array(select ctid from sign_in_challenges where expires_at < now() limit 5000 for update skip locked));
        delete from account_tokens where ctid = any(array(select ctid from account_tokens where expires_at < now() limit 5000 for update skip locked));
        delete from sessions where ctid = any(array(select ctid from sessions where least(ended_at, expires_at) < now() - interval '1 day' limit 5000 for update skip locked)); $function$
;
CREATE OR REPLACE FUNCTION public.count_account_version()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        new.version := old.version + 1;
        return new;
      end $function$
;
CREATE OR REPLACE FUNCTION public.end_impersonations_of_account()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public'
AS $function$
      begin
        update impersonations set ended_at = now() where ended_at is null and new.id in (impersonator_account_id, target_account_id);
        return null;
      end $function$
;
CREATE OR REPLACE FUNCTION public.end_impersonations_of_member()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        update impersonations set ended_at = now() where organisation_id = old.organisation_id and ended_at is null
           and old.account_id in (impersonator_account_id, target_account_id);
        return null;
      end $function$
;
CREATE OR REPLACE FUNCTION public.end_impersonations_of_session()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        update impersonations set ended_at = now() where organisation_id = new.organisation_id and session_id = new.id and ended_at is null;
        return null;
      end $function$
;
CREATE OR REPLACE FUNCTION public.end_oauth()
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public'
AS $function$ 
        update oauth_refresh_tokens set successor = null where successor is not null and rotated_at < now() - interval '30 seconds';
        update api_keys k set revoked_at = now(), updated_at = now()
         where k.oauth_client_id is not null and k.revoked_at is null and k.expires_at < now()
           and not exists (select from oauth_refresh_tokens r
             where r.organisation_id = k.organisation_id and r.key_id = k.id and r.expires_at > now()); $function$
;
CREATE OR REPLACE FUNCTION public.end_sessions(account uuid, except_session uuid)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public'
AS $function$
        update sign_in_challenges set spent_at = now() where account_id = account and spent_at is null;
        update sessions set ended_at = now() where account_id = account and id is distinct from except_session and ended_at is null $function$
;
CREATE OR REPLACE FUNCTION public.is_live_elsewhere(account uuid, organisation uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public'
AS $function$
        select coalesce(organisation = current_organisation(), false)
          and exists (select 1 from memberships m where m.organisation_id = organisation and m.account_id = account)
          and exists (select 1 from memberships m join organisations o on o.id = m.organisation_id
            where m.account_id = account and m.organisation_id <> organisation and m.deactivated_at is null and o.status <> 'deleted') $function$
;
CREATE OR REPLACE FUNCTION public.members_holding(organisation uuid, wanted text[])
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE
AS $function$
        select mr.membership_id from membership_roles mr join roles r on r.organisation_id = mr.organisation_id and r.id = mr.role_id
         where mr.organisation_id = organisation and r.permissions && wanted $function$
;
CREATE OR REPLACE FUNCTION public.refuse_change_of_audit()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        raise exception 'lines of the audit are neither changed nor deleted' using errcode = '42501';
      end $function$
;
CREATE OR REPLACE FUNCTION public.strip_account(account uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public'
AS $function$
      begin
        perform from accounts where id = account and not is_verified for update;
        if not found then return; end if;
        update accounts set password_hash = null, updated_at = statement_timestamp() where id = account and password_hash is not null;
        delete from two_factors where account_id = account;
        delete from oauth_codes where account_id = account and redeemed_at is null;
        with recursive line as (
          select organisation_id, id from api_keys where account_id = account
          union select k.organisation_id, k.id from api_keys k
            join line on k.organisation_id = line.organisation_id and k.parent_key_id = line.id)
        update api_keys k set revoked_at = now(), updated_at = now() from line
         where k.organisation_id = line.organisation_id and k.id = line.id and k.revoked_at is null;
        perform end_sessions(account, null);
      end $function$
;

-- # tables
create table access_audit (
  id uuid default gen_random_uuid() not null,
  organisation_id uuid not null,
  action text not null,
  actor_id uuid,
  actor_email text,
  role_id uuid,
  role_key text,
  target_account_id uuid,
  detail jsonb default '{}'::jsonb not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  request_id text
);
create table account_tokens (
  id uuid not null,
  organisation_id uuid not null,
  account_id uuid not null,
  kind text not null,
  token_hash bytea not null,
  email text not null,
  password_digest bytea not null,
  expires_at timestamp with time zone not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  constraint account_tokens_kind_check CHECK ((kind = ANY (ARRAY['reset'::text, 'invite'::text, 'verify'::text])))
);
create table accounts (
  id uuid default gen_random_uuid() not null,
  email text not null,
  full_name text,
  password_hash text,
  avatar_url text,
  is_active boolean default true not null,
  is_superuser boolean default false not null,
  is_verified boolean default false not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  hand_disabled_at timestamp with time zone,
  locale text,
  custom_avatar_url text,
  constraint accounts_email_check CHECK ((email = lower(email)))
);
create table api_keys (
  id uuid default gen_random_uuid() not null,
  organisation_id uuid not null,
  name text not null,
  lookup text not null,
  secret_hash bytea not null,
  scopes text[] not null,
  account_id uuid,
  service_account_id uuid,
  parent_key_id uuid,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  expiry_told_at timestamp with time zone,
  oauth_client_id uuid,
  oauth_resource text,
  constraint api_keys_check CHECK ((num_nonnulls(account_id, service_account_id) = 1))
);
create table membership_roles (
  organisation_id uuid not null,
  membership_id uuid not null,
  role_id uuid not null
);
create table memberships (
  id uuid default gen_random_uuid() not null,
  organisation_id uuid not null,
  account_id uuid not null,
  deactivated_at timestamp with time zone,
  version integer default 1 not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null
);
create table oauth_approvals (
  organisation_id uuid not null,
  client_id uuid not null,
  account_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null
);
create table oauth_clients (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  client_id text not null,
  is_document boolean default false not null,
  name text not null,
  client_uri text,
  redirect_uris text[] default '{}'::text[] not null,
  secret_hash bytea,
  approved_at timestamp with time zone,
  revoked_at timestamp with time zone,
  constraint oauth_clients_client_id_check CHECK (((length(client_id) >= 1) AND (length(client_id) <= 1024))),
  constraint oauth_clients_name_check CHECK ((name <> ''::text))
);
create table oauth_codes (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  client_id uuid not null,
  account_id uuid not null,
  code_hash bytea not null,
  redirect_uri text not null,
  challenge text not null,
  scopes text[] not null,
  resource text,
  expires_at timestamp with time zone not null,
  redeemed_at timestamp with time zone,
  key_id uuid,
  constraint oauth_codes_scopes_check CHECK ((cardinality(scopes) > 0))
);
create table oauth_refresh_tokens (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  key_id uuid not null,
  token_hash bytea not null,
  expires_at timestamp with time zone not null,
  rotated_at timestamp with time zone,
  successor_id uuid,
  successor sealed
);
create table operator_audit (
  id uuid default gen_random_uuid() not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  action text not null,
  organisation uuid,
  slug text,
  actor text not null,
  detail jsonb default '{}'::jsonb not null,
  administrator_id uuid,
  key_id uuid,
  address text,
  request_id text
);
create table roles (
  id uuid default gen_random_uuid() not null,
  organisation_id uuid not null,
  key text not null,
  is_system boolean default false not null,
  name_i18n jsonb default '{}'::jsonb not null,
  description_i18n jsonb default '{}'::jsonb not null,
  "position" integer default 100 not null,
  permissions text[] default '{}'::text[] not null,
  version integer default 1 not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null
);
create table service_access_grants (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  created_by_account_id uuid,
  created_by_email text,
  pin_hash text not null,
  failures integer default 0 not null,
  expires_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  claimed_at timestamp with time zone,
  link_hash bytea,
  link_expires_at timestamp with time zone,
  link_used_at timestamp with time zone,
  session_hash bytea
);
create table service_accounts (
  id uuid default gen_random_uuid() not null,
  organisation_id uuid not null,
  name text not null,
  is_active boolean default true not null,
  version integer default 1 not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  created_by_account_id uuid
);
create table sessions (
  id uuid default gen_random_uuid() not null,
  organisation_id uuid not null,
  account_id uuid not null,
  token_hash bytea not null,
  method text default 'password'::text not null,
  address text,
  user_agent text,
  created_at timestamp with time zone default statement_timestamp() not null,
  last_used_at timestamp with time zone default statement_timestamp() not null,
  expires_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint sessions_method_check CHECK ((method = ANY (ARRAY['password'::text, 'sso'::text])))
);
create table sign_in_challenges (
  id uuid not null,
  organisation_id uuid not null,
  account_id uuid not null,
  token_hash bytea not null,
  expires_at timestamp with time zone not null,
  spent_at timestamp with time zone,
  created_at timestamp with time zone default statement_timestamp() not null
);
create table sso_links (
  id uuid default gen_random_uuid() not null,
  organisation_id uuid not null,
  account_id uuid not null,
  issuer text not null,
  subject text not null,
  created_at timestamp with time zone default statement_timestamp() not null
);
create table sso_provisionings (
  id uuid default gen_random_uuid() not null,
  organisation_id uuid not null,
  account_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null
);
create table sso_settings (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null,
  version integer default 1 not null,
  enabled boolean default false not null,
  enforced boolean default false not null,
  name text default 'SSO'::text not null,
  discovery_url text,
  client_id text,
  client_secret sealed,
  default_role text default 'member'::text not null,
  auto_provision boolean default true not null,
  tested_at timestamp with time zone,
  constraint sso_settings_enforced CHECK ((enabled OR (NOT enforced))),
  constraint sso_settings_name_check CHECK ((name <> ''::text))
);
create table two_factors (
  account_id uuid not null,
  secret sealed not null,
  confirmed_at timestamp with time zone,
  last_step bigint default 0 not null,
  backup_codes bytea[] default '{}'::bytea[] not null,
  failures integer default 0 not null,
  last_failure_at timestamp with time zone,
  phone text,
  phone_confirmed_at timestamp with time zone,
  sms_code_hash bytea,
  sms_expires_at timestamp with time zone,
  sms_tries integer default 0 not null,
  sms_sent_at timestamp with time zone,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null
);
create table user_preferences (
  id uuid not null,
  organisation_id uuid not null,
  account_id uuid not null,
  prefs jsonb default '{}'::jsonb not null,
  version integer default 1 not null,
  created_at timestamp with time zone default statement_timestamp() not null,
  updated_at timestamp with time zone default statement_timestamp() not null
);

-- # keys and indexes
alter table access_audit add constraint access_audit_pkey PRIMARY KEY (id);
alter table access_audit add constraint access_audit_organisation_id_id_key UNIQUE (organisation_id, id);
CREATE INDEX access_audit_organisation_id_created_at_id_idx1 ON public.access_audit USING btree (organisation_id, created_at DESC, id);
CREATE INDEX access_audit_left_key ON public.access_audit USING btree (organisation_id, target_account_id) WHERE (action = 'membership.revoked'::text);
alter table account_tokens add constraint account_tokens_pkey PRIMARY KEY (id);
alter table account_tokens add constraint account_tokens_organisation_id_id_key UNIQUE (organisation_id, id);
alter table account_tokens add constraint account_tokens_organisation_id_token_hash_key UNIQUE (organisation_id, token_hash);
CREATE INDEX account_tokens_organisation_id_account_id_kind_idx ON public.account_tokens USING btree (organisation_id, account_id, kind);
CREATE INDEX account_tokens_expires_at_idx ON public.account_tokens USING btree (expires_at);
alter table accounts add constraint accounts_pkey PRIMARY KEY (id);
alter table accounts add constraint accounts_email_key UNIQUE (email);
alter table api_keys add constraint api_keys_pkey PRIMARY KEY (id);
alter table api_keys add constraint api_keys_organisation_id_id_key UNIQUE (organisation_id, id);
alter table api_keys add constraint api_keys_organisation_id_lookup_key UNIQUE (organisation_id, lookup);
CREATE INDEX api_keys_organisation_id_account_id_idx ON public.api_keys USING btree (organisation_id, account_id);
CREATE INDEX api_keys_account_id_idx ON public.api_keys USING btree (account_id);
CREATE INDEX api_keys_organisation_id_parent_key_id_idx ON public.api_keys USING btree (organisation_id, parent_key_id) WHERE (parent_key_id IS NOT NULL);
CREATE INDEX api_keys_organisation_id_service_account_id_idx ON public.api_keys USING btree (organisation_id, service_account_id) WHERE (service_account_id IS NOT NULL);
CREATE INDEX api_keys_organisation_id_expires_at_idx ON public.api_keys USING btree (organisation_id, expires_at) WHERE ((revoked_at IS NULL) AND (expiry_told_at IS NULL));
CREATE INDEX api_keys_organisation_id_oauth_client_id_account_id_idx ON public.api_keys USING btree (organisation_id, oauth_client_id, account_id) WHERE (oauth_client_id IS NOT NULL);
alter table membership_roles add constraint membership_roles_pkey PRIMARY KEY (organisation_id, membership_id, role_id);
CREATE INDEX membership_roles_organisation_id_role_id_idx ON public.membership_roles USING btree (organisation_id, role_id);
alter table memberships add constraint memberships_pkey PRIMARY KEY (id);
alter table memberships add constraint memberships_organisation_id_id_key UNIQUE (organisation_id, id);
alter table memberships add constraint memberships_organisation_id_account_id_key UNIQUE (organisation_id, account_id);
CREATE INDEX memberships_account_id_idx ON public.memberships USING btree (account_id);
alter table oauth_approvals add constraint oauth_approvals_pkey PRIMARY KEY (organisation_id, client_id, account_id);
CREATE INDEX oauth_approvals_organisation_id_account_id_idx ON public.oauth_approvals USING btree (organisation_id, account_id);
alter table oauth_clients add constraint oauth_clients_pkey PRIMARY KEY (id);
alter table oauth_clients add constraint oauth_clients_organisation_id_id_key UNIQUE (organisation_id, id);
alter table oauth_clients add constraint oauth_clients_client_id_key UNIQUE (organisation_id, client_id);
CREATE INDEX oauth_clients_organisation_id_updated_at_idx ON public.oauth_clients USING btree (organisation_id, updated_at);
alter table oauth_codes add constraint oauth_codes_pkey PRIMARY KEY (id);
alter table oauth_codes add constraint oauth_codes_organisation_id_id_key UNIQUE (organisation_id, id);
alter table oauth_codes add constraint oauth_codes_code_hash_key UNIQUE (organisation_id, code_hash);
CREATE INDEX oauth_codes_organisation_id_client_id_idx ON public.oauth_codes USING btree (organisation_id, client_id);
CREATE INDEX oauth_codes_organisation_id_account_id_idx ON public.oauth_codes USING btree (organisation_id, account_id);
CREATE INDEX oauth_codes_organisation_id_key_id_idx ON public.oauth_codes USING btree (organisation_id, key_id) WHERE (key_id IS NOT NULL);
alter table oauth_refresh_tokens add constraint oauth_refresh_tokens_pkey PRIMARY KEY (id);
alter table oauth_refresh_tokens add constraint oauth_refresh_tokens_organisation_id_id_key UNIQUE (organisation_id, id);
alter table oauth_refresh_tokens add constraint oauth_refresh_tokens_token_hash_key UNIQUE (organisation_id, token_hash);
CREATE INDEX oauth_refresh_tokens_organisation_id_key_id_idx ON public.oauth_refresh_tokens USING btree (organisation_id, key_id);
CREATE INDEX oauth_refresh_tokens_organisation_id_successor_id_idx ON public.oauth_refresh_tokens USING btree (organisation_id, successor_id) WHERE (successor_id IS NOT NULL);
alter table operator_audit add constraint operator_audit_pkey PRIMARY KEY (id);
CREATE INDEX operator_audit_created_at_idx ON public.operator_audit USING btree (created_at);
CREATE INDEX operator_audit_organisation ON public.operator_audit USING btree (organisation, created_at);
alter table roles add constraint roles_pkey PRIMARY KEY (id);
alter table roles add constraint roles_organisation_id_id_key UNIQUE (organisation_id, id);
alter table roles add constraint roles_organisation_id_key_key UNIQUE (organisation_id, key);
alter table service_access_grants add constraint service_access_grants_pkey PRIMARY KEY (id);
alter table service_access_grants add constraint service_access_grants_organisation_id_id_key UNIQUE (organisation_id, id);
alter table service_access_grants add constraint service_access_grants_organisation_id_link_hash_key UNIQUE (organisation_id, link_hash);
alter table service_access_grants add constraint service_access_grants_organisation_id_session_hash_key UNIQUE (organisation_id, session_hash);
CREATE UNIQUE INDEX service_access_grants_live ON public.service_access_grants USING btree (organisation_id) WHERE (revoked_at IS NULL);
CREATE INDEX service_access_grants_organisation_id_created_at_idx ON public.service_access_grants USING btree (organisation_id, created_at);
CREATE INDEX service_access_grants_created_by_account_id_idx ON public.service_access_grants USING btree (created_by_account_id);
alter table service_accounts add constraint service_accounts_pkey PRIMARY KEY (id);
alter table service_accounts add constraint service_accounts_organisation_id_id_key UNIQUE (organisation_id, id);
alter table sessions add constraint sessions_pkey PRIMARY KEY (id);
alter table sessions add constraint sessions_organisation_id_id_key UNIQUE (organisation_id, id);
alter table sessions add constraint sessions_organisation_id_token_hash_key UNIQUE (organisation_id, token_hash);
CREATE INDEX sessions_organisation_id_account_id_idx ON public.sessions USING btree (organisation_id, account_id);
CREATE INDEX sessions_account_id_idx ON public.sessions USING btree (account_id);
alter table sign_in_challenges add constraint sign_in_challenges_pkey PRIMARY KEY (id);
alter table sign_in_challenges add constraint sign_in_challenges_organisation_id_id_key UNIQUE (organisation_id, id);
alter table sign_in_challenges add constraint sign_in_challenges_organisation_id_token_hash_key UNIQUE (organisation_id, token_hash);
CREATE INDEX sign_in_challenges_expires_at_idx ON public.sign_in_challenges USING btree (expires_at);
alter table sso_links add constraint sso_links_pkey PRIMARY KEY (id);
alter table sso_links add constraint sso_links_organisation_id_id_key UNIQUE (organisation_id, id);
alter table sso_links add constraint sso_links_subject UNIQUE (organisation_id, issuer, subject);
CREATE INDEX sso_links_account_id_idx ON public.sso_links USING btree (account_id);
alter table sso_provisionings add constraint sso_provisionings_pkey PRIMARY KEY (id);
alter table sso_provisionings add constraint sso_provisionings_organisation_id_id_key UNIQUE (organisation_id, id);
alter table sso_provisionings add constraint sso_provisionings_once UNIQUE (organisation_id, account_id);
CREATE INDEX sso_provisionings_account_id_idx ON public.sso_provisionings USING btree (account_id);
alter table sso_settings add constraint sso_settings_pkey PRIMARY KEY (id);
alter table sso_settings add constraint sso_settings_organisation_id_id_key UNIQUE (organisation_id, id);
alter table sso_settings add constraint sso_settings_one UNIQUE (organisation_id);
alter table two_factors add constraint two_factors_pkey PRIMARY KEY (account_id);
alter table user_preferences add constraint user_preferences_pkey PRIMARY KEY (id);
alter table user_preferences add constraint user_preferences_organisation_id_id_key UNIQUE (organisation_id, id);
alter table user_preferences add constraint user_preferences_organisation_id_account_id_key UNIQUE (organisation_id, account_id);

-- # references
alter table memberships add constraint memberships_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
alter table sessions add constraint sessions_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
alter table api_keys add constraint api_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
alter table company_assignees add constraint company_assignees_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
alter table contacts add constraint contacts_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE SET NULL;
alter table service_accounts add constraint service_accounts_created_by_account_id_fkey FOREIGN KEY (created_by_account_id) REFERENCES accounts(id) ON DELETE SET NULL;
alter table files add constraint files_uploaded_by_account_id_fkey FOREIGN KEY (uploaded_by_account_id) REFERENCES accounts(id) ON DELETE SET NULL;
alter table mails add constraint mails_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE SET NULL;
alter table sms_messages add constraint sms_messages_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE SET NULL;
alter table two_factors add constraint two_factors_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
alter table sign_in_challenges add constraint sign_in_challenges_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
alter table account_tokens add constraint account_tokens_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
alter table user_preferences add constraint user_preferences_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
alter table project_assignees add constraint project_assignees_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
alter table task_assignees add constraint task_assignees_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
alter table task_template_items add constraint task_template_items_assignee_user_id_fkey FOREIGN KEY (assignee_user_id) REFERENCES accounts(id) ON DELETE SET NULL;
alter table task_schedules add constraint task_schedules_user_id_fkey FOREIGN KEY (user_id) REFERENCES accounts(id) ON DELETE SET NULL;
alter table time_drafts add constraint time_drafts_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
alter table timesheet_reminders add constraint timesheet_reminders_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
alter table notifications add constraint notifications_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
alter table notification_watches add constraint notification_watches_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
alter table notification_preferences add constraint notification_preferences_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
alter table notification_channels add constraint notification_channels_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
alter table notification_push_devices add constraint notification_push_devices_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
alter table notification_deliveries add constraint notification_deliveries_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
alter table nav_layouts add constraint nav_layouts_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
alter table sso_links add constraint sso_links_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
alter table sso_provisionings add constraint sso_provisionings_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
alter table service_access_grants add constraint service_access_grants_created_by_account_id_fkey FOREIGN KEY (created_by_account_id) REFERENCES accounts(id) ON DELETE SET NULL;
alter table impersonations add constraint impersonations_impersonator_account_id_fkey FOREIGN KEY (impersonator_account_id) REFERENCES accounts(id) ON DELETE CASCADE;
alter table impersonations add constraint impersonations_target_account_id_fkey FOREIGN KEY (target_account_id) REFERENCES accounts(id) ON DELETE CASCADE;
alter table workspace_settings add constraint workspace_settings_automation_connection_user_id_fkey FOREIGN KEY (automation_connection_user_id) REFERENCES accounts(id) ON DELETE SET NULL;
alter table drive_links add constraint drive_links_created_by_account_id_fkey FOREIGN KEY (created_by_account_id) REFERENCES accounts(id) ON DELETE SET NULL;
alter table api_keys add constraint api_keys_parent FOREIGN KEY (organisation_id, parent_key_id) REFERENCES api_keys(organisation_id, id) ON DELETE SET NULL (parent_key_id);
alter table oauth_codes add constraint oauth_codes_organisation_id_key_id_fkey FOREIGN KEY (organisation_id, key_id) REFERENCES api_keys(organisation_id, id) ON DELETE SET NULL (key_id);
alter table oauth_refresh_tokens add constraint oauth_refresh_tokens_organisation_id_key_id_fkey FOREIGN KEY (organisation_id, key_id) REFERENCES api_keys(organisation_id, id) ON DELETE CASCADE;
alter table membership_roles add constraint membership_roles_organisation_id_membership_id_fkey FOREIGN KEY (organisation_id, membership_id) REFERENCES memberships(organisation_id, id) ON DELETE CASCADE;
alter table company_group_memberships add constraint company_group_memberships_organisation_id_membership_id_fkey FOREIGN KEY (organisation_id, membership_id) REFERENCES memberships(organisation_id, id) ON DELETE CASCADE;
alter table leave_calendar_tokens add constraint leave_calendar_tokens_organisation_id_membership_id_fkey FOREIGN KEY (organisation_id, membership_id) REFERENCES memberships(organisation_id, id) ON DELETE CASCADE;
alter table task_calendar_tokens add constraint task_calendar_tokens_organisation_id_membership_id_fkey FOREIGN KEY (organisation_id, membership_id) REFERENCES memberships(organisation_id, id) ON DELETE CASCADE;
alter table oauth_approvals add constraint oauth_approvals_organisation_id_account_id_fkey FOREIGN KEY (organisation_id, account_id) REFERENCES memberships(organisation_id, account_id) ON DELETE CASCADE;
alter table oauth_codes add constraint oauth_codes_organisation_id_account_id_fkey FOREIGN KEY (organisation_id, account_id) REFERENCES memberships(organisation_id, account_id) ON DELETE CASCADE;
alter table workspace_connections add constraint workspace_connections_organisation_id_account_id_fkey FOREIGN KEY (organisation_id, account_id) REFERENCES memberships(organisation_id, account_id) ON DELETE CASCADE;
alter table workspace_calendar_mirrors add constraint workspace_calendar_mirrors_organisation_id_account_id_fkey FOREIGN KEY (organisation_id, account_id) REFERENCES memberships(organisation_id, account_id) ON DELETE CASCADE;
alter table oauth_approvals add constraint oauth_approvals_organisation_id_client_id_fkey FOREIGN KEY (organisation_id, client_id) REFERENCES oauth_clients(organisation_id, id) ON DELETE CASCADE;
alter table api_keys add constraint api_keys_oauth_client FOREIGN KEY (organisation_id, oauth_client_id) REFERENCES oauth_clients(organisation_id, id);
alter table oauth_codes add constraint oauth_codes_organisation_id_client_id_fkey FOREIGN KEY (organisation_id, client_id) REFERENCES oauth_clients(organisation_id, id) ON DELETE CASCADE;
alter table oauth_refresh_tokens add constraint oauth_refresh_tokens_organisation_id_successor_id_fkey FOREIGN KEY (organisation_id, successor_id) REFERENCES oauth_refresh_tokens(organisation_id, id) ON DELETE SET NULL (successor_id);
alter table membership_roles add constraint membership_roles_organisation_id_role_id_fkey FOREIGN KEY (organisation_id, role_id) REFERENCES roles(organisation_id, id) ON DELETE CASCADE;
alter table api_keys add constraint api_keys_organisation_id_service_account_id_fkey FOREIGN KEY (organisation_id, service_account_id) REFERENCES service_accounts(organisation_id, id) ON DELETE CASCADE;
alter table impersonations add constraint impersonations_organisation_id_session_id_fkey FOREIGN KEY (organisation_id, session_id) REFERENCES sessions(organisation_id, id) ON DELETE CASCADE;

-- # triggers
CREATE TRIGGER access_changed AFTER UPDATE OF is_active, is_superuser, email, full_name ON public.accounts FOR EACH ROW EXECUTE FUNCTION bump_access_of_account();
CREATE TRIGGER impersonations_end AFTER UPDATE OF is_active ON public.accounts FOR EACH ROW WHEN ((old.is_active AND (NOT new.is_active))) EXECUTE FUNCTION end_impersonations_of_account();
CREATE TRIGGER version_counted BEFORE UPDATE ON public.accounts FOR EACH ROW WHEN ((old.* IS DISTINCT FROM new.*)) EXECUTE FUNCTION count_account_version();
CREATE TRIGGER access_changed AFTER DELETE OR UPDATE OF revoked_at, expires_at, scopes, lookup, secret_hash ON public.api_keys FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION bump_access_of_row();
CREATE TRIGGER access_changed AFTER INSERT OR DELETE OR UPDATE ON public.membership_roles FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION bump_access_of_row();
CREATE TRIGGER access_changed AFTER INSERT OR DELETE OR UPDATE ON public.memberships FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION bump_access_of_row();
CREATE TRIGGER impersonations_end_with_member AFTER UPDATE OF deactivated_at ON public.memberships FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((old.deactivated_at IS NULL) AND (new.deactivated_at IS NOT NULL)))) EXECUTE FUNCTION end_impersonations_of_member();
CREATE TRIGGER impersonations_end_without_member AFTER DELETE ON public.memberships FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION end_impersonations_of_member();
CREATE TRIGGER kept BEFORE DELETE OR UPDATE ON public.operator_audit FOR EACH ROW EXECUTE FUNCTION refuse_change_of_audit();
CREATE TRIGGER access_changed AFTER DELETE OR UPDATE OF permissions, key ON public.roles FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION bump_access_of_row();
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.roles FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('role');
CREATE TRIGGER access_changed AFTER DELETE OR UPDATE OF revoked_at, expires_at, session_hash ON public.service_access_grants FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION bump_access_of_row();
CREATE TRIGGER moved_by_deletion BEFORE UPDATE OF created_by_account_id ON public.service_access_grants FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((pg_trigger_depth() > 0) AND (new.version = old.version) AND ((old.created_by_account_id IS NOT NULL) AND (new.created_by_account_id IS NULL))))) EXECUTE FUNCTION moved_by_deletion();
CREATE TRIGGER access_changed AFTER DELETE OR UPDATE OF is_active, name ON public.service_accounts FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION bump_access_of_row();
CREATE TRIGGER moved_by_deletion BEFORE UPDATE OF created_by_account_id ON public.service_accounts FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((pg_trigger_depth() > 0) AND (new.version = old.version) AND ((old.created_by_account_id IS NOT NULL) AND (new.created_by_account_id IS NULL))))) EXECUTE FUNCTION moved_by_deletion();
CREATE TRIGGER noted_deletion BEFORE DELETE ON public.service_accounts FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_deleted('service_account');
CREATE TRIGGER access_changed AFTER UPDATE OF ended_at ON public.sessions FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION bump_access_of_row();
CREATE TRIGGER access_removed AFTER DELETE ON public.sessions FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((old.ended_at IS NULL) AND (old.expires_at > now())))) EXECUTE FUNCTION bump_access_of_row();
CREATE TRIGGER impersonations_end AFTER UPDATE OF ended_at ON public.sessions FOR EACH ROW WHEN (((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text) AND ((old.ended_at IS NULL) AND (new.ended_at IS NOT NULL)))) EXECUTE FUNCTION end_impersonations_of_session();
CREATE TRIGGER access_changed AFTER INSERT OR DELETE OR UPDATE OF enforced ON public.sso_settings FOR EACH ROW WHEN ((current_setting('app.whole_organisation'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION bump_access_of_enforcement();

-- # row-level security
alter table access_audit enable row level security, force row level security;
create policy owner on access_audit for all to current_user using (true) with check (true);
create policy tenant on access_audit for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table account_tokens enable row level security, force row level security;
create policy owner on account_tokens for all to current_user using (true) with check (true);
create policy tenant on account_tokens for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table api_keys enable row level security, force row level security;
create policy owner on api_keys for all to current_user using (true) with check (true);
create policy tenant on api_keys for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table membership_roles enable row level security, force row level security;
create policy owner on membership_roles for all to current_user using (true) with check (true);
create policy tenant on membership_roles for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table memberships enable row level security, force row level security;
create policy owner on memberships for all to current_user using (true) with check (true);
create policy tenant on memberships for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table oauth_approvals enable row level security, force row level security;
create policy owner on oauth_approvals for all to current_user using (true) with check (true);
create policy tenant on oauth_approvals for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table oauth_clients enable row level security, force row level security;
create policy owner on oauth_clients for all to current_user using (true) with check (true);
create policy tenant on oauth_clients for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table oauth_codes enable row level security, force row level security;
create policy owner on oauth_codes for all to current_user using (true) with check (true);
create policy tenant on oauth_codes for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table oauth_refresh_tokens enable row level security, force row level security;
create policy owner on oauth_refresh_tokens for all to current_user using (true) with check (true);
create policy tenant on oauth_refresh_tokens for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table roles enable row level security, force row level security;
create policy owner on roles for all to current_user using (true) with check (true);
create policy tenant on roles for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table service_access_grants enable row level security, force row level security;
create policy owner on service_access_grants for all to current_user using (true) with check (true);
create policy tenant on service_access_grants for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table service_accounts enable row level security, force row level security;
create policy owner on service_accounts for all to current_user using (true) with check (true);
create policy tenant on service_accounts for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table sessions enable row level security, force row level security;
create policy owner on sessions for all to current_user using (true) with check (true);
create policy tenant on sessions for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table sign_in_challenges enable row level security, force row level security;
create policy owner on sign_in_challenges for all to current_user using (true) with check (true);
create policy tenant on sign_in_challenges for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table sso_links enable row level security, force row level security;
create policy owner on sso_links for all to current_user using (true) with check (true);
create policy tenant on sso_links for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table sso_provisionings enable row level security, force row level security;
create policy owner on sso_provisionings for all to current_user using (true) with check (true);
create policy tenant on sso_provisionings for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table sso_settings enable row level security, force row level security;
create policy owner on sso_settings for all to current_user using (true) with check (true);
create policy tenant on sso_settings for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));
alter table user_preferences enable row level security, force row level security;
create policy owner on user_preferences for all to current_user using (true) with check (true);
create policy tenant on user_preferences for all using ((organisation_id = (NULLIF(current_setting('app.organisation_id'::text, true), ''::text))::uuid));

-- # comments
comment on view member_access is 'What each member of an organisation may and sees now';
comment on column member_access.contact_id is 'The contact whose login it is; null for everyone else';
comment on column member_access.is_live is 'Neither deactivated here nor disabled altogether';
comment on column member_access.grants is 'Stored grants of all roles; one that two roles give is in it twice';
comment on column member_access.is_client is 'A client login: holds the client role, or is attached to a contact';
comment on column member_access.sources is 'The groups and the contact that a selection is made of';
comment on column member_access.selection is 'What selected_companies takes; null for a member who sees every client: a holder of the wildcard, or staff without sources';
comment on function members_holding(uuid,text[]) is 'Memberships of which some role holds one of these stored grants, deactivated ones included';

-- # grants
grant insert, select on access_audit to :application;
grant delete, insert, select, update on account_tokens to :application;
grant delete, insert, select, update on accounts to :application;
grant delete, insert, select, update on api_keys to :application;
grant select on member_access to :application;
grant delete, insert, select, update on membership_roles to :application;
grant delete, insert, select, update on memberships to :application;
grant delete, insert, select, update on oauth_approvals to :application;
grant delete, insert, select, update on oauth_clients to :application;
grant delete, insert, select, update on oauth_codes to :application;
grant delete, insert, select, update on oauth_refresh_tokens to :application;
grant insert on operator_audit to :application;
grant delete, insert, select, update on roles to :application;
grant delete, insert, select, update on service_access_grants to :application;
grant delete, insert, select, update on service_accounts to :application;
grant delete, insert, select, update on sessions to :application;
grant delete, insert, select, update on sign_in_challenges to :application;
grant delete, insert, select, update on sso_links to :application;
grant delete, insert, select, update on sso_provisionings to :application;
grant delete, insert, select, update on sso_settings to :application;
grant delete, insert, select, update on two_factors to :application;
grant delete, insert, select, update on user_preferences to :application;
revoke all on function clear_oauth() from public;
grant execute on function clear_oauth() to :application;
revoke all on function clear_sign_ins() from public;
grant execute on function clear_sign_ins() to :application;
revoke all on function end_oauth() from public;
grant execute on function end_oauth() to :application;
revoke all on function end_sessions(uuid,uuid) from public;
grant execute on function end_sessions(uuid,uuid) to :application;
revoke all on function is_live_elsewhere(uuid,uuid) from public;
grant execute on function is_live_elsewhere(uuid,uuid) to :application;
revoke all on function jobs.clear_expired() from public;
grant execute on function jobs.clear_expired() to :application;
revoke all on function jobs.ship_permissions(text[],jsonb) from public;
grant execute on function jobs.ship_permissions(text[],jsonb) to :application;
revoke all on function strip_account(uuid) from public;
grant execute on function strip_account(uuid) to :application;

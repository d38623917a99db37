import { type Step, tenantTable } from "../step.ts";

/** Organisations, accounts, memberships, roles, sessions and keys, and the access revision that guards every cached principal. */
const step: Step = {
  async up({ sql, application }) {
    await sql(`
      create extension if not exists pg_trgm;
      create extension if not exists btree_gin;
      -- One collation for every sorted text: accents count, case does not.
      create collation kantoor_text (provider = icu, locale = 'und-u-ks-level2', deterministic = false);

      create table installation (
        only_row boolean primary key default true check (only_row),
        id uuid not null default gen_random_uuid(),
        installed_at timestamptz not null default statement_timestamp()
      );
      insert into installation default values;

      create table product_licences (
        module text primary key,
        expires_at timestamptz not null,
        grace_days int not null default 0 check (grace_days >= 0)
      );

      create table organisations (
        id uuid primary key default gen_random_uuid(),
        slug text not null unique check (slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
        name text not null check (name <> ''),
        status text not null default 'active' check (status in ('active', 'suspended', 'deleted')),
        locale text not null default 'nl',
        timezone text not null default 'Europe/Amsterdam',
        currency text not null default 'EUR',
        country text not null default 'NL',
        enabled_modules text[] not null default '{}',
        plan text not null default 'trial' check (plan in ('trial', 'standard', 'unlimited', 'none')),
        plan_ends_at timestamptz,
        access_revision bigint not null default 1,
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp()
      );

      create table accounts (
        id uuid primary key default gen_random_uuid(),
        email text not null unique check (email = lower(email)),
        full_name text,
        password_hash text,
        avatar_url text,
        is_active boolean not null default true,
        is_superuser boolean not null default false,
        is_verified boolean not null default false,
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp()
      );

      create table organisation_domains (
        id uuid primary key default gen_random_uuid(),
        organisation_id uuid not null references organisations (id),
        hostname text not null check (hostname = lower(hostname)),
        verified_at timestamptz,
        created_at timestamptz not null default statement_timestamp(),
        unique (organisation_id, id)
      );
      create unique index organisation_domains_verified on organisation_domains (hostname) where verified_at is not null;

      create table memberships (
        id uuid primary key default gen_random_uuid(),
        organisation_id uuid not null references organisations (id),
        account_id uuid not null references accounts (id) on delete cascade,
        deactivated_at timestamptz,
        version int not null default 1,
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        unique (organisation_id, id),
        unique (organisation_id, account_id)
      );
      create index on memberships (account_id);

      create table roles (
        id uuid primary key default gen_random_uuid(),
        organisation_id uuid not null references organisations (id),
        key text not null,
        is_system boolean not null default false,
        name_i18n jsonb not null default '{}',
        description_i18n jsonb not null default '{}',
        position int not null default 100,
        permissions text[] not null default '{}',
        version int not null default 1,
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        unique (organisation_id, id),
        unique (organisation_id, key)
      );

      create table membership_roles (
        organisation_id uuid not null references organisations (id),
        membership_id uuid not null,
        role_id uuid not null,
        primary key (organisation_id, membership_id, role_id),
        foreign key (organisation_id, membership_id) references memberships (organisation_id, id) on delete cascade,
        foreign key (organisation_id, role_id) references roles (organisation_id, id) on delete cascade
      );
      create index on membership_roles (organisation_id, role_id);

      create table sessions (
        id uuid primary key default gen_random_uuid(),
        organisation_id uuid not null references organisations (id),
        account_id uuid not null references accounts (id) on delete cascade,
        token_hash bytea not null,
        method text not null default 'password' check (method in ('password', 'sso')),
        address text,
        user_agent text,
        created_at timestamptz not null default statement_timestamp(),
        last_used_at timestamptz not null default statement_timestamp(),
        expires_at timestamptz not null,
        ended_at timestamptz,
        unique (organisation_id, id),
        unique (organisation_id, token_hash)
      );
      create index on sessions (organisation_id, account_id);
      create index on sessions (account_id);

      create table service_accounts (
        id uuid primary key default gen_random_uuid(),
        organisation_id uuid not null references organisations (id),
        name text not null,
        is_active boolean not null default true,
        version int not null default 1,
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        unique (organisation_id, id)
      );

      create table api_keys (
        id uuid primary key default gen_random_uuid(),
        organisation_id uuid not null references organisations (id),
        name text not null,
        lookup text not null,
        secret_hash bytea not null,
        scopes text[] not null,
        account_id uuid references accounts (id) on delete cascade,
        service_account_id uuid,
        parent_key_id uuid,
        expires_at timestamptz,
        revoked_at timestamptz,
        last_used_at timestamptz,
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        unique (organisation_id, id),
        unique (organisation_id, lookup),
        foreign key (organisation_id, service_account_id) references service_accounts (organisation_id, id) on delete cascade,
        foreign key (organisation_id, parent_key_id) references api_keys (organisation_id, id),
        check (num_nonnulls(account_id, service_account_id) = 1)
      );
      create index on api_keys (organisation_id, account_id);
      create index on api_keys (account_id);

      create table access_audit (
        id uuid primary key default gen_random_uuid(),
        organisation_id uuid not null references organisations (id),
        action text not null,
        actor_id uuid,
        actor_email text,
        role_id uuid,
        role_key text,
        target_account_id uuid,
        detail jsonb not null default '{}',
        created_at timestamptz not null default statement_timestamp(),
        unique (organisation_id, id)
      );
      create index on access_audit (organisation_id, created_at desc, id desc);

      create table rate_windows (
        bucket text not null,
        minute bigint not null,
        used bigint not null,
        primary key (bucket, minute)
      );
    `);

    // The access revision: every grant and every restriction moves it, in the same transaction.
    await sql(`
      create function bump_access(organisation uuid) returns void language sql as
        'update organisations set access_revision = access_revision + 1 where id = organisation';

      create function bump_access_of_row() returns trigger language plpgsql security definer set search_path = public as $$
      begin
        if tg_op <> 'INSERT' then perform bump_access(old.organisation_id); end if;
        if tg_op <> 'DELETE' and (tg_op = 'INSERT' or new.organisation_id <> old.organisation_id) then
          perform bump_access(new.organisation_id);
        end if;
        return null;
      end $$;

      create function bump_access_of_account() returns trigger language plpgsql security definer set search_path = public as $$
      begin
        update organisations set access_revision = access_revision + 1
         where id in (select organisation_id from memberships where account_id = old.id);
        return null;
      end $$;

      create function bump_access_of_organisation() returns trigger language plpgsql as $$
      begin
        new.access_revision := old.access_revision + 1;
        return new;
      end $$;

      create function bump_access_of_everyone() returns trigger language plpgsql security definer set search_path = public as $$
      begin
        update organisations set access_revision = access_revision + 1;
        return null;
      end $$;

      -- A new key or session was never cached, so only its end or change counts; stamps of use do not.
      create trigger access_changed after delete or update of revoked_at, expires_at, scopes on api_keys
        for each row execute function bump_access_of_row();
      create trigger access_changed after delete or update of ended_at on sessions
        for each row execute function bump_access_of_row();
      create trigger access_changed after delete or update of is_active, name on service_accounts
        for each row execute function bump_access_of_row();
      create trigger access_changed after insert or update or delete on memberships
        for each row execute function bump_access_of_row();
      create trigger access_changed after insert or update or delete on membership_roles
        for each row execute function bump_access_of_row();
      create trigger access_changed after delete or update of permissions, key on roles
        for each row execute function bump_access_of_row();
      create trigger access_changed after insert or update or delete on organisation_domains
        for each row execute function bump_access_of_row();
      create trigger access_changed after update of is_active, is_superuser, email, full_name on accounts
        for each row execute function bump_access_of_account();
      create trigger access_changed before update of slug, name, status, locale, timezone, currency, country, enabled_modules, plan, plan_ends_at
        on organisations for each row execute function bump_access_of_organisation();
      create trigger access_changed after insert or update or delete or truncate on product_licences
        for each statement execute function bump_access_of_everyone();
    `);

    await sql(`
      -- Binds the transaction to one organisation and refuses it when the caller's knowledge of access is out of date.
      create function enter_organisation(organisation uuid, revision bigint, read_only boolean) returns void language plpgsql security definer
        set search_path = public as $$
      begin
        if revision is not null and not exists (select 1 from organisations o where o.id = organisation and o.access_revision = revision) then
          raise exception 'access has changed' using errcode = 'KT001';
        end if;
        perform set_config('app.organisation_id', organisation::text, true);
        if read_only then perform set_config('transaction_read_only', 'on', true); end if;
      end $$;

      create function current_organisation() returns uuid language sql stable parallel safe as
        $$ select nullif(current_setting('app.organisation_id', true), '')::uuid $$;

      -- Host name to organisation, the one question that is asked before any organisation is known.
      create function resolve_host(host text, slug_of_host text) returns setof organisations language sql stable security definer
        set search_path = public as $$
        (select o.* from organisation_domains d join organisations o on o.id = d.organisation_id
          where d.hostname = host and d.verified_at is not null and o.status <> 'deleted')
        union all
        (select o.* from organisations o where o.slug = slug_of_host and o.status <> 'deleted')
        limit 1 $$;
    `);

    for (const table of [
      "organisation_domains",
      "memberships",
      "roles",
      "membership_roles",
      "sessions",
      "service_accounts",
      "api_keys",
      "access_audit",
    ])
      await sql(tenantTable(table, application));
    await sql(`
      alter table organisations enable row level security;
      alter table organisations force row level security;
      create policy tenant on organisations using (id = nullif(current_setting('app.organisation_id', true), '')::uuid);
      create policy owner on organisations to current_user using (true) with check (true);
      grant select on organisations to ${application};
      grant update (name, locale, timezone, currency, country, enabled_modules, updated_at) on organisations to ${application};
      grant select, insert, update, delete on accounts to ${application};
      grant select on installation, product_licences to ${application};
      grant select, insert, update, delete on rate_windows to ${application};
      grant usage on schema public to ${application};
      revoke update, delete on access_audit from ${application};
    `);
  },
};

export default step;

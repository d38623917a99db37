import type { Step } from "./step.ts";

/**
 * Instance administrators, who belong to no organisation: their sign-in, sessions and keys. The application role has no right to these
 * tables; the nodes that serve `/instance` use them as the owner. The operators' audit also has lines about no organisation, names the
 * administrator, and cannot be changed.
 */
const step: Step = {
  async up({ sql }) {
    await sql(`
      create table instance_administrators (
        id uuid primary key default gen_random_uuid(),
        email text not null unique check (email = lower(email)),
        full_name text check (full_name <> ''),
        capabilities text[] not null default '{}',
        is_active boolean not null default true,
        password_hash text not null,
        -- When a password that another person chose stops working; null for the administrator's own.
        password_expires_at timestamptz,
        totp_secret sealed,
        totp_confirmed_at timestamptz,
        totp_last_step bigint not null default 0,
        failures integer not null default 0,
        last_failure_at timestamptz,
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp()
      );
      create table instance_challenges (
        token_hash bytea primary key,
        administrator_id uuid not null references instance_administrators (id) on delete cascade,
        expires_at timestamptz not null
      );
      create index instance_challenges_administrator on instance_challenges (administrator_id);
      create table instance_sessions (
        id uuid primary key default gen_random_uuid(),
        administrator_id uuid not null references instance_administrators (id) on delete cascade,
        token_hash bytea not null unique,
        address text not null,
        user_agent text,
        created_at timestamptz not null default statement_timestamp(),
        expires_at timestamptz not null
      );
      create index instance_sessions_administrator on instance_sessions (administrator_id);
      create table instance_keys (
        id uuid primary key default gen_random_uuid(),
        administrator_id uuid not null references instance_administrators (id) on delete cascade,
        name text not null check (name <> ''),
        lookup text not null unique,
        secret_hash bytea not null,
        capabilities text[] not null,
        -- The only organisations that the key concerns; null for all.
        organisations uuid[],
        expires_at timestamptz,
        revoked_at timestamptz,
        last_used_at timestamptz,
        created_at timestamptz not null default statement_timestamp()
      );
      create index instance_keys_administrator on instance_keys (administrator_id);

      alter table operator_audit alter column organisation drop not null, alter column slug drop not null;
      alter table operator_audit add column administrator_id uuid, add column key_id uuid, add column address text, add column request_id text;
      create index operator_audit_organisation on operator_audit (organisation, created_at);
      create function refuse_change_of_audit() returns trigger language plpgsql as $$
      begin
        raise exception 'lines of the audit are neither changed nor deleted' using errcode = '42501';
      end $$;
      create trigger kept before update or delete on operator_audit for each row execute function refuse_change_of_audit();
    `);
  },
};

export default step;

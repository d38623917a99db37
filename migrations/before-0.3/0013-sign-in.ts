import { SEALED_TYPE, type Step, tenantTable } from "../step.ts";

/** Second factors, mailed tokens and challenges; personal preferences; what organisations may do to accounts they share. */
const step: Step = {
  async up({ sql, application }) {
    await sql(SEALED_TYPE);
    await sql(`
      -- A person's second factor holds in every organisation, so it belongs to none of them (access §2).
      create table two_factors (
        account_id uuid primary key references accounts (id) on delete cascade,
        secret sealed not null,
        confirmed_at timestamptz,
        -- The last accepted time step: the same code never passes twice.
        last_step bigint not null default 0,
        backup_codes bytea[] not null default '{}',
        failures int not null default 0,
        last_failure_at timestamptz,
        phone text,
        phone_confirmed_at timestamptz,
        sms_code_hash bytea,
        sms_expires_at timestamptz,
        sms_tries int not null default 0,
        sms_sent_at timestamptz,
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp()
      );
      grant select, insert, update, delete on two_factors to ${application};

      -- A right password that still waits for its second factor.
      create table sign_in_challenges (
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        account_id uuid not null references accounts (id) on delete cascade,
        token_hash bytea not null,
        expires_at timestamptz not null,
        spent_at timestamptz,
        created_at timestamptz not null default statement_timestamp(),
        unique (organisation_id, id),
        unique (organisation_id, token_hash)
      );
      create index on sign_in_challenges (expires_at);

      -- What a mailed link carries, as a digest. It dies with the password or the address it was made for.
      create table account_tokens (
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        account_id uuid not null references accounts (id) on delete cascade,
        kind text not null check (kind in ('reset', 'invite', 'verify')),
        token_hash bytea not null,
        email text not null,
        password_digest bytea not null,
        expires_at timestamptz not null,
        created_at timestamptz not null default statement_timestamp(),
        unique (organisation_id, id),
        unique (organisation_id, token_hash)
      );
      create index on account_tokens (organisation_id, account_id, kind);
      create index on account_tokens (expires_at);

      create table user_preferences (
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        account_id uuid not null references accounts (id) on delete cascade,
        prefs jsonb not null default '{}',
        version int not null default 1,
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        unique (organisation_id, id),
        unique (organisation_id, account_id)
      );
    `);
    await sql(`
      alter table accounts add column locale text, add column custom_avatar_url text;
      alter table organisations add column icon_url text,
        add column accent_color text check (accent_color ~ '^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$');
      grant update (brand_name, logo_url, icon_url, primary_color, accent_color) on organisations to ${application};
    `);
    // The order in which the audit is read.
    await sql(`create index on access_audit (organisation_id, created_at desc, id);
      drop index access_audit_organisation_id_created_at_id_idx;`);
    for (const table of ["sign_in_challenges", "account_tokens", "user_preferences"]) await sql(tenantTable(table, application));

    await sql(`
      -- An account that is at home elsewhere too belongs to no single organisation (access §4.6).
      create function is_live_elsewhere(account uuid, organisation uuid) returns boolean language sql stable security definer
        set search_path = public as $$
        select exists (select 1 from memberships m join organisations o on o.id = m.organisation_id
          where m.account_id = account and m.organisation_id <> organisation and m.deactivated_at is null and o.status <> 'deleted') $$;

      -- Nobody proved the address of this account: whoever registered it keeps no way in (access §4.4).
      create function strip_account(account uuid) returns void language plpgsql security definer set search_path = public as $$
      begin
        update accounts set password_hash = null, updated_at = statement_timestamp() where id = account and password_hash is not null;
        delete from two_factors where account_id = account;
        update api_keys set revoked_at = now() where account_id = account and revoked_at is null;
        perform end_sessions(account, null);
      end $$;
      -- Challenges and mailed links that nobody can use any more.
      create function clear_sign_ins() returns void language sql security definer set search_path = public as $$
        delete from sign_in_challenges where expires_at < now();
        delete from account_tokens where expires_at < now() $$;
      revoke all on function is_live_elsewhere(uuid, uuid), strip_account(uuid), clear_sign_ins() from public;
      grant execute on function is_live_elsewhere(uuid, uuid), strip_account(uuid), clear_sign_ins() to ${application};

      -- Whether the owner was told that a key is about to end.
      alter table api_keys add column expiry_told_at timestamptz;
      create index on api_keys (organisation_id, expires_at) where revoked_at is null and expiry_told_at is null;
    `);
  },
};

export default step;

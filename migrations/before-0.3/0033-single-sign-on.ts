import { SEALED_TYPE, type Step, tenantTable } from "../step.ts";

/** Single sign-on, and service access: an operator in one organisation's data with its consent (access §9, §10). */
const step: Step = {
  async up({ sql, application }) {
    await sql(SEALED_TYPE);
    await sql(`
      create table sso_settings (
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        version int not null default 1,
        enabled boolean not null default false,
        enforced boolean not null default false,
        name text not null default 'SSO' check (name <> ''),
        discovery_url text,
        client_id text,
        client_secret sealed,
        default_role text not null default 'member',
        auto_provision boolean not null default true,
        -- When discovery_url, client_id and client_secret as they are were last found to work.
        tested_at timestamptz,
        unique (organisation_id, id),
        constraint sso_settings_one unique (organisation_id),
        constraint sso_settings_enforced check (enabled or not enforced)
      );

      -- A person at an identity provider, and the account that person is here: once it is there, addresses decide nothing.
      create table sso_links (
        id uuid primary key default gen_random_uuid(),
        organisation_id uuid not null references organisations (id),
        account_id uuid not null references accounts (id) on delete cascade,
        issuer text not null,
        subject text not null,
        created_at timestamptz not null default statement_timestamp(),
        unique (organisation_id, id),
        constraint sso_links_subject unique (organisation_id, issuer, subject)
      );
      create index on sso_links (account_id);

      -- Whom single sign-on has let in once: a person who is removed afterwards does not come back by signing in again.
      create table sso_provisionings (
        id uuid primary key default gen_random_uuid(),
        organisation_id uuid not null references organisations (id),
        account_id uuid not null references accounts (id) on delete cascade,
        created_at timestamptz not null default statement_timestamp(),
        unique (organisation_id, id),
        constraint sso_provisionings_once unique (organisation_id, account_id)
      );
      create index on sso_provisionings (account_id);

      create table service_access_grants (
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        version int not null default 1,
        created_by_account_id uuid references accounts (id) on delete set null,
        created_by_email text,
        -- A slow hash: twelve digits are guessed from a fast one in minutes.
        pin_hash text not null,
        failures int not null default 0,
        expires_at timestamptz not null,
        revoked_at timestamptz,
        claimed_at timestamptz,
        link_hash bytea,
        link_expires_at timestamptz,
        link_used_at timestamptz,
        session_hash bytea,
        unique (organisation_id, id),
        unique (organisation_id, link_hash),
        unique (organisation_id, session_hash)
      );
      create unique index service_access_grants_live on service_access_grants (organisation_id) where revoked_at is null;
      create index on service_access_grants (organisation_id, created_at);
      create index on service_access_grants (created_by_account_id);
      create trigger access_changed after delete or update of revoked_at, expires_at, session_hash on service_access_grants
        for each row execute function bump_access_of_row();

      -- The operator's own trail outlives the organisation, so it refers to none.
      create table operator_audit (
        id uuid primary key default gen_random_uuid(),
        created_at timestamptz not null default statement_timestamp(),
        action text not null,
        organisation uuid not null,
        slug text not null,
        actor text not null,
        detail jsonb not null default '{}'
      );
      create index on operator_audit (created_at);
      grant insert on operator_audit to ${application};
    `);
    for (const table of ["sso_settings", "sso_links", "sso_provisionings", "service_access_grants"])
      await sql(tenantTable(table, application));

    await sql(`
      -- Beside the organisation itself, so that every request knows it from the row it reads anyway.
      alter table organisations add column sso_enforced boolean not null default false;
      create trigger enforcement_changed before update of sso_enforced on organisations
        for each row when (old.sso_enforced is distinct from new.sso_enforced) execute function bump_access_of_organisation();

      create function bump_access_of_enforcement() returns trigger language plpgsql security definer set search_path = public as $$
      begin
        if tg_op = 'DELETE' then
          update organisations set sso_enforced = false where id = old.organisation_id and sso_enforced;
        else
          update organisations set sso_enforced = new.enforced where id = new.organisation_id and sso_enforced <> new.enforced;
        end if;
        return null;
      end $$;
      create trigger access_changed after insert or delete or update of enforced on sso_settings
        for each row execute function bump_access_of_enforcement();
    `);
  },
};

export default step;

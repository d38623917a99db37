import { SEALED_TYPE, type Step, tenantTable } from "../step.ts";

/**
 * OAuth: clients that act for a person, and what their sessions are made of. A session is a row of `api_keys`, its access token the key's
 * value; the refresh tokens hang on it.
 */
const step: Step = {
  async up({ sql, application }) {
    await sql(SEALED_TYPE);
    await sql(`
      create table oauth_clients (
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        -- What the client names itself by: a value made here, or the address of its metadata document.
        client_id text not null check (length(client_id) between 1 and 1024),
        is_document boolean not null default false,
        name text not null check (name <> ''),
        client_uri text,
        -- Of a document they are read from it each time.
        redirect_uris text[] not null default '{}',
        -- Only a confidential client has one.
        secret_hash bytea,
        -- When a person first approved it; until then it is removed after a day.
        approved_at timestamptz,
        revoked_at timestamptz,
        unique (organisation_id, id),
        constraint oauth_clients_client_id_key unique (organisation_id, client_id)
      );
      create index on oauth_clients (organisation_id, updated_at);

      create table oauth_approvals (
        organisation_id uuid not null references organisations (id),
        client_id uuid not null,
        account_id uuid not null,
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        primary key (organisation_id, client_id, account_id),
        foreign key (organisation_id, client_id) references oauth_clients (organisation_id, id) on delete cascade,
        foreign key (organisation_id, account_id) references memberships (organisation_id, account_id) on delete cascade
      );
      create index on oauth_approvals (organisation_id, account_id);

      alter table api_keys add column oauth_client_id uuid,
        -- The protected resource its token was recorded for; null for none, and for every other key.
        add column oauth_resource text,
        add constraint api_keys_oauth_client foreign key (organisation_id, oauth_client_id) references oauth_clients (organisation_id, id);
      create index on api_keys (organisation_id, oauth_client_id, account_id) where oauth_client_id is not null;
      -- A refresh gives a session another value: the former one may be cached.
      create or replace trigger access_changed after delete or update of revoked_at, expires_at, scopes, lookup, secret_hash on api_keys
        for each row execute function bump_access_of_row();

      create table oauth_codes (
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        created_at timestamptz not null default statement_timestamp(),
        client_id uuid not null,
        account_id uuid not null,
        code_hash bytea not null,
        redirect_uri text not null,
        challenge text not null,
        scopes text[] not null check (cardinality(scopes) > 0),
        resource text,
        expires_at timestamptz not null,
        redeemed_at timestamptz,
        -- The session issued from it.
        key_id uuid,
        unique (organisation_id, id),
        constraint oauth_codes_code_hash_key unique (organisation_id, code_hash),
        foreign key (organisation_id, client_id) references oauth_clients (organisation_id, id) on delete cascade,
        foreign key (organisation_id, account_id) references memberships (organisation_id, account_id) on delete cascade,
        foreign key (organisation_id, key_id) references api_keys (organisation_id, id) on delete set null (key_id)
      );
      create index on oauth_codes (organisation_id, client_id);
      create index on oauth_codes (organisation_id, account_id);
      create index on oauth_codes (organisation_id, key_id) where key_id is not null;

      create table oauth_refresh_tokens (
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        created_at timestamptz not null default statement_timestamp(),
        key_id uuid not null,
        token_hash bytea not null,
        expires_at timestamptz not null,
        rotated_at timestamptz,
        successor_id uuid,
        -- What the rotation answered, to be answered again for a lost response; only for as long as that may be.
        successor sealed,
        unique (organisation_id, id),
        constraint oauth_refresh_tokens_token_hash_key unique (organisation_id, token_hash),
        foreign key (organisation_id, key_id) references api_keys (organisation_id, id) on delete cascade,
        foreign key (organisation_id, successor_id) references oauth_refresh_tokens (organisation_id, id) on delete set null (successor_id)
      );
      create index on oauth_refresh_tokens (organisation_id, key_id);
      create index on oauth_refresh_tokens (organisation_id, successor_id) where successor_id is not null;
    `);
    for (const table of ["oauth_clients", "oauth_approvals", "oauth_codes", "oauth_refresh_tokens"])
      await sql(tenantTable(table, application));
    await sql(`
      -- What has had its time, in every organisation: clients that were never approved, codes, refresh tokens and what they keep.
      create function clear_oauth() returns void language sql security definer set search_path = public as $$
        delete from oauth_clients where approved_at is null and created_at < now() - interval '24 hours';
        delete from oauth_codes where expires_at < now() - interval '1 day';
        update oauth_refresh_tokens set successor = null where successor is not null and rotated_at < now() - interval '30 seconds';
        update api_keys k set revoked_at = now(), updated_at = now()
         where k.oauth_client_id is not null and k.revoked_at is null and k.expires_at < now()
           and not exists (select from oauth_refresh_tokens r
             where r.organisation_id = k.organisation_id and r.key_id = k.id and r.expires_at > now());
        delete from oauth_refresh_tokens where expires_at < now() $$;
      revoke all on function clear_oauth() from public;
      grant execute on function clear_oauth() to ${application};

      -- Only an account whose address was never proven: its registrant keeps no way in (access §4.4), and none that is under way.
      create or replace function strip_account(account uuid) returns void language plpgsql security definer set search_path = public as $$
      begin
        perform from accounts where id = account and not is_verified for update;
        if not found then return; end if;
        update accounts set password_hash = null, updated_at = statement_timestamp() where id = account and password_hash is not null;
        delete from two_factors where account_id = account;
        delete from oauth_codes where account_id = account and redeemed_at is null;
        update api_keys set revoked_at = now(), updated_at = now() where account_id = account and revoked_at is null;
        perform end_sessions(account, null);
      end $$;
    `);
  },
};
export default step;

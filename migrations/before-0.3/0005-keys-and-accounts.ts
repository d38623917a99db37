import type { Step } from "../step.ts";

/** What keys, service accounts and accounts need to be written over the API. */
const step: Step = {
  async up({ sql, application }) {
    await sql(`
      -- The version is an account's ETag. Accounts are written in several places, so the table itself counts.
      alter table accounts add column version int not null default 1,
        -- Disabled by an instance administrator: only one of those undoes it (access §3).
        add column hand_disabled_at timestamptz;
      create function count_account_version() returns trigger language plpgsql as $$
      begin
        new.version := old.version + 1;
        return new;
      end $$;
      create trigger version_counted before update on accounts
        for each row when (old.* is distinct from new.*) execute function count_account_version();

      alter table service_accounts add column created_by_account_id uuid references accounts (id) on delete set null;

      -- A service account's key outlives the personal key that made it when the person is deleted (access §6.2).
      alter table api_keys drop constraint api_keys_organisation_id_parent_key_id_fkey,
        add constraint api_keys_parent foreign key (organisation_id, parent_key_id) references api_keys (organisation_id, id)
          on delete set null (parent_key_id);
      create index on api_keys (organisation_id, parent_key_id) where parent_key_id is not null;
      create index on api_keys (organisation_id, service_account_id) where service_account_id is not null;

      -- Sessions of other organisations are out of the application's sight, and a new password ends those too (access §1.1).
      create function end_sessions(account uuid, except_session uuid) returns void language sql security definer
        set search_path = public as $$
        update sessions set ended_at = now() where account_id = account and id is distinct from except_session and ended_at is null $$;
      revoke all on function end_sessions(uuid, uuid) from public;
      grant execute on function end_sessions(uuid, uuid) to ${application};
    `);
  },
};

export default step;

import type { Step } from "../step.ts";

/** Removes ended sessions, and revokes with the keys of an unproven account the keys that those created. */
const step: Step = {
  async up({ sql }) {
    await sql(`
      drop trigger access_changed on sessions;
      create trigger access_changed after update of ended_at on sessions for each row execute function bump_access_of_row();
      -- A session that still works can be cached; one that has ended cannot.
      create trigger access_removed after delete on sessions for each row
        when (old.ended_at is null and old.expires_at > now()) execute function bump_access_of_row();

      -- Ended and expired sessions go a day later (conventions §20).
      create or replace function clear_sign_ins() returns void language sql security definer set search_path = public as $$
        delete from sign_in_challenges where expires_at < now();
        delete from account_tokens where expires_at < now();
        delete from sessions where least(ended_at, expires_at) < now() - interval '1 day' $$;

      -- Only an account whose address was never proven: its registrant keeps no access (access §4.4), neither by a key that one of its keys
      -- created (access §6.2).
      create or replace function strip_account(account uuid) returns void language plpgsql security definer set search_path = public as $$
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
      end $$;
    `);
  },
};

export default step;

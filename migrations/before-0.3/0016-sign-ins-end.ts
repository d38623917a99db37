import type { Step } from "../step.ts";

/**
 * What ends an account's sessions ends its half-finished sign-ins: a challenge proves a password that may have changed since. And keys
 * that are taken away show it to who asks for what has changed (conventions §10).
 */
const step: Step = {
  async up({ sql }) {
    await sql(`
      -- Nobody proved the address of this account: whoever registered it keeps no way in (access §4.4).
      create or replace function strip_account(account uuid) returns void language plpgsql security definer set search_path = public as $$
      begin
        update accounts set password_hash = null, updated_at = statement_timestamp() where id = account and password_hash is not null;
        delete from two_factors where account_id = account;
        update api_keys set revoked_at = now(), updated_at = now() where account_id = account and revoked_at is null;
        perform end_sessions(account, null);
      end $$;

      -- Challenges first: whoever is finishing one holds its row, and the session that comes of it is then seen.
      create or replace function end_sessions(account uuid, except_session uuid) returns void language sql security definer
        set search_path = public as $$
        update sign_in_challenges set spent_at = now() where account_id = account and spent_at is null;
        update sessions set ended_at = now() where account_id = account and id is distinct from except_session and ended_at is null $$;
    `);
  },
};
export default step;

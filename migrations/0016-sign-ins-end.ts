import type { Step } from "./step.ts";

/** What ends an account's sessions ends its half-finished sign-ins: a challenge proves a password that may have changed since. */
const step: Step = {
  async up({ sql }) {
    await sql(`
      -- Challenges first: whoever is finishing one holds its row, and the session that comes of it is then seen.
      create or replace function end_sessions(account uuid, except_session uuid) returns void language sql security definer
        set search_path = public as $$
        update sign_in_challenges set spent_at = now() where account_id = account and spent_at is null;
        update sessions set ended_at = now() where account_id = account and id is distinct from except_session and ended_at is null $$;
    `);
  },
};
export default step;

import type { Step } from "./step.ts";

/** Ended and expired sessions are removed a day later (conventions §20), and removing one changes nobody's access. */
const step: Step = {
  async up({ sql }) {
    await sql(`
      drop trigger access_changed on sessions;
      create trigger access_changed after update of ended_at on sessions for each row execute function bump_access_of_row();
      -- A session that still works can be cached; one that has ended cannot.
      create trigger access_removed after delete on sessions for each row
        when (old.ended_at is null and old.expires_at > now()) execute function bump_access_of_row();

      create or replace function clear_sign_ins() returns void language sql security definer set search_path = public as $$
        delete from sign_in_challenges where expires_at < now();
        delete from account_tokens where expires_at < now();
        delete from sessions where least(ended_at, expires_at) < now() - interval '1 day' $$;
    `);
  },
};

export default step;

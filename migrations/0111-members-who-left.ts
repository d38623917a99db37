import type { Step } from "./step.ts";

/** Rules ask whether a person who is no member was one before (platform chapter §2.5). */
const step: Step = {
  async up({ sql }) {
    await sql(
      "create index access_audit_left_key on access_audit (organisation_id, target_account_id) where action = 'membership.revoked'",
    );
  },
};

export default step;

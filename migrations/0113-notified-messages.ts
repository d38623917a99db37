import type { Step } from "./step.ts";

/**
 * Whether the owner of a mailbox was notified of a pending message: one notification per poll reports all that none reported yet, also after
 * a poll that broke off. The version before reports each message when it stores it.
 */
const step: Step = {
  async up({ sql }) {
    await sql(`
      alter table interactions add column review_notified boolean not null default true;
      create index interactions_to_notify on interactions (organisation_id, owner_account_id) where not review_notified;
    `);
  },
};

export default step;

import type { Step } from "../step.ts";

/**
 * What changed in an inbox is found among the rows of its owner, not among those of all colleagues. The index takes the place of one by
 * the organisation alone, which only this question read, so a write fills as many as before.
 */
const step: Step = {
  async up({ sql }) {
    await sql(`
      create index notifications_of_account_by_change on notifications (organisation_id, account_id, updated_at);
      drop index notifications_organisation_id_updated_at_idx;
    `);
  },
};

export default step;

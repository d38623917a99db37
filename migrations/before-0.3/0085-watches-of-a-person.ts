import type { Step } from "../step.ts";

/**
 * The watches of a person are found by an index that begins with the person. One that began with the organisation served the look for the
 * followers of a record too: over few rows the planner took it, and compared every follower with every record.
 */
const step: Step = {
  async up({ sql }) {
    await sql(`
      drop index notification_watches_organisation_id_account_id_idx, notification_watches_account_id_idx;
      create index on notification_watches (account_id, organisation_id);
    `);
  },
};

export default step;

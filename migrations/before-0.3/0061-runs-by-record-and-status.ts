import type { Step } from "../step.ts";

/**
 * Runs of automation by record: what bounds the runs of one rule on one record (platform §2.4) and what lists them. And by status whatever
 * that is, in place of the index of those that wait or are under way.
 */
const step: Step = {
  async up({ sql }) {
    await sql(`
      create index on automation_runs (organisation_id, entity_id, created_at desc, id desc);
      create index on automation_runs (organisation_id, status, created_at desc, id desc);
      drop index automation_runs_organisation_id_status_created_at_idx;
    `);
  },
};

export default step;

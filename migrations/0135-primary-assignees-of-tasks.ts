import type { Step } from "./step.ts";

/**
 * The rosters of tasks by person, with the primary assignee: the order of tasks by assignee reads no row of a roster. It replaces an index
 * without that column, so no write adds an entry to more indexes.
 */
const step: Step = {
  async up({ sql }) {
    await sql(`
      create index task_assignees_of_person on task_assignees (organisation_id, account_id, task_id) include (is_primary);
      drop index task_assignees_organisation_id_account_id_task_id_idx;
    `);
  },
};

export default step;

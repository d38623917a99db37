import { type Step, walkIndexes } from "../step.ts";

/**
 * A search walks the default order in an index that has the text itself: in the table each row would be a page of its own. The sample
 * of the steps before stays for nodes that still run the version before.
 */
const step: Step = {
  async up({ sql }) {
    await sql(walkIndexes("companies", "name collate kantoor_text, id"));
    await sql(walkIndexes("contacts", "created_at, id"));
    // Whose companies come first in the order by assignee, and how many those are.
    await sql(
      "create index company_assignees_primaries on company_assignees (organisation_id, account_id, company_id) where is_primary",
    );
  },
};
export default step;

import { type Step, walkIndexes } from "./step.ts";

/**
 * A search walks the default order in an index that has the text itself: in the table each row would be a page of its own. The sample
 * of the steps before stays for nodes that still run the version before.
 */
const step: Step = {
  async up({ sql }) {
    await sql(walkIndexes("companies", "name collate kantoor_text, id"));
    await sql(walkIndexes("contacts", "created_at, id"));
  },
};
export default step;

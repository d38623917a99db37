import type { Step } from "./step.ts";

/** Hours in the order of their minutes, value by value (core/database/lists/first.ts): one index for both directions. */
const step: Step = {
  async up({ sql }) {
    await sql("create index time_entries_by_minutes on time_entries (organisation_id, minutes, started_at desc, id);");
  },
};

export default step;

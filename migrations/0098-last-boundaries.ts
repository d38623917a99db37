import type { Step } from "./step.ts";

/**
 * The last boundary of an agreement whose cycle has ended: its unbilled periods go back from there. Null while a next boundary is set, and
 * for agreements that ended before this step.
 */
const step: Step = {
  async up({ sql }) {
    await sql("alter table subscriptions add column last_boundary date");
  },
};

export default step;

import type { Step } from "./step.ts";

/** A purge deletes rows in batches: once it has begun, the deletion cannot be cancelled. */
const step: Step = {
  async up({ sql }) {
    await sql("alter table organisation_suspensions add column purging_since timestamptz");
  },
};

export default step;

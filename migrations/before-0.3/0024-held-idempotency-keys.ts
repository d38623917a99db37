import type { Step } from "../step.ts";

/**
 * A key of a request that does something outside of the service before it writes, as handing over a mail, is held meanwhile, so that a twin
 * waits: `held_until` is when the node that holds it must be gone, `work_id` the id of what it does outside.
 */
const step: Step = {
  async up({ sql }) {
    await sql("alter table idempotency_keys add column work_id uuid, add column held_until timestamptz");
  },
};

export default step;

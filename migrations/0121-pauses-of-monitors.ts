import type { Step } from "./step.ts";

/**
 * The end of a pause that an automation rule began. A node of an earlier version leaves it when a person resumes the monitor; the job that
 * ends the pause then finds the monitor active and does nothing.
 */
const step: Step = {
  async up({ sql }) {
    await sql(`
      -- Null while it is active, and for a pause without an end.
      alter table uptime_monitors add column paused_until timestamptz;`);
  },
};

export default step;

import type { Step } from "./step.ts";

/** What a row was before a change, where a later write needs it. Rows from before this step have none. */
const step: Step = {
  async up({ sql }) {
    await sql(`
      -- Earlier names, types and targets of a monitor without a number at its server: an unanswered attempt may have created it under them.
      alter table uptime_monitors add column former jsonb not null default '[]';`);
  },
};

export default step;

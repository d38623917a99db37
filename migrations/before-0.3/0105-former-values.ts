import type { Step } from "../step.ts";

/** What a row was before a change, where a later write needs it. Rows from before this step have none. */
const step: Step = {
  async up({ sql }) {
    await sql(`
      -- Earlier names, types and targets of a monitor without a number at its server: an unanswered attempt may have created it under them.
      alter table uptime_monitors add column former jsonb not null default '[]';

      -- The amount that an increase started from; null where the price was set. An increase of the same day starts there again.
      alter table subscription_prices add column increased_from numeric(12, 2);
      -- The same of a preset, with the day of that increase.
      alter table subscription_templates add column increased_from numeric(12, 2), add column increased_on date;`);
  },
};

export default step;

import type { Step } from "./step.ts";

/**
 * What a credit note had taken off its source when it was cancelled. `applied_total` is zero from then on, and reports of an earlier day
 * need to know how much was set off on that day. Notes that were cancelled before have zero: they count as not set off.
 */
const step: Step = {
  async up({ sql }) {
    await sql("alter table invoices add column withdrawn_total numeric(14,2) not null default 0");
  },
};

export default step;

import type { Step } from "../step.ts";

/**
 * Agreements whose boundaries are all at the end of a month (money §9 "Anchor"); those of before go on as they do, which null says.
 */
const step: Step = {
  async up({ sql }) {
    await sql("alter table subscriptions add column anchor text check (anchor = 'month_end')");
  },
};

export default step;

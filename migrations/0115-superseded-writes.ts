import type { Step } from "./step.ts";

/**
 * A write whose value a later change replaced, so that no evidence shows whether it was carried out, is superseded (marketing-ads §3.10).
 * Later writes to one object, and earlier amounts of one budget, are found by its resource name.
 */
const step: Step = {
  async up({ sql }) {
    const changed = "(planned -> 0 -> 'operation' -> 'update' ->> 'resourceName')";
    await sql(`
      alter table ads_intents drop constraint ads_intents_state_check,
        add constraint ads_intents_state_check check (state in ('pending', 'applied', 'refused', 'unknown', 'superseded'));
      create index ads_intents_changed on ads_intents (organisation_id, account_id, ${changed}, created_at) where ${changed} is not null;
      create index ads_intents_created on ads_intents (organisation_id, account_id, (outcome -> 0 ->> 'resource_name'))
        where operation = 'budgets.create' and state = 'applied';
    `);
  },
};

export default step;

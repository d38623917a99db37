import type { Step } from "../step.ts";

/**
 * Where rules for a whole domain led that were seen so far: what a domain says is taken back when the rule it followed is gone, also where
 * that was seen by a caller who may not change domains. The version before reads and writes the rows without it.
 */
const step: Step = {
  async up({ sql }) {
    await sql(`
      alter table edge_observations add column targets text[] not null default '{}';
      update edge_observations o set targets = array(
        select distinct f ->> 'target_url' from jsonb_array_elements(o.found) f
         where f ->> 'domain_wide' = 'true' and f ->> 'target_url' is not null order by 1)
       where o.kind = 'redirect_rule' and jsonb_typeof(o.found) = 'array';
    `);
  },
};

export default step;

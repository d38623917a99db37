import type { Step } from "../step.ts";

/**
 * Documents that were issued before the step `exact-prices-and-issued-looks` are frozen as they print now: with the company details, the
 * brand and the template of this moment, once for each template of an organisation.
 */
const step: Step = {
  async up({ sql }) {
    for (const table of ["invoices", "quotes"])
      await sql(`
        with looks as materialized (
          select p.organisation_id, p.template_id, issued_look(p.organisation_id, p.template_id) as look_id
            from (select distinct organisation_id, template_id from ${table} where status <> 'draft' and look_id is null) p)
        update ${table} t set look_id = l.look_id from looks l
         where t.organisation_id = l.organisation_id and t.template_id is not distinct from l.template_id
           and t.status <> 'draft' and t.look_id is null`);
  },
};

export default step;

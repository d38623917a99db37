import type { Step } from "../step.ts";

/**
 * Positions of tasks are bounded from here on, so that the next task always gets one of its own. Organisations with a position beyond the
 * bound get their tasks numbered again in the same order, 1024 apart.
 */
const step: Step = {
  async up({ sql }) {
    await sql(`
      with ranked as (
        select t.id, row_number() over (partition by t.organisation_id order by t.position, t.created_at, t.id) as n
          from tasks t
         where t.organisation_id in (select far.organisation_id from tasks far where abs(far.position) > 1e12))
      update tasks t set position = ranked.n * 1024, version = t.version + 1, updated_at = statement_timestamp()
        from ranked where t.id = ranked.id;`);
  },
};

export default step;

import type { Step } from "../step.ts";

/**
 * Runs of automation that have waited for more than a day are skipped. While a licence did not cover automation, every write stored runs, which
 * would all begin with the renewal, or with this version, which asks self-hosted installations for no licence (platform §2.1).
 */
const step: Step = {
  async up({ sql }) {
    await sql(`
      with old as (
        delete from automation_matches m where m.created_at < now() - interval '1 day'
        returning m.organisation_id, m.created_at, m.trigger_event, m.entity_type, m.entity_id, m.company_id, m.depth, m.payload, m.identity,
          m.run_ids, m.rule_ids, m.rule_names)
      insert into automation_runs (id, organisation_id, created_at, updated_at, rule_id, rule_name, trigger_event, entity_type, entity_id,
        company_id, status, depth, payload, error, identity)
      select r.id, o.organisation_id, o.created_at, now(), a.id, r.rule_name, o.trigger_event, o.entity_type, o.entity_id, o.company_id,
          'skipped', o.depth, o.payload, 'errors.license_expired', o.identity
        from old o
       cross join lateral unnest(o.run_ids, o.rule_ids, o.rule_names) r (id, rule_id, rule_name)
        left join automation_rules a on a.organisation_id = o.organisation_id and a.id = r.rule_id
       order by r.id
      on conflict on constraint automation_runs_identity_key do nothing;

      update automation_runs set status = 'skipped', error = 'errors.license_expired', version = version + 1, updated_at = now()
       where status = 'pending' and created_at < now() - interval '1 day';
    `);
  },
};

export default step;

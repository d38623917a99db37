import type { Step } from "./step.ts";

/**
 * A client whose advertising account moved to another client, to none, or was unlinked, no longer sees its figures (marketing-ads §2.2):
 * the links that stayed active are deactivated. Their stored days stay.
 */
const step: Step = {
  async up({ sql }) {
    await sql(`
      update marketing_links l set active = false, held_by = null, held_until = null, version = l.version + 1,
          updated_at = statement_timestamp()
        from ads_accounts a
        where l.source = 'gads' and l.active and a.organisation_id = l.organisation_id
          and a.customer_id = regexp_replace(l.external_id, '[^0-9]', '', 'g')
          and (not a.active or a.company_id is distinct from l.company_id);`);
  },
};

export default step;

import type { Step } from "./step.ts";

/** The keys of records that were there before their triggers: one statement per table, which holds no lock that a writer waits for. */
const step: Step = {
  async up({ sql }) {
    await sql(`insert into company_match_keys (organisation_id, kind, key, company_id) select c.organisation_id, m.kind, m.key, c.id
      from companies c cross join lateral
        company_keys(c.name, c.legal_name, c.website, c.phone, c.invoice_email, c.vat_number, c.coc_number) m on conflict do nothing`);
    await sql(`insert into contact_match_keys (organisation_id, kind, key, contact_id) select c.organisation_id, m.kind, m.key, c.id
      from contacts c cross join lateral contact_keys(c.first_name, c.last_name, c.email, c.phone) m on conflict do nothing`);
  },
};

export default step;

import type { Step } from "./step.ts";

/** Deposits on quotes, and the lines by which the final invoice deducts them with the tax that they state. */
const step: Step = {
  async up({ sql }) {
    await sql(`
      alter table invoices add column deposit_of uuid,
        add constraint invoices_deposit_of_fkey foreign key (organisation_id, deposit_of)
          references quotes (organisation_id, id) on delete set null (deposit_of);
      create index invoices_deposit_of on invoices (organisation_id, deposit_of) where deposit_of is not null;
      alter table document_lines add column deposit_id uuid, add column tax_amount numeric(12,2),
        add constraint document_lines_deposit_fkey foreign key (organisation_id, deposit_id)
          references invoices (organisation_id, id) on delete set null (deposit_id);
      create index document_lines_deposit on document_lines (organisation_id, deposit_id) where deposit_id is not null;`);
  },
};

export default step;

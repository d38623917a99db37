import { movesWhenCut, type Step } from "./step.ts";

/** As every trigger of a table with an organisation: it does nothing while a whole organisation is copied or removed. */
const guarded = (trigger: string): string =>
  trigger.replace("when (", "when (current_setting('app.whole_organisation', true) is distinct from 'on' and ");

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
      create index document_lines_deposit on document_lines (organisation_id, deposit_id) where deposit_id is not null;
      drop trigger moved_by_deletion on invoices;
      ${guarded(movesWhenCut("invoices", "contact_id", "credit_for_id", "deposit_of", "domain_id", "quote_id", "subscription_id", "template_id"))}`);
  },
};

export default step;

import type { Step } from "./step.ts";

/**
 * From which day the days of a payment term count, and the terms that gave an invoice its due date. Settings count from the invoice date, as
 * before; documents that were issued before have no terms, and print as they did.
 */
const step: Step = {
  async up({ sql }) {
    await sql(`
      alter table invoicing_settings add column default_due_basis text not null default 'invoice_date'
        check (default_due_basis in ('invoice_date', 'end_of_month', 'day_of_next_month'));
      alter table invoices add column payment_terms jsonb;`);
  },
};

export default step;

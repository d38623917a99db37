import type { Step } from "../step.ts";

/**
 * A run of automation keeps the actions it began with, so that a node that takes it over from one that died goes on with the same. The daily
 * job remembers for which due date it has reported an invoice as overdue (platform §5.9); what is overdue already is not reported now. A row
 * that is made for this has `mailed_on` `-infinity`, as one that a reminder makes.
 */
const step: Step = {
  async up({ sql }) {
    await sql(`
      alter table automation_runs add column actions jsonb;
      alter table invoice_daily_mails add column overdue_reported_for date;
      insert into invoice_daily_mails as d (organisation_id, invoice_id, mailed_on, overdue_reported_for)
        select t.organisation_id, t.id, '-infinity', t.due_date from invoices t
         where t.status = 'open' and t.due_date < current_date and t.outstanding > 0
      on conflict (organisation_id, invoice_id) do update set overdue_reported_for = excluded.overdue_reported_for;
    `);
  },
};

export default step;

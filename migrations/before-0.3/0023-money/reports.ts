import type { StepContext } from "../../step.ts";

/** What reports of money read: hours that wait to be invoiced, and drafts. */
export async function reportIndexes({ sql }: StepContext): Promise<void> {
  await sql(`
    -- Of a client's hours, or everyone's, those that wait are few however many there are (money §8).
    create index time_entries_to_invoice on time_entries (organisation_id, company_id, started_at, id)
      where billable and approved_at is not null and invoiced_at is null and ended_at is not null and minutes > 0;
    create index invoices_drafts on invoices (organisation_id, company_id) where status = 'draft';
  `);
}

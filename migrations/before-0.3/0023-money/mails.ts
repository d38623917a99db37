import { type StepContext, tenantTable } from "../../step.ts";

/** On which day the daily job last took an invoice up to be mailed. */
export async function mailTables({ sql, application }: StepContext): Promise<void> {
  await sql(`
    -- Who writes the row of an invoice and day mails it: a second run on that day, or on another node, finds it taken (money §13).
    create table invoice_daily_mails (
      organisation_id uuid not null references organisations (id),
      invoice_id uuid not null,
      mailed_on date not null,
      primary key (organisation_id, invoice_id),
      constraint invoice_daily_mails_invoice_fkey foreign key (organisation_id, invoice_id) references invoices (organisation_id, id)
        on delete cascade
    );
  `);
  await sql(tenantTable("invoice_daily_mails", application));
}

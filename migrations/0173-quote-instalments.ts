import { movesWhenCut, type Step, tenantTable } from "./step.ts";

/** As every trigger of a table with an organisation: it does nothing while a whole organisation is copied or removed. */
const guarded = (trigger: string): string =>
  trigger.replace("when (", "when (current_setting('app.whole_organisation', true) is distinct from 'on' and ");

/** Plans of dates and shares by which quotes are invoiced in turns. */
const step: Step = {
  async up({ sql, application }) {
    await sql(`
      create table quote_instalments (
        id uuid primary key, organisation_id uuid not null references organisations (id), quote_id uuid not null,
        version int not null default 1, created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        due_on date not null,
        percent numeric(5,2) not null check (percent > 0 and percent <= 100),
        mode text not null check (mode in ('draft', 'issue', 'send')),
        invoice_id uuid,
        unique (organisation_id, id),
        constraint quote_instalments_day unique (organisation_id, quote_id, due_on),
        constraint quote_instalments_quote_fkey foreign key (organisation_id, quote_id)
          references quotes (organisation_id, id) on delete cascade,
        constraint quote_instalments_invoice_fkey foreign key (organisation_id, invoice_id)
          references invoices (organisation_id, id) on delete set null (invoice_id));
      create index quote_instalments_open on quote_instalments (organisation_id, due_on) where invoice_id is null;
      create index quote_instalments_invoice on quote_instalments (organisation_id, invoice_id) where invoice_id is not null;
      create index on quote_instalments (organisation_id, updated_at);`);
    await sql(tenantTable("quote_instalments", application) + guarded(movesWhenCut("quote_instalments", "invoice_id")));
  },
};

export default step;

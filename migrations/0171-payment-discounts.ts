import { type Step, tenantTable } from "./step.ts";

/**
 * Discount for early payment: what settings, clients and drafts offer, what an issued invoice promised, and the credit note by which a
 * payment took it. Documents that were issued before promise none.
 */
const step: Step = {
  async up({ sql, application }) {
    await sql(`
      alter table invoicing_settings add column default_payment_discount jsonb;
      alter table invoices add column payment_discount jsonb, add column discount_until date, add column discount_amount numeric(14,2),
        add column discount_left numeric(14,2) not null default 0, add column is_discount boolean not null default false;
      alter table invoice_payments add column discount_note_id uuid,
        add constraint invoice_payments_discount_note_fkey foreign key (organisation_id, discount_note_id)
          references invoices (organisation_id, id) on delete set null (discount_note_id);
      create index invoice_payments_discount_note on invoice_payments (organisation_id, discount_note_id) where discount_note_id is not null;
      create table client_terms (
        id uuid primary key, organisation_id uuid not null references organisations (id), company_id uuid not null,
        version int not null default 1, created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        payment_discount jsonb,
        unique (organisation_id, id), unique (organisation_id, company_id),
        constraint client_terms_company_fkey foreign key (organisation_id, company_id)
          references companies (organisation_id, id) on delete cascade);
      create index on client_terms (organisation_id, updated_at);`);
    await sql(tenantTable("client_terms", application));
  },
};

export default step;

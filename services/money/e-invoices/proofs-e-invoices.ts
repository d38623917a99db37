import type { DefineProofs, Place } from "../../../test/support/fixture/proofs.ts";
import { NO_CUSTOMER } from "../documents/document-schemas.ts";

const SELLER = JSON.stringify({ name: "Vela Works B.V.", country: "NL", vat_number: "NL123456789B01" });
const BUYER = JSON.stringify({ ...NO_CUSTOMER, name: "Oost Zeilen B.V.", country: "NL" });

/** Issues an invoice that meets all requirements. */
async function issued({ sql, tenant }: Place, { invoice_id }: Record<string, string>): Promise<void> {
  const { id } = tenant.organisation;
  await sql.query(
    `insert into invoicing_settings (organisation_id, company_details) values ($1, $2)
      on conflict (organisation_id) do update set company_details = $2`,
    [id, SELLER],
  );
  await sql.query(
    `update invoices set status = 'open', number = coalesce(number, 'E-' || id), issue_date = '2026-03-02', due_date = '2026-03-16',
        customer = $2 where id = $1`,
    [invoice_id, BUYER],
  );
  await sql.query(
    `insert into document_lines (id, organisation_id, invoice_id, position, description, unit_price, amount, tax_rate_pct, tax_category)
      select gen_random_uuid(), $1, $2, coalesce(max(position) + 1, 0), 'Work', 10, 10, 21, 'standard'
        from document_lines where organisation_id = $1 and invoice_id = $2`,
    [id, invoice_id],
  );
}

/** Fixtures of e-invoices for the generic tests: a document must be issued and complete. */
export const eInvoiceProofs: DefineProofs = () => ({
  arranged: {
    "GET /invoicing/invoices/{invoice_id}/ubl": issued,
    "GET /invoicing/invoices/{invoice_id}/pdf": issued,
  },
});

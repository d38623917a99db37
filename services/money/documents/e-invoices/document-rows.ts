import { queryOne } from "../../../../core/database/query.ts";
import { notFound, refusal } from "../../../../core/errors/errors.ts";
import { request } from "../../../../core/request/context.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { documentsInSelection, sourceNumber } from "../document-columns.ts";
import { LOOK_JOIN, sellerOf } from "../issued-looks.ts";
import type { Leaving } from "../kept-files.ts";
import type { InvoiceStatus } from "../models.ts";
import type { InvoicedDocument, Profile } from "./document-data.ts";
import { missingFields } from "./requirements.ts";

/** Reads decimals as text: JSON numbers lose trailing zeros, and large ones their last digits. */
const READ = statement(`
  select t.id, t.version, t.status, t.kind, t.number, t.issue_date, t.due_date, t.payment_terms, t.payment_discount, t.delivery_date, t.currency, t.locale,
    t.reference, t.notes, t.prices_include_tax, t.paid_total, t.customer, ${sourceNumber("$3::uuid[]")} as source_number,
    ${sellerOf("invoice")} as seller,
    (select coalesce(json_agg(distinct d.number), '[]') from document_lines l
      join invoices d on d.organisation_id = l.organisation_id and d.id = l.deposit_id
      where l.organisation_id = t.organisation_id and l.invoice_id = t.id) as deposit_numbers,
    coalesce((select json_agg(json_build_object('description', l.description, 'quantity', l.quantity::text, 'unit', l.unit,
        'unit_price', l.unit_price::text, 'amount', l.amount::text, 'tax_rate_pct', l.tax_rate_pct::text,
        'tax_category', l.tax_category, 'tax_name', l.tax_name, 'tax_amount', l.tax_amount::text) order by l.position)
      from document_lines l where l.organisation_id = t.organisation_id and l.invoice_id = t.id), '[]') as lines
  from invoices t
  join organisations o on o.id = t.organisation_id
  left join invoicing_settings s on s.organisation_id = t.organisation_id
  ${LOOK_JOIN}
  where t.organisation_id = $1 and t.id = $2
    and ($3::uuid[] is null or ${documentsInSelection("$3::uuid[]")})`);

/** An issued document, as read. */
export type IssuedDocument = InvoicedDocument & Leaving & { readonly status: InvoiceStatus };

/**
 * An issued document, as input of an e-invoice.
 * @throws 404 for one the caller does not see, including drafts for client logins; 409 wrong_status for other drafts
 */
export async function invoicedDocument(id: string): Promise<IssuedDocument> {
  const { organisation, principal } = request();
  const selection = principal?.selection ?? null;
  const row = await queryOne<IssuedDocument>(READ, [organisation.id, id, selection]);
  if (!row || (row.status === "draft" && principal?.isClientLogin)) throw notFound();
  if (row.status === "draft") throw refusal("conflict", "errors.invoicing.wrong_status");
  return row;
}

/**
 * Requires that a document meets all requirements of its profile (money §15).
 * @throws 409 `conflict` with the missing fields of the document or its seller
 */
export function requireComplete(document: InvoicedDocument, profile: Profile): void {
  const fields = missingFields(document, profile);
  if (Object.keys(fields).length > 0) throw refusal("conflict", "errors.conflict", { fields });
}

import { queryOne } from "../../../../core/database/query.ts";
import { conflict } from "../../../../core/errors/errors.ts";
import { request } from "../../../../core/request/context.ts";
import { statement } from "../../../../core/sql/statement.ts";
import type { InvoiceRow } from "../models.ts";

/** Final invoices that deduct a deposit: issued, and not credited in full. */
const DEDUCTING = statement(`select 1 from document_lines l
    join invoices f on f.organisation_id = l.organisation_id and f.id = l.invoice_id
  where l.organisation_id = $1 and l.deposit_id = $2 and f.kind = 'invoice' and f.status in ('open', 'paid')
    and not (f.total > 0 and f.total <= (select coalesce(-sum(n.total), 0) from invoices n where n.organisation_id = f.organisation_id
      and n.credit_for_id = f.id and n.kind = 'credit_note' and n.status in ('open', 'paid'))) limit 1`);

/**
 * Requires that no issued final invoice deducts an invoice that is to be credited or cancelled (money §10.1).
 * @throws 409 `errors.invoicing.deposit_deducted`
 */
export async function requireNotDeducted({ id, deposit_of }: Pick<InvoiceRow, "id" | "deposit_of">): Promise<void> {
  if (deposit_of === null) return;
  if (await queryOne(DEDUCTING, [request().organisation.id, id])) throw conflict("errors.invoicing.deposit_deducted");
}

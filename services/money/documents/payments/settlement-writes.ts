import { queryOne } from "../../../../core/database/query.ts";
import { queueUpdate } from "../../../../core/database/write.ts";
import { conflict } from "../../../../core/errors/errors.ts";
import { emit } from "../../../../core/jobs/outbox.ts";
import { request } from "../../../../core/request/context.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { type DecimalText, decimal } from "../../../../core/values/money.ts";
import { isSettled } from "../../calculation/settlement.ts";
import { reportWritten } from "../document-reports.ts";
import { Invoice, type InvoiceRow } from "../models.ts";

const PAID = statement(`select round(coalesce(sum(amount), 0), 2)::text as paid_total, count(*)::int as payments
  from invoice_payments where organisation_id = $1 and invoice_id = $2`);

/** Changed credit balances of a document. */
export interface Credits {
  credited_total?: DecimalText;
  applied_total?: DecimalText;
  /** The discount for early payment that is left. */
  discount_left?: DecimalText;
}

/** The payload of invoice events; the invoice has a number. */
export const invoiceFacts = ({ id, company_id, number, total, currency }: InvoiceRow) => ({
  invoice_id: id,
  company_id,
  number: number as string,
  total,
  currency,
});

/**
 * Updates the balance and status of an issued document after a change of its payments or credits (money §6). `paid_total` is always the sum
 * of its payments. The caller must hold the document's lock (`lockInvoice`); a document neither open nor paid keeps its status.
 * @param credits the balances that change with it
 * @returns the updated document
 */
export async function settle(invoice: InvoiceRow, credits: Credits = {}): Promise<InvoiceRow> {
  const found = await queryOne<{ paid_total: string; payments: number }>(PAID, [request().organisation.id, invoice.id]);
  const { paid_total, payments } = found as { paid_total: string; payments: number };
  const balanced = { ...invoice, ...credits, paid_total };
  const isOrWas = invoice.status === "open" || invoice.status === "paid";
  const status = !isOrWas ? invoice.status : isSettled({ ...balanced, payments }) ? "paid" : "open";
  const moved =
    status === invoice.status ? {} : ({ status, paid_at: status === "paid" ? new Date().toISOString() : null } as const);
  const values = { ...credits, paid_total, ...moved };
  queueUpdate(Invoice, invoice.id, values);
  const isBalance = Object.keys({ ...credits, paid_total }).some(
    (name) => balanced[name as "paid_total"] !== invoice[name as "paid_total"],
  );
  reportWritten("invoice", invoice, values, isBalance ? ["outstanding"] : []);
  const settled = { ...balanced, ...moved };
  if (moved.status === "paid" && decimal(invoice.total).greaterThan(0))
    emit("invoice.paid", "invoice", invoice.id, invoiceFacts(settled));
  return settled;
}

/** @throws 409 `errors.invoicing.wrong_status` unless a document is open or paid */
export function requireIssued({ status }: Pick<InvoiceRow, "status">): void {
  if (status !== "open" && status !== "paid") throw conflict("errors.invoicing.wrong_status");
}

import { newId } from "../../../../core/database/model.ts";
import { queryOne } from "../../../../core/database/query.ts";
import { statement } from "../../../../core/database/statement.ts";
import { trail } from "../../../../core/database/trail.ts";
import { insert, lock, update } from "../../../../core/database/write.ts";
import { notFound } from "../../../../core/declare/errors.ts";
import { emit } from "../../../../core/jobs/outbox.ts";
import { request } from "../../../../core/request/context.ts";
import { decimal } from "../../../../core/values/money.ts";
import { isSettled } from "../../calculation/settlement.ts";
import { Invoice, InvoicePayment, type InvoiceRow, type PaymentMethod } from "../models.ts";

const BOOKED = statement(`select coalesce(sum(amount), 0)::text as paid_total, count(*)::int as payments from invoice_payments
  where organisation_id = $1 and invoice_id = $2`);

/** A payment to book; the amount is decimal text with 2 decimals. */
export interface Booking {
  paid_on: string;
  amount: string;
  method: PaymentMethod;
  note?: string | null;
  intent_id?: string;
}

/** The stored invoice, locked until the transaction ends. @throws 404 */
export async function lockInvoice(id: string): Promise<InvoiceRow> {
  const found = await lock(Invoice, id);
  if (!found) throw notFound();
  return found;
}

/** Recomputes what is paid of a locked invoice and whether that settles it (money §6). */
export async function settle(invoice: InvoiceRow): Promise<void> {
  const booked = await queryOne<{ paid_total: string; payments: number }>(BOOKED, [request().organisation.id, invoice.id]);
  const { paid_total, payments } = booked as { paid_total: string; payments: number };
  const settled = isSettled({ ...invoice, paid_total, payments });
  const becomesPaid = settled && invoice.status === "open";
  const reopens = !settled && invoice.status === "paid";
  update(Invoice, invoice.id, {
    paid_total,
    ...(becomesPaid && { status: "paid" as const, paid_at: new Date().toISOString() }),
    ...(reopens && { status: "open" as const, paid_at: null }),
  });
  if (!becomesPaid || !decimal(invoice.total).greaterThan(0)) return;
  const { id, company_id, number, total, currency } = invoice;
  emit("invoice.paid", "invoice", id, { invoice_id: id, company_id, number: number as string, total, currency });
}

/** Books a payment on a locked invoice and settles it. */
export async function bookPayment(invoice: InvoiceRow, { note = null, ...payment }: Booking): Promise<string> {
  const id = insert(InvoicePayment, { id: newId(), invoice_id: invoice.id, note, ...payment });
  trail("invoice", invoice.id, "payment_registered", { amount: payment.amount, method: payment.method });
  await settle(invoice);
  return id;
}

import { addMonths } from "../../../../core/calendar/calendar.ts";
import { queryOne } from "../../../../core/database/query.ts";
import { queueInsert, queueRemove, queueUpdate } from "../../../../core/database/write.ts";
import { runHooks } from "../../../../core/declare/catalogue/catalogue.ts";
import { conflict, invalid, notFound } from "../../../../core/errors/errors.ts";
import { emit } from "../../../../core/jobs/outbox.ts";
import { request } from "../../../../core/request/context.ts";
import { organisationToday } from "../../../../core/request/today.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { trail } from "../../../../core/trail/trail.ts";
import { isWholeIn } from "../../../../core/values/currencies.ts";
import { type DecimalInput, type DecimalText, decimal, formatDecimal } from "../../../../core/values/money.ts";
import { isSettled } from "../../calculation/settlement.ts";
import { AMOUNT_LIMIT, isWithin } from "../../calculation/totals.ts";
import { reportWritten } from "../document-reports.ts";
import { Invoice, InvoicePayment, type InvoiceRow, type PaymentMethod } from "../models.ts";

const PAID = statement(`select round(coalesce(sum(amount), 0), 2)::text as paid_total, count(*)::int as payments
  from invoice_payments where organisation_id = $1 and invoice_id = $2`);
const PAYMENT = statement(`select amount::text as amount from invoice_payments
  where organisation_id = $1 and invoice_id = $2 and id = $3`);

/** Changed credit balances of a document. */
export interface Credits {
  credited_total?: DecimalText;
  applied_total?: DecimalText;
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

/** A payment, of either sign: a negative one is a refund or a correction. */
export interface NewPayment {
  /** Its id; by default a new one. */
  id?: string | undefined;
  /** The day the money moved, `YYYY-MM-DD`. */
  paid_on: string;
  amount: DecimalInput;
  method?: PaymentMethod | undefined;
  note?: string | null | undefined;
  /** The attempt it settles; each attempt has at most one payment (money §11). */
  intent_id?: string | undefined;
}

const FIRST_DAY = "2000-01-01";
/** Whether a payment day is plausible: from the year 2000 to one year after the organisation's today. */
const isPlausible = (day: string): boolean => day >= FIRST_DAY && day <= addMonths(organisationToday(), 12);

/**
 * Books a payment on a document that the caller has locked, and settles it (money §6).
 * @returns the payment's id
 * @throws 409 `errors.invoicing.wrong_status` unless it is open or paid, 422 `amount` for zero, a value too large to store or fractions of
 * the currency's minor unit, 422 `paid_on` for an implausible day
 */
export async function bookPayment(invoice: InvoiceRow, payment: NewPayment): Promise<string> {
  const isAmount = isWithin(payment.amount, AMOUNT_LIMIT) && !decimal(payment.amount).isZero();
  if (!isAmount || !isWholeIn(payment.amount, invoice.currency)) throw invalid({ amount: "errors.validation" });
  // A provider's payment is booked whatever its day.
  if (payment.intent_id === undefined && !isPlausible(payment.paid_on)) throw invalid({ paid_on: "errors.validation" });
  const amount = formatDecimal(payment.amount);
  requireIssued(invoice);
  const { paid_on, method = "bank", note, intent_id } = payment;
  const values = { invoice_id: invoice.id, paid_on, amount, method, note: note?.trim() || null };
  const id = queueInsert(InvoicePayment, {
    ...values,
    ...(payment.id !== undefined && { id: payment.id }),
    ...(intent_id !== undefined && { intent_id }),
  });
  emit("invoice.payment_received", "invoice", invoice.id, { ...invoiceFacts(invoice), payment_id: id, amount, method, paid_on });
  await settle(invoice);
  trail("invoice", invoice.id, "payment_registered", { amount, method });
  return id;
}

/**
 * Deletes a payment of a document that the caller has locked, and settles it; the attempt of an online payment stays settled (money §6).
 * @throws 404 for a payment of another document, 409 `errors.invoicing.wrong_status` unless the document is open or paid
 */
export async function removePayment(invoice: InvoiceRow, id: string): Promise<void> {
  const payment = await queryOne<{ amount: string }>(PAYMENT, [request().organisation.id, invoice.id, id]);
  if (!payment) throw notFound();
  requireIssued(invoice);
  await runHooks("invoice.payment_removed", { invoice_id: invoice.id, payment_id: id });
  queueRemove(InvoicePayment, id);
  await settle(invoice);
  trail("invoice", invoice.id, "payment_deleted", { amount: payment.amount });
  emit("invoice.payment_removed", "invoice", invoice.id, { ...invoiceFacts(invoice), payment_id: id, amount: payment.amount });
}

import { addMonths } from "../../../../core/calendar/calendar.ts";
import { queryOne } from "../../../../core/database/query.ts";
import { queueInsert, queueRemove } from "../../../../core/database/write.ts";
import { runHooks } from "../../../../core/declare/catalogue/catalogue.ts";
import { invalid, notFound } from "../../../../core/errors/errors.ts";
import { emit } from "../../../../core/jobs/outbox.ts";
import { request } from "../../../../core/request/context.ts";
import { organisationToday } from "../../../../core/request/today.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { trail } from "../../../../core/trail/trail.ts";
import { isWholeIn } from "../../../../core/values/currencies.ts";
import { type DecimalInput, decimal, formatDecimal } from "../../../../core/values/money.ts";
import { AMOUNT_LIMIT, isWithin } from "../../calculation/totals.ts";
import { InvoicePayment, type InvoiceRow, type PaymentMethod } from "../models.ts";
import { invoiceFacts, requireIssued, settle } from "../payments/settlement-writes.ts";
import { giveDiscountBack, takeDiscount } from "./discounts.ts";

const PAYMENT = statement(`select amount::text as amount, discount_note_id from invoice_payments
  where organisation_id = $1 and invoice_id = $2 and id = $3`);

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
 * Books a payment on a document that the caller has locked, settles it, and takes the discount for early payment where that settles the rest
 * (money §6, §6.1).
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
  const settled = await settle(invoice);
  trail("invoice", invoice.id, "payment_registered", { amount, method });
  await takeDiscount(settled, id);
  return id;
}

/**
 * Deletes a payment of a document that the caller has locked, and settles it; the attempt of an online payment stays settled (money §6). The
 * credit note of a discount that it took is cancelled (money §6.1).
 * @throws 404 for a payment of another document, 409 `errors.invoicing.wrong_status` unless the document is open or paid
 */
export async function removePayment(invoice: InvoiceRow, id: string): Promise<void> {
  const payment = await queryOne<{ amount: string; discount_note_id: string | null }>(PAYMENT, [
    request().organisation.id,
    invoice.id,
    id,
  ]);
  if (!payment) throw notFound();
  requireIssued(invoice);
  await runHooks("invoice.payment_removed", { invoice_id: invoice.id, payment_id: id });
  queueRemove(InvoicePayment, id);
  await settle(invoice);
  if (payment.discount_note_id !== null) await giveDiscountBack(payment.discount_note_id);
  trail("invoice", invoice.id, "payment_deleted", { amount: payment.amount });
  emit("invoice.payment_removed", "invoice", invoice.id, { ...invoiceFacts(invoice), payment_id: id, amount: payment.amount });
}

import { lock } from "../../../../core/database/write.ts";
import type { Hook } from "../../../../core/declare/hooks.ts";
import { notFound } from "../../../../core/errors/errors.ts";
import { Invoice, type InvoiceRow } from "../models.ts";
import { bookPayment, removePayment } from "./payment-writes.ts";

/** The stored invoice. Its lock is the transaction's already; the call's `If-Match` is about the bank entry. @throws 404 */
async function locked(id: string): Promise<InvoiceRow> {
  const invoice = await lock(Invoice, id);
  if (!invoice) throw notFound();
  return invoice;
}

/** Books what a bank entry pays, as payments that a person registers, in the transaction that matches the entry (money §6). */
export const bookEntryPayments: Hook<"banking.entry_matched"> = async ({ payments }) => {
  for (const { invoice_id, ...payment } of payments) await bookPayment(await locked(invoice_id), { ...payment, method: "bank" });
};

/** Deletes the payments of a bank entry, as a person does (money §6). */
export const removeEntryPayments: Hook<"banking.entry_unmatched"> = async ({ payments }) => {
  for (const { id, invoice_id } of payments) await removePayment(await locked(invoice_id), id);
};

import type { Hook } from "../../../../core/declare/hooks.ts";
import { lockInvoice } from "./invoice-rows.ts";
import { bookPayment } from "./payment-writes.ts";

/** Books received money on its invoice, in the transaction that settles the attempt (money §11). */
export const bookArrival: Hook<"payment.arrived"> = async ({ invoice_id, ...payment }) => {
  await bookPayment(await lockInvoice(invoice_id), { ...payment, method: "online" });
};

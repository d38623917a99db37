import { action } from "../../../../core/declare/action.ts";
import { service } from "../../../../mixins/resource.ts";
import { PaymentWrite } from "../payments/payment-schemas.ts";
import { lockInvoice, writtenInvoice } from "./invoice-rows.ts";
import { InvoiceRead } from "./invoice-schemas.ts";
import { bookPayment, removePayment } from "./payment-writes.ts";

export default service("invoicing.payments", {
  actions: {
    create: action({
      rest: "POST /invoicing/invoices/:invoice_id/payments",
      summary: "Register a payment",
      description: "A negative amount is a refund or a correction. The invoice is paid when no amount is due.",
      permission: "invoicing.payment.write",
      conditional: true,
      status: 200,
      body: PaymentWrite,
      example: { paid_on: "2026-03-09", amount: "400.00", method: "bank", note: "Eerste termijn" },
      returns: InvoiceRead,
      errors: ["conflict errors.invoicing.wrong_status"],
      tool: {
        name: "register_payment",
        description: "Registers a payment of an invoice.",
        inArea: true,
        takes: ["invoice_id", "paid_on", "amount", "method", "note"],
      },
      async handler(ctx) {
        const invoice = await lockInvoice(ctx.params.invoice_id);
        await bookPayment(invoice, ctx.params.body);
        return writtenInvoice(invoice.id);
      },
    }),

    remove: action({
      rest: "DELETE /invoicing/invoices/:invoice_id/payments/:payment_id",
      summary: "Delete a payment",
      description: "The invoice is open again when something is due without it.",
      permission: "invoicing.payment.write",
      returns: InvoiceRead,
      errors: ["conflict errors.invoicing.wrong_status"],
      async handler(ctx) {
        const invoice = await lockInvoice(ctx.params.invoice_id);
        await removePayment(invoice, ctx.params.payment_id);
        return writtenInvoice(invoice.id);
      },
    }),
  },
});

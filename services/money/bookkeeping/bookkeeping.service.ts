import { internal } from "../../../core/declare/makers/internal.ts";
import { conflict } from "../../../core/errors/errors.ts";
import { input, uuid } from "../../../core/schema/schema.ts";
import { service } from "../../../mixins/resource.ts";
import type { SalesEntry } from "../../../mixins/sales-entry.ts";
import { keptUbl } from "../documents/e-invoices/kept-ubl.ts";
import { oneInvoice } from "../documents/invoices/invoice-rows.ts";
import { stampLeft } from "../documents/left.ts";
import type { InvoiceStatus } from "../documents/models.ts";
import { type ExportedInvoice, salesEntry } from "./sales-entry.ts";
import { ledgerCodes } from "./tax-accounts.ts";

const shared = {
  open: "the export that calls it has checked the caller's permission; a document is found as the caller sees it",
  body: input("BookkeepingQuery", { invoice_id: uuid() }),
} as const;

/** Issued documents for the actor that exports them to accounting providers (money §15). */
export default service("invoicing.bookkeeping", {
  actions: {
    entry: internal({
      ...shared,
      summary: "An issued document as a sales entry",
      errors: ["not_found", "conflict errors.invoicing.wrong_status"],
      async handler(ctx): Promise<SalesEntry> {
        const invoice = (await oneInvoice(ctx.params.body.invoice_id)).parse() as ExportedInvoice & { status: InvoiceStatus };
        if (invoice.status === "draft") throw conflict("errors.invoicing.wrong_status");
        return salesEntry(invoice, await ledgerCodes(invoice.lines.flatMap(({ tax_rate_id }) => tax_rate_id ?? [])));
      },
    }),

    e_invoice: internal({
      ...shared,
      summary: "An issued document as UBL, as it first left",
      errors: ["not_found", "conflict", "conflict errors.invoicing.wrong_status"],
      handler: async (ctx): Promise<string> => (await keptUbl(ctx.params.body.invoice_id, "en16931")).bytes.toString(),
    }),

    leave: internal({
      ...shared,
      summary: "Record that an issued document leaves the organisation",
      writes: true,
      handler: (ctx): Promise<boolean> => stampLeft("invoice", [ctx.params.body.invoice_id]),
    }),
  },
});

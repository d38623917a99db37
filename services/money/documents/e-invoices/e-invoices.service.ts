import { download } from "../../../../core/declare/makers/download.ts";
import { madeFile } from "../../../../core/files/file-answer.ts";
import { choice, optional } from "../../../../core/schema/schema.ts";
import { resource } from "../../../../mixins/resource.ts";
import { fileSafe } from "../../calculation/numbering.ts";
import { Invoice } from "../models.ts";
import { keptUbl } from "./kept-ubl.ts";

const MEDIA_TYPE = "application/xml";

export default resource("invoicing.e_invoices", {
  model: Invoice,
  actions: {
    ubl: download({
      rest: "GET /invoicing/invoices/:invoice_id/ubl",
      summary: "Download an issued document as UBL 2.1",
      description:
        "An Invoice, or a CreditNote with the signs turned, by EN 16931; with profile=peppol by Peppol BIS Billing 3 as well. What the " +
        "rules demand and the document or its seller lacks is 409 with the fields. The file stays as it was first fetched, and the document " +
        "never changes from then on.",
      permission: "invoicing.invoice.read",
      query: { profile: optional(choice(["en16931", "peppol"], { default: "en16931" })) },
      returnsFile: MEDIA_TYPE,
      errors: ["not_found", "conflict", "conflict errors.invoicing.wrong_status"],
      async handler(ctx) {
        const { invoice_id, profile = "en16931" } = ctx.params;
        const { number, bytes } = await keptUbl(invoice_id, profile);
        return madeFile({ name: `${fileSafe(number)}.xml`, type: MEDIA_TYPE, bytes });
      },
    }),
  },
});

import { download } from "../../../core/declare/makers/download.ts";
import { openAction } from "../../../core/declare/makers/open-action.ts";
import { request } from "../../../core/request/context.ts";
import { Type } from "../../../core/schema/schema.ts";
import { printing } from "../../../mixins/documents/printing/pdf.ts";
import { service } from "../../../mixins/resource.ts";
import { pdfAnswer, previewAnswer } from "../rendering/document-answers.ts";
import { linkedPdf, PUBLIC_HEADERS, publicInvoice, renderedLink } from "./public-rows.ts";
import { PublicInvoiceRead } from "./public-schemas.ts";

const OPEN = "anyone with the link of an invoice can read it; its token is the credential";
/** The schema does not limit its length, so that every wrong token gets the same answer. */
const path = { token: Type.String() };

export default service("invoicing.public", {
  mixins: [printing],
  actions: {
    read: openAction({
      rest: "GET /invoicing/public/invoices/:token",
      summary: "Read an invoice by its public link",
      open: OPEN,
      needs: "nothing",
      path,
      returns: PublicInvoiceRead,
      errors: ["not_found"],
      async handler(ctx) {
        const invoice = await publicInvoice(ctx.params.token);
        Object.assign(request().headers, PUBLIC_HEADERS);
        return invoice;
      },
    }),

    preview: download({
      rest: "GET /invoicing/public/invoices/:token/preview",
      verb: "preview",
      summary: "An invoice as a page, by its public link",
      open: OPEN,
      needs: "nothing",
      path,
      returnsFile: "text/html",
      errors: ["not_found"],
      handler: async (ctx) => previewAnswer(await renderedLink("invoice", ctx.params.token), PUBLIC_HEADERS),
    }),

    print: download({
      rest: "GET /invoicing/public/invoices/:token/pdf",
      summary: "An invoice as PDF, by its public link",
      open: OPEN,
      needs: "nothing",
      path,
      returnsFile: "application/pdf",
      errors: ["not_found", "unavailable"],
      handler: async (ctx) => pdfAnswer(await linkedPdf("invoice", ctx.params.token), PUBLIC_HEADERS),
    }),
  },
});

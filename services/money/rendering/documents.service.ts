import { action } from "../../../core/declare/action.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { stagedFile } from "../../../core/files/file-answer.ts";
import { stageBytes } from "../../../core/files/staged-uploads.ts";
import { flag, optional, Type, uuid } from "../../../core/schema/schema.ts";
import { printing } from "../../../mixins/documents/printing/pdf.ts";
import { service } from "../../../mixins/resource.ts";
import { completeDocument } from "../e-invoices/document-rows.ts";
import { zipOf } from "./archive.ts";
import { hybridAnswer, pdfAnswer, previewAnswer } from "./document-answers.ts";
import { type RenderedDocument, renderDocument, renderDocuments } from "./render.ts";
import { tightenedPdf } from "./tightened-pdf.ts";

/** Maximum documents per archive (money §14). */
const MOST_ARCHIVED = 50;
/** Documents of one archive in the browser's queue at a time, so that other requests get a turn. */
const AT_A_TIME = 2;

/** The template's own body cannot be rendered. */
const UNRENDERABLE = "conflict errors.invoicing.template_render";

/** The PDF files of documents, in order. */
async function printed(documents: readonly RenderedDocument[]): Promise<{ name: string; bytes: Buffer }[]> {
  const files: { name: string; bytes: Buffer }[] = [];
  for (let from = 0; from < documents.length; from += AT_A_TIME) {
    const some = documents.slice(from, from + AT_A_TIME);
    files.push(
      ...(await Promise.all(some.map(async ({ html, fileName }) => ({ name: fileName, bytes: await tightenedPdf(html) })))),
    );
  }
  return files;
}

export default service("invoicing.documents", {
  mixins: [printing],
  actions: {
    previewInvoice: action({
      rest: "GET /invoicing/invoices/:invoice_id/preview",
      summary: "An invoice as a page: what its PDF prints",
      permission: "invoicing.invoice.read",
      returnsFile: "text/html",
      errors: ["unavailable", UNRENDERABLE],
      handler: async (ctx) => previewAnswer(await renderDocument("invoice", ctx.params.invoice_id, "refused")),
    }),

    printInvoice: action({
      rest: "GET /invoicing/invoices/:invoice_id/pdf",
      summary: "An invoice as PDF",
      description:
        "The same file that is attached to its mail. With hybrid=true an issued one is PDF/A-3 with an embedded Cross Industry " +
        "Invoice (Factur-X, ZUGFeRD) by EN 16931; if the document or its seller lacks a required field, the answer is 409 with the fields.",
      permission: "invoicing.invoice.read",
      query: { hybrid: optional(flag(false)) },
      returnsFile: "application/pdf",
      errors: ["unavailable", "not_found", "conflict", "conflict errors.invoicing.wrong_status", UNRENDERABLE],
      async handler({ params: { invoice_id, hybrid } }) {
        if (!hybrid) return pdfAnswer(await renderDocument("invoice", invoice_id, "refused"));
        const invoice = await completeDocument(invoice_id, "en16931");
        return hybridAnswer(await renderDocument("invoice", invoice_id, "refused"), invoice);
      },
    }),

    archive: action({
      rest: "GET /invoicing/invoices/pdf",
      summary: "Invoices as PDF files in one archive",
      description:
        "In the requested order; repeated ids count once, but towards the limit of 50 each time. Invoices outside the caller's view are omitted.",
      permission: "invoicing.invoice.read",
      query: { ids: Type.Array(uuid(), { minItems: 1, maxItems: MOST_ARCHIVED }) },
      returnsFile: "application/zip",
      errors: ["not_found", "unavailable"],
      async handler(ctx) {
        const ids = [...new Set(ctx.params.ids.map((id) => id.toLowerCase()))];
        const documents = await renderDocuments("invoice", ids, "classic");
        if (documents.length === 0) throw notFound();
        const bytes = await zipOf(await printed(documents));
        return stagedFile({ name: "invoices.zip", type: "application/zip", staged: await stageBytes(bytes) });
      },
    }),

    previewQuote: action({
      rest: "GET /invoicing/quotes/:quote_id/preview",
      summary: "A quote as a page: what its PDF prints",
      permission: "invoicing.quote.read",
      returnsFile: "text/html",
      errors: ["unavailable", UNRENDERABLE],
      handler: async (ctx) => previewAnswer(await renderDocument("quote", ctx.params.quote_id, "refused")),
    }),

    printQuote: action({
      rest: "GET /invoicing/quotes/:quote_id/pdf",
      summary: "A quote as PDF",
      description: "The same file that is attached when it is sent.",
      permission: "invoicing.quote.read",
      returnsFile: "application/pdf",
      errors: ["unavailable", UNRENDERABLE],
      handler: async (ctx) => pdfAnswer(await renderDocument("quote", ctx.params.quote_id, "refused")),
    }),
  },
});

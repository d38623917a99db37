import { download } from "../../../core/declare/makers/download.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { stagedFile } from "../../../core/files/file-answer.ts";
import { stageBytes } from "../../../core/files/staged-uploads.ts";
import { flag, optional, Type, uuid } from "../../../core/schema/schema.ts";
import { printing } from "../../../mixins/documents/printing/pdf.ts";
import { service } from "../../../mixins/resource.ts";
import { zipOf } from "./archive.ts";
import { pdfAnswer, previewAnswer, printedHybrid } from "./document-answers.ts";
import { printedProforma, renderedProforma } from "./proforma.ts";
import { previewedDocument, printedDocument, printedDocuments } from "./render.ts";

/** Maximum documents per archive (money §14). */
const MOST_ARCHIVED = 50;

/** The template's own body cannot be rendered. */
const UNRENDERABLE = "conflict errors.invoicing.template_render";

export default service("invoicing.documents", {
  mixins: [printing],
  actions: {
    previewInvoice: download({
      rest: "GET /invoicing/invoices/:invoice_id/preview",
      verb: "preview",
      summary: "An invoice as a page: what its PDF prints",
      permission: "invoicing.invoice.read",
      returnsFile: "text/html",
      errors: ["unavailable", UNRENDERABLE],
      handler: async (ctx) => previewAnswer(await previewedDocument("invoice", ctx.params.invoice_id)),
    }),

    printInvoice: download({
      rest: "GET /invoicing/invoices/:invoice_id/pdf",
      summary: "An invoice as PDF",
      description:
        "The same file that is attached to its mail. Of an issued one it stays as it was first fetched or mailed, and the document never " +
        "changes from then on. With hybrid=true an issued one is PDF/A-3 with an embedded Cross Industry " +
        "Invoice (Factur-X, ZUGFeRD) by EN 16931; if the document or its seller lacks a required field, the answer is 409 with the fields.",
      permission: "invoicing.invoice.read",
      query: { hybrid: optional(flag(false)) },
      returnsFile: "application/pdf",
      errors: ["unavailable", "not_found", "conflict", "conflict errors.invoicing.wrong_status", UNRENDERABLE],
      async handler({ params: { invoice_id, hybrid } }) {
        return pdfAnswer(hybrid ? await printedHybrid(invoice_id) : await printedDocument("invoice", invoice_id));
      },
    }),

    previewProforma: download({
      rest: "GET /invoicing/invoices/:invoice_id/proforma/preview",
      summary: "A draft as a proforma page: what its PDF prints",
      description: "For drafts of invoices: it is called a proforma, and has no number and no code to pay by.",
      permission: "invoicing.invoice.read",
      returnsFile: "text/html",
      errors: ["unavailable", "conflict errors.invoicing.wrong_status", UNRENDERABLE],
      handler: async (ctx) => previewAnswer(await renderedProforma(ctx.params.invoice_id)),
    }),

    printProforma: download({
      rest: "GET /invoicing/invoices/:invoice_id/proforma/pdf",
      summary: "A draft as a proforma in PDF",
      description: "For drafts of invoices: it is called a proforma, and has no number, no e-invoice and no code to pay by.",
      permission: "invoicing.invoice.read",
      returnsFile: "application/pdf",
      errors: ["unavailable", "conflict errors.invoicing.wrong_status", UNRENDERABLE],
      handler: async (ctx) => pdfAnswer(await printedProforma(ctx.params.invoice_id)),
    }),

    archive: download({
      rest: "GET /invoicing/invoices/pdf",
      verb: "getMany",
      summary: "Invoices as PDF files in one archive",
      description:
        "In the requested order; repeated ids count once, but towards the limit of 50 each time. Invoices outside the caller's view are omitted.",
      permission: "invoicing.invoice.read",
      query: { ids: Type.Array(uuid(), { minItems: 1, maxItems: MOST_ARCHIVED }) },
      returnsFile: "application/zip",
      errors: ["not_found", "unavailable"],
      async handler(ctx) {
        const ids = [...new Set(ctx.params.ids.map((id) => id.toLowerCase()))];
        const documents = await printedDocuments("invoice", ids);
        if (documents.length === 0) throw notFound();
        const bytes = await zipOf(documents.map(({ fileName, pdf }) => ({ name: fileName, bytes: pdf })));
        return stagedFile({ name: "invoices.zip", type: "application/zip", staged: await stageBytes(bytes) });
      },
    }),

    previewQuote: download({
      rest: "GET /invoicing/quotes/:quote_id/preview",
      verb: "preview",
      summary: "A quote as a page: what its PDF prints",
      permission: "invoicing.quote.read",
      returnsFile: "text/html",
      errors: ["unavailable", UNRENDERABLE],
      handler: async (ctx) => previewAnswer(await previewedDocument("quote", ctx.params.quote_id)),
    }),

    printQuote: download({
      rest: "GET /invoicing/quotes/:quote_id/pdf",
      summary: "A quote as PDF",
      description: "The same file that is attached when it is sent. Of an issued one it stays as it was first fetched or mailed.",
      permission: "invoicing.quote.read",
      returnsFile: "application/pdf",
      errors: ["unavailable", UNRENDERABLE],
      handler: async (ctx) => pdfAnswer(await printedDocument("quote", ctx.params.quote_id)),
    }),
  },
});

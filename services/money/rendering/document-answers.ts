import { type FileAnswer, madeFile } from "../../../core/files/file-answer.ts";
import { shownPage } from "../../../mixins/documents/shown-page.ts";
import { ciiOf } from "../e-invoices/cii.ts";
import type { InvoicedDocument } from "../e-invoices/document-data.ts";
import { hybridPdf } from "./hybrid-pdf.ts";
import type { RenderedDocument } from "./render.ts";
import { tightenedPdf } from "./tightened-pdf.ts";

/** A document as an HTML page. */
export const previewAnswer = ({ html, fileName }: RenderedDocument, headers: Record<string, string> = {}): FileAnswer =>
  shownPage(fileName.replace(/\.pdf$/, ".html"), html, headers);

/**
 * A document as PDF.
 * @throws 503 `unavailable` with `Retry-After`
 */
export const pdfAnswer = async (
  { html, fileName }: RenderedDocument,
  headers: Record<string, string> = {},
): Promise<FileAnswer> =>
  madeFile({ name: fileName, type: "application/pdf", bytes: await tightenedPdf(html) }, { inline: true, headers });

/**
 * An invoice as a PDF with its e-invoice embedded.
 * @throws 503 `unavailable` with `Retry-After`
 */
export const hybridAnswer = async ({ html, fileName }: RenderedDocument, invoice: InvoicedDocument): Promise<FileAnswer> => {
  const bytes = await hybridPdf(await tightenedPdf(html), ciiOf(invoice), invoice.issue_date);
  return madeFile({ name: fileName, type: "application/pdf", bytes }, { inline: true });
};

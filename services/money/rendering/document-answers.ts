import { createHash } from "node:crypto";
import { type FileAnswer, madeFile } from "../../../core/files/file-answer.ts";
import { shownPage } from "../../../mixins/documents/shown-page.ts";
import { ciiOf } from "../documents/e-invoices/cii.ts";
import { invoicedDocument, requireComplete } from "../documents/e-invoices/document-rows.ts";
import { IN_REQUEST, leavingFiles } from "../documents/kept-files.ts";
import { type PrintedDocument, printedDocument, type RenderedDocument } from "./render.ts";

/** The embedded file's name and profile in Factur-X 1.0 and ZUGFeRD 2. */
const FILE = "factur-x.xml";
const PROFILE = "EN 16931";

/**
 * A PDF that embeds its own e-invoice: PDF/A-3b with a Cross Industry Invoice per Factur-X and ZUGFeRD (output intent, XMP, the file as
 * alternative of the document). Equal documents produce equal files. The printer meets the PDF/A rules for pages (embedded fonts, no
 * scripts).
 * @param pdf from `tightenedPdf`
 * @param xml from `ciiOf`
 * @param issued the date of the document and of the embedded file
 */
async function hybridPdf(pdf: Buffer, xml: string, issued: string | null): Promise<Buffer> {
  // Loaded on first use: few requests need it.
  const { embedFacturX, PDFDocument, PDFHexString } = await import("@cantoo/pdf-lib");
  const document = await PDFDocument.load(pdf, { updateMetadata: false });
  // The file identifier (ISO 32000-1, 14.4), hashed from the contents; the library's own would be random.
  const id = PDFHexString.of(createHash("sha256").update(pdf).update(xml).digest("hex").slice(0, 32));
  document.context.trailerInfo.ID = document.context.obj([id, id]);
  const date = new Date(`${issued ?? "1970-01-01"}T00:00:00Z`);
  await embedFacturX(document, Buffer.from(xml), {
    fileName: FILE,
    conformanceLevel: PROFILE,
    description: "Factur-X",
    creationDate: date,
    modificationDate: date,
  });
  return Buffer.from(await document.save());
}

/** A document as an HTML page. */
export const previewAnswer = ({ html, fileName }: RenderedDocument, headers: Record<string, string> = {}): FileAnswer =>
  shownPage(fileName.replace(/\.pdf$/, ".html"), html, headers);

/** A document as PDF. */
export const pdfAnswer = (
  { pdf, fileName }: Pick<PrintedDocument, "pdf" | "fileName">,
  headers: Record<string, string> = {},
): FileAnswer => madeFile({ name: fileName, type: "application/pdf", bytes: pdf }, { inline: true, headers });

/**
 * An issued invoice as a PDF with its e-invoice embedded, as it first left.
 * @throws like `invoicedDocument`, `requireComplete` and `printedDocument`
 */
export async function printedHybrid(id: string): Promise<Pick<PrintedDocument, "pdf" | "fileName">> {
  requireComplete(await invoicedDocument(id), "en16931");
  const { pdf, fileName } = await printedDocument("invoice", id);
  const [file] = await leavingFiles(IN_REQUEST, "invoice", "hybrid", {
    find: async () => [await invoicedDocument(id)],
    make: (invoice) => hybridPdf(pdf, ciiOf(invoice), invoice.issue_date),
  });
  return { fileName, pdf: file?.bytes ?? pdf };
}

import { pagesOf } from "../../../mixins/documents/printing/pages.ts";
import { pdfOf } from "../../../mixins/documents/printing/pdf.ts";

/** Adds a class to a document: `bare` hides the payment instructions, `tight` reduces line spacing. */
const dressed = (html: string, name: "bare" | "tight"): string => html.replace("<html ", `<html class="${name}" `);

/**
 * Prints an invoice or quote as a PDF, one page shorter if its last page would contain only payment instructions (money §14).
 * @param html from `renderRow`
 * @param organisation the id of the one whose document it is
 * @throws like `pdfOf`
 */
export async function tightenedPdf(html: string, organisation: string): Promise<Buffer> {
  const pdf = await pdfOf(html, organisation);
  const pages = pagesOf(pdf);
  if (pages < 2) return pdf;
  const bare = await pdfOf(dressed(html, "bare"), organisation);
  if (pagesOf(bare) === pages) return pdf;
  const tight = await pdfOf(dressed(html, "tight"), organisation);
  return pagesOf(tight) < pages ? tight : pdf;
}

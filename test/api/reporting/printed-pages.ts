import { PDFArray, PDFDict, PDFDocument, PDFName, type PDFObject, PDFRef } from "@cantoo/pdf-lib";

/** A piece of content of a tagged PDF: the kinds of elements it is in, the outermost first, and the number of its page. */
export interface PrintedContent {
  kinds: string[];
  page: number;
}

/** The content of a PDF in reading order, from its structure (ISO 32000-1, 14.7). */
export async function printedContent(bytes: Buffer): Promise<PrintedContent[]> {
  const document = await PDFDocument.load(bytes, { updateMetadata: false });
  const pages = new Map(document.getPages().map(({ ref }, index) => [String(ref), index + 1]));
  const content: PrintedContent[] = [];
  const at = (dict: PDFDict, key: string) => dict.get(PDFName.of(key));
  const walk = (given: PDFObject | undefined, kinds: string[], page: string): void => {
    const object = given instanceof PDFRef ? document.context.lookup(given) : given;
    if (object instanceof PDFArray) for (const kid of object.asArray()) walk(kid, kinds, page);
    else if (object instanceof PDFDict) {
      const own = String(at(object, "Pg") ?? page);
      const kind = at(object, "S");
      const kids = at(object, "K");
      if (kids === undefined) {
        if (at(object, "MCID") !== undefined) content.push({ kinds, page: pages.get(own) ?? 0 });
      } else walk(kids, kind === undefined ? kinds : [...kinds, String(kind).slice(1)], own);
    } else if (object !== undefined) content.push({ kinds, page: pages.get(page) ?? 0 });
  };
  walk(document.catalog.lookup(PDFName.of("StructTreeRoot"), PDFDict).get(PDFName.of("K")), [], "");
  return content;
}

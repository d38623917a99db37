import { createHash } from "node:crypto";

/** What Factur-X 1.0 and ZUGFeRD 2 call the invoice inside of a file, and the profile it follows. */
const FILE = "factur-x.xml";
const PROFILE = "EN 16931";

/**
 * A printed invoice that holds itself as an e-invoice too: PDF/A-3b with a Cross Industry Invoice as Factur-X and ZUGFeRD want it (output
 * intent, XMP, the file as alternative of the document). Equal documents are equal files. What PDF/A demands of the pages themselves
 * (embedded fonts, nothing that runs) the printer gives.
 * @param pdf of `tightenedPdf`
 * @param xml of `ciiOf`
 * @param issued the date of the document, which the file inside bears as well
 */
export async function hybridPdf(pdf: Buffer, xml: string, issued: string | null): Promise<Buffer> {
  // Loaded with the first such file: few ask for one.
  const { embedFacturX, PDFDocument, PDFHexString } = await import("@cantoo/pdf-lib");
  const document = await PDFDocument.load(pdf, { updateMetadata: false });
  // A file has an identifier (ISO 32000-1, 14.4); of its contents, where the library would draw lots.
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

const WRITTEN = /\/(CreationDate|ModDate) \(D:\d{14}[^)]*\)/g;
const DATED = /<meta name="dcterms\.date" content="(\d{4})-(\d{2})-(\d{2})">/;

/**
 * The PDF with the document's own date in place of the moment it was printed, so that equal documents are equal files (money §12). What is
 * put in is as long as what goes, so that the table of offsets stays right.
 * @param html the document; its `dcterms.date` is the date
 */
export function datedPdf(pdf: Buffer, html: string): Buffer {
  const [, year = "1970", month = "01", day = "01"] = DATED.exec(html) ?? [];
  const text = pdf.toString("latin1");
  const dated = text.replace(WRITTEN, (found, key: string) => {
    const open = `/${key} (D:${year}${month}${day}000000`;
    return `${open}${"+00'00'".padEnd(found.length - open.length - 1, " ").slice(0, found.length - open.length - 1)})`;
  });
  return Buffer.from(dated, "latin1");
}

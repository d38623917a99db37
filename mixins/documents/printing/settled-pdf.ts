const WRITTEN = /\/(CreationDate|ModDate) \(D:\d{14}[^)]*\)/g;
const DATED = /<meta name="dcterms\.date" content="(\d{4})-(\d{2})-(\d{2})">/;
const ID = /\(node(\d{8})\)/g;
const OWN_ID = /\/ID \(node(\d{8})\)/g;
const LEAF = /\/Limits \[\(node\d{8}\) \(node\d{8}\)\]\n\/Names \[((?:\(node\d{8}\) \d+ 0 R ?)+)\]/g;
const ENTRY = /\(node\d{8}\) \d+ 0 R/g;

/** Replaces the time of printing with the document's own date. */
function dated(pdf: string, html: string): string {
  const [, year = "1970", month = "01", day = "01"] = DATED.exec(html) ?? [];
  return pdf.replace(WRITTEN, (found, key: string) => {
    const open = `/${key} (D:${year}${month}${day}000000`;
    return `${open}${"+00'00'".padEnd(found.length).slice(0, found.length - open.length - 1)})`;
  });
}

/**
 * Renumbers the ids of structure elements (ISO 32000-1, 14.7.2) in the order of the elements: Chromium keeps counting within a process, and
 * not always in one order. Their tree is sorted by id, so its one leaf is re-sorted.
 */
function counted(pdf: string): string {
  const places = new Map<string, string>();
  for (const [, id = ""] of pdf.matchAll(OWN_ID)) if (!places.has(id)) places.set(id, String(places.size + 1).padStart(8, "0"));
  const placed = (text: string) => text.replace(ID, (found, id: string) => (places.has(id) ? `(node${places.get(id)})` : found));
  return placed(pdf).replace(LEAF, (_, list: string) => {
    const entries = [...list.matchAll(ENTRY)].map(([entry]) => entry).sort();
    const [first, last] = [entries[0], entries.at(-1)].map((entry) => entry?.slice(0, "(node00000000)".length));
    return `/Limits [${first} ${last}]\n/Names [${entries.join(" ")}]`;
  });
}

/**
 * Removes the time and the process's numbering from a PDF, so that equal documents give equal files (money §12). Each replacement keeps its
 * length, so the table of offsets stays valid.
 * @param html the document; its `dcterms.date` is the date
 */
export const settledPdf = (pdf: Buffer, html: string): Buffer =>
  Buffer.from(counted(dated(pdf.toString("latin1"), html)), "latin1");

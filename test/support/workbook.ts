import { deflateRawSync } from "node:zlib";

/** A file inside an archive; `claims` is a false size for its entry. */
export interface ArchiveEntry {
  name: string;
  content: Buffer;
  claims?: number;
}

/** A zip archive whose entries can claim any size. */
export function archiveOf(entries: readonly ArchiveEntry[]): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, content, claims = content.length } of entries) {
    const packed = deflateRawSync(content);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(8, 8);
    local.writeUInt32LE(packed.length, 18);
    local.writeUInt32LE(claims, 22);
    local.writeUInt16LE(name.length, 26);
    const listed = Buffer.alloc(46);
    listed.writeUInt32LE(0x02014b50, 0);
    listed.writeUInt16LE(8, 10);
    listed.writeUInt32LE(packed.length, 20);
    listed.writeUInt32LE(claims, 24);
    listed.writeUInt16LE(name.length, 28);
    listed.writeUInt32LE(at, 42);
    locals.push(local, Buffer.from(name), packed);
    directory.push(listed, Buffer.from(name));
    at += 30 + name.length + packed.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...locals, ...directory, end]);
}

const MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const relation = (id: string, kind: string, target: string) =>
  `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${kind}" Target="${target}"/>`;

/** A raw cell: an index into the shared texts, or a number with its style. */
export type WrittenCell = number | { value: number; style: number };

/** A workbook of one sheet, with shared texts of any length and number formats by style. */
export function workbookWith({
  texts,
  formats = [],
  rows,
}: {
  texts: readonly (string | Buffer)[];
  formats?: readonly string[];
  rows: readonly (readonly WrittenCell[])[];
}): Buffer {
  const cell = (value: WrittenCell) =>
    typeof value === "number" ? `<c t="s"><v>${value}</v></c>` : `<c s="${value.style}"><v>${value.value}</v></c>`;
  const sheet = rows.map((row) => `<row>${row.map(cell).join("")}</row>`).join("");
  const codes = formats.map((code, index) => `<numFmt numFmtId="${164 + index}" formatCode="${code}"/>`).join("");
  const styles = formats.map((_, index) => `<xf numFmtId="${164 + index}"/>`).join("");
  const items = texts.map((text) => Buffer.concat(["<si><t>", text, "</t></si>"].map((part) => Buffer.from(part))));
  return archiveOf([
    {
      name: "xl/workbook.xml",
      content: Buffer.from(`<workbook ${MAIN} xmlns:r="r"><sheets><sheet name="Blad1" r:id="r1"/></sheets></workbook>`),
    },
    {
      name: "xl/_rels/workbook.xml.rels",
      content: Buffer.from(
        `<Relationships>${relation("r1", "worksheet", "worksheets/sheet1.xml")}${relation("r2", "sharedStrings", "sharedStrings.xml")}${relation("r3", "styles", "styles.xml")}</Relationships>`,
      ),
    },
    { name: "xl/worksheets/sheet1.xml", content: Buffer.from(`<worksheet ${MAIN}><sheetData>${sheet}</sheetData></worksheet>`) },
    { name: "xl/sharedStrings.xml", content: Buffer.concat([Buffer.from(`<sst ${MAIN}>`), ...items, Buffer.from("</sst>")]) },
    {
      name: "xl/styles.xml",
      content: Buffer.from(
        `<styleSheet ${MAIN}><numFmts count="${formats.length}">${codes}</numFmts><cellXfs>${styles}</cellXfs></styleSheet>`,
      ),
    },
  ]);
}

import { crc32 } from "node:zlib";

/** A ZIP archive of uncompressed entries (APPNOTE §4.3). */
export function zip(entries: Record<string, string>): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(entries)) {
    const [title, data] = [Buffer.from(name), Buffer.from(content)];
    const fixed = Buffer.alloc(26);
    fixed.writeUInt16LE(20, 0);
    fixed.writeUInt32LE(crc32(data), 10);
    fixed.writeUInt32LE(data.length, 14);
    fixed.writeUInt32LE(data.length, 18);
    fixed.writeUInt16LE(title.length, 22);
    const local = Buffer.concat([Buffer.from("PK\u0003\u0004", "latin1"), fixed, title, data]);
    const central = Buffer.alloc(42);
    central.writeUInt16LE(20, 0);
    fixed.copy(central, 2, 0, 26);
    central.writeUInt32LE(offset, 38);
    directory.push(Buffer.concat([Buffer.from("PK\u0001\u0002", "latin1"), central, title]));
    locals.push(local);
    offset += local.length;
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(directory.length, 4);
  end.writeUInt16LE(directory.length, 6);
  end.writeUInt32LE(size, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, ...directory, Buffer.from("PK\u0005\u0006", "latin1"), end]);
}

const contentTypes = (part: string, type: string) =>
  `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="${part}" ContentType="${type}"/></Types>`;

/** Minimal Office documents: enough to tell them apart. */
export const officeFile = {
  word: () =>
    zip({
      "[Content_Types].xml": contentTypes(
        "/word/document.xml",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml",
      ),
      "word/document.xml": "<w:document/>",
    }),
  excel: () =>
    zip({
      "[Content_Types].xml": contentTypes(
        "/xl/workbook.xml",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml",
      ),
      "xl/workbook.xml": "<workbook/>",
    }),
  macros: () =>
    zip({
      "[Content_Types].xml": contentTypes("/word/document.xml", "application/vnd.ms-word.document.macroEnabled.main+xml"),
      "word/document.xml": "<w:document/>",
    }),
};

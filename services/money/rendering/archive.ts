import { crc32 } from "node:zlib";

/** 1 January 1980, the first date in ZIP: a constant time makes equal archives identical. */
const DAY = 0x0021;
const VERSION = 20;
/** Names are UTF-8 (APPNOTE 4.4.4, bit 11). */
const UTF8 = 0x0800;

/** A file in an archive. */
export interface Archived {
  name: string;
  bytes: Buffer;
}

/** Adds a number to duplicate names. */
function apart(files: readonly Archived[]): Archived[] {
  const seen = new Map<string, number>();
  return files.map(({ name, bytes }) => {
    const count = (seen.get(name.toLowerCase()) ?? 0) + 1;
    seen.set(name.toLowerCase(), count);
    return { name: count === 1 ? name : name.replace(/(\.\w+)?$/, ` (${count})$1`), bytes };
  });
}

/** A ZIP archive of uncompressed files, as a PDF is compressed already (APPNOTE 4.3). Fewer than 65,536 files, less than 4 GiB. */
export function zipOf(files: readonly Archived[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes } of apart(files)) {
    const title = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(VERSION, 0);
    common.writeUInt16LE(UTF8, 2);
    common.writeUInt16LE(DAY, 8);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(bytes.length, 14);
    common.writeUInt32LE(bytes.length, 18);
    common.writeUInt16LE(title.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    parts.push(Buffer.from("PK\x03\x04", "latin1"), common, title, bytes);
    directory.push(Buffer.from("PK\x01\x02", "latin1"), Buffer.from([VERSION, 0]), common, place, title);
    offset += 4 + common.length + title.length + bytes.length;
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.length, 4);
  end.writeUInt16LE(files.length, 6);
  end.writeUInt32LE(entries.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, entries, Buffer.from("PK\x05\x06", "latin1"), end]);
}

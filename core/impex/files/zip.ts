import { Readable } from "node:stream";
import { createInflateRaw } from "node:zlib";
import { ImportRefused } from "../refused.ts";

const END = 0x06054b50;
const DIRECTORY = 0x02014b50;
const LOCAL = 0x04034b50;
const END_LENGTH = 22;
const LONGEST_COMMENT = 0xffff;
const STORED = 0;
const DEFLATED = 8;

export interface ZipEntry {
  name: string;
  /** Unpacked size, as declared in the directory. */
  size: number;
  /** Its unpacked bytes, never more than declared. */
  bytes(): AsyncGenerator<Uint8Array>;
}

const broken = () => new ImportRefused("The file is not a readable workbook: save it again as .xlsx.", "invalid_xlsx");

/**
 * The entries of a zip archive by name, from its directory (APPNOTE 6.3.3 §4.3.12); it ignores anything else. An entry whose unpacked size
 * differs from the directory is rejected while it is read.
 * @throws ImportRefused if it is not an archive, is encrypted, or uses the 64-bit extension
 */
export function readZip(archive: Uint8Array): Map<string, ZipEntry> {
  const view = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength);
  try {
    return entriesOf(view);
  } catch (error) {
    if (error instanceof RangeError) throw broken();
    throw error;
  }
}

function entriesOf(view: Buffer): Map<string, ZipEntry> {
  let end = view.length - END_LENGTH;
  while (end >= 0 && view.readUInt32LE(end) !== END) {
    end -= 1;
    if (end < view.length - END_LENGTH - LONGEST_COMMENT) throw broken();
  }
  if (end < 0) throw broken();
  const entries = new Map<string, ZipEntry>();
  let at = view.readUInt32LE(end + 16);
  for (let left = view.readUInt16LE(end + 10); left > 0; left--) {
    if (view.readUInt32LE(at) !== DIRECTORY) throw broken();
    const [flags, method] = [view.readUInt16LE(at + 8), view.readUInt16LE(at + 10)];
    const [packed, size] = [view.readUInt32LE(at + 20), view.readUInt32LE(at + 24)];
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((place) => view.readUInt16LE(at + place)) as [
      number,
      number,
      number,
    ];
    const local = view.readUInt32LE(at + 42);
    const name = view.toString("utf8", at + 46, at + 46 + nameLength);
    const isEncrypted = (flags & 1) !== 0;
    if (isEncrypted || (method !== STORED && method !== DEFLATED) || [packed, size, local].includes(0xffffffff)) throw broken();
    entries.set(name, { name, size, bytes: () => unpacked(view, { local, packed, size, method }) });
    at += 46 + nameLength + extraLength + commentLength;
  }
  return entries;
}

interface EntryLocation {
  local: number;
  packed: number;
  size: number;
  method: number;
}

async function* unpacked(view: Buffer, { local, packed, size, method }: EntryLocation): AsyncGenerator<Uint8Array> {
  const { length } = view;
  if (local + 30 > length || view.readUInt32LE(local) !== LOCAL) throw broken();
  const from = local + 30 + view.readUInt16LE(local + 26) + view.readUInt16LE(local + 28);
  if (from + packed > length) throw broken();
  const raw = view.subarray(from, from + packed);
  let given = 0;
  try {
    for await (const chunk of method === STORED ? [raw] : Readable.from([raw]).pipe(createInflateRaw())) {
      given += chunk.length;
      if (given > size) throw broken();
      yield chunk;
    }
  } catch (error) {
    throw error instanceof ImportRefused ? error : broken();
  }
  if (given !== size) throw broken();
}

/** An archive of uncompressed entries, as a stream: input for a reader of archives that must not unpack anything itself. */
export async function* storedZip(entries: readonly { name: string; entry: Pick<ZipEntry, "size" | "bytes"> }[]) {
  for (const { name, entry } of entries) {
    const header = Buffer.alloc(30);
    header.writeUInt32LE(LOCAL, 0);
    header.writeUInt16LE(20, 4);
    header.writeUInt32LE(entry.size, 18);
    header.writeUInt32LE(entry.size, 22);
    header.writeUInt16LE(Buffer.byteLength(name), 26);
    yield Buffer.concat([header, Buffer.from(name)]);
    for await (const chunk of entry.bytes()) yield Buffer.from(chunk);
  }
  const end = Buffer.alloc(END_LENGTH);
  end.writeUInt32LE(END, 0);
  yield end;
}

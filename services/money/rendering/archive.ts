import { buffer } from "node:stream/consumers";
import { later } from "../../../core/values/later.ts";

const yazl = later<typeof import("yazl")>("yazl");

/** Uncompressed, as a PDF is compressed already. A constant time makes equal archives identical. */
const STORED = { compress: false, forceDosTimestamp: true, mtime: new Date(1980, 0, 1) };

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

/** A ZIP archive of uncompressed files. */
export async function zipOf(files: readonly Archived[]): Promise<Buffer> {
  const archive = new (yazl().ZipFile)();
  for (const { name, bytes } of apart(files)) archive.addBuffer(bytes, name, STORED);
  archive.end();
  return buffer(archive.outputStream);
}

import { type Entry, fromBufferPromise, type ZipFile } from "yauzl";
import { ImportRefused } from "../refused.ts";

export interface ZipEntry {
  name: string;
  /** Unpacked size, as declared in the directory. */
  size: number;
  /** Its unpacked bytes, never more than declared. */
  bytes(): AsyncGenerator<Uint8Array>;
}

/** The refusal of a file that is no workbook. @param cause what is wrong in it, for the log */
export const brokenWorkbook = (cause?: unknown) =>
  Object.assign(new ImportRefused("The file is not a readable workbook: save it again as .xlsx.", "invalid_xlsx"), { cause });

/**
 * The entries of a zip archive by name, from its directory; it ignores anything else. An entry whose unpacked size differs from the
 * directory is rejected while it is read.
 * @throws ImportRefused if it is not an archive, or an entry is encrypted
 */
export async function readZip(archive: Uint8Array): Promise<Map<string, ZipEntry>> {
  const entries = new Map<string, ZipEntry>();
  try {
    const bytes = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength);
    // Names are keys and never paths of files, so none is refused for its form.
    const file = await fromBufferPromise(bytes, { autoClose: false, decodeStrings: false });
    for await (const entry of file.eachEntry()) {
      if (entry.isEncrypted()) throw brokenWorkbook();
      const name = entry.fileNameRaw.toString("utf8");
      entries.set(name, { name, size: entry.uncompressedSize, bytes: () => unpacked(file, entry) });
    }
  } catch (error) {
    throw error instanceof ImportRefused ? error : brokenWorkbook(error);
  }
  return entries;
}

async function* unpacked(file: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  try {
    yield* await file.openReadStreamPromise(entry);
  } catch (error) {
    throw brokenWorkbook(error);
  }
}

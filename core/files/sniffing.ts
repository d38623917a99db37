import { open } from "node:fs/promises";
import { judgeType } from "./file-types.ts";

/** Bytes of a file examined for text and for the root of an SVG. */
const HEAD = 65_536;

async function headOf(file: string): Promise<Uint8Array> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD), 0, HEAD, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/**
 * The media type of a local file, by its bytes if they identify it.
 * @param declared the sender's declaration
 * @returns null if the type is not accepted, or bytes and declaration contradict each other
 */
export async function typeOf(file: string, declared: string, name: string): Promise<string | null> {
  const { fileTypeFromFile } = await import("file-type");
  // The parser fails early on a damaged container; its signature then identifies nothing.
  const sniffed = await fileTypeFromFile(file).catch(() => undefined);
  return judgeType(declared, name, sniffed?.mime, await headOf(file));
}

/**
 * The media type of bytes in memory, by the rules of `typeOf`.
 * @returns null as for a file
 */
export async function typeOfBytes(bytes: Buffer, declared: string, name: string): Promise<string | null> {
  const { fileTypeFromBuffer } = await import("file-type");
  const sniffed = await fileTypeFromBuffer(bytes).catch(() => undefined);
  return judgeType(declared, name, sniffed?.mime, bytes.subarray(0, HEAD));
}

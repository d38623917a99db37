import { statfs } from "node:fs/promises";

/** Free bytes of the file system of a folder; null if it does not report them. */
export async function freeBytes(folder: string): Promise<number | null> {
  const found = await statfs(folder).catch(() => null);
  return found && found.bavail * found.bsize;
}

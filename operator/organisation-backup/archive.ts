import { createCipheriv, createDecipheriv, type DecipherGCM, randomBytes } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { OperatorError } from "../organisations.ts";

/** The format that this version writes and reads. */
export const ARCHIVE_FORMAT = "kantoor organisation backup 1";
const ALGORITHM = "aes-256-gcm";
const NONCE = 12;
const TAG = 16;
const LINE_FEED = 10;
/** The line before the encrypted part is shorter, in bytes. */
const LONGEST_LABEL = 1024;

/** What a backup begins with. */
export interface ArchiveHead {
  format: string;
  version: string;
  taken_at: string;
  /** Steps of the schema. */
  migrations: string[];
  /** The stored row of the organisation. */
  organisation: { id: string; slug: string; name: string; [column: string]: unknown };
}

/** A part of a backup: rows of a table, or a file's bytes. */
export type Section = { table: string; columns: string[] } | { file: string; bytes: number; sha256: string };

/** A new key for one backup, in hex. */
export const newContentKey = (): string => randomBytes(32).toString("hex");

/** The parts of a backup as one stream of bytes: a line of JSON before each, and `\.` after the rows of a table. */
export async function* framed(
  head: ArchiveHead,
  sections: AsyncIterable<{ section: Section; content: AsyncIterable<Buffer> }>,
): AsyncGenerator<Buffer> {
  const line = (value: object) => Buffer.from(`${JSON.stringify(value)}\n`);
  yield line(head);
  for await (const { section, content } of sections) {
    yield line(section);
    yield* content;
    if ("table" in section) yield Buffer.from(`${END_OF_ROWS}\n`);
  }
  yield line({ end: true });
}

/**
 * Writes a backup into a new file: compressed, then encrypted under its key.
 * @param label a line before the encrypted part, which says whose key it is
 * @returns its size in bytes
 */
export async function writeArchive(
  file: string,
  { key, label }: { key: string; label: object },
  content: AsyncIterable<Buffer>,
): Promise<number> {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv(ALGORITHM, Buffer.from(key, "hex"), nonce);
  async function* sealed(parts: AsyncIterable<Buffer>) {
    yield Buffer.from(`${JSON.stringify(label)}\n`);
    yield nonce;
    for await (const part of parts) yield cipher.update(part);
    yield cipher.final();
    yield cipher.getAuthTag();
  }
  const sink = createWriteStream(file, { flags: "wx", mode: 0o600, flush: true });
  await pipeline(Readable.from(content), createGzip({ level: 4 }), sealed, sink);
  return (await stat(file)).size;
}

/** The content of a backup's file as it was framed. @throws OperatorError once it turns out to be damaged, or sealed by another key */
async function* opened(file: string, key: string): AsyncGenerator<Buffer> {
  const { size } = await stat(file);
  const handle = await open(file);
  let start: number;
  let decipher: DecipherGCM;
  try {
    start = (await read(handle, 0, Math.min(size, LONGEST_LABEL))).indexOf(LINE_FEED) + 1;
    decipher = createDecipheriv(ALGORITHM, Buffer.from(key, "hex"), await read(handle, start, NONCE), { authTagLength: TAG });
    decipher.setAuthTag(await read(handle, size - TAG, TAG));
  } finally {
    await handle.close();
  }
  const source = createReadStream(file, { start: start + NONCE, end: size - TAG - 1 });
  const gunzip = createGunzip();
  const feeding = pipeline(source, decipher, gunzip);
  feeding.catch(() => undefined);
  try {
    for await (const part of gunzip) yield part as Buffer;
    await feeding;
  } catch (error) {
    throw Object.assign(new OperatorError("The backup is damaged, or its key is another one; nothing was restored."), {
      cause: error,
    });
  } finally {
    source.destroy();
  }
}

async function read(handle: Awaited<ReturnType<typeof open>>, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, Math.max(0, position));
  if (bytesRead < length) throw new OperatorError("The backup is damaged: it is too short; nothing was restored.");
  return buffer;
}

/** The line after the rows of a table. COPY escapes the backslash of every other line. */
const END_OF_ROWS = "\\.";

/** Reads the parts of a backup one after another. Each part's content is read to its end before the next part. */
export class ArchiveReader {
  readonly #source: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(file: string, key: string) {
    this.#source = opened(file, key);
  }

  async #more(): Promise<boolean> {
    const { value, done } = await this.#source.next();
    if (done) return false;
    this.#rest = this.#rest.length === 0 ? value : Buffer.concat([this.#rest, value]);
    return true;
  }

  async #json(): Promise<Record<string, unknown>> {
    for (;;) {
      const at = this.#rest.indexOf(LINE_FEED);
      if (at >= 0) {
        const text = this.#rest.toString("utf8", 0, at);
        this.#rest = this.#rest.subarray(at + 1);
        return JSON.parse(text) as Record<string, unknown>;
      }
      if (!(await this.#more())) throw new OperatorError("The backup is damaged: it ends early; nothing was restored.");
    }
  }

  /** @throws OperatorError for a file of another format */
  async head(): Promise<ArchiveHead> {
    const head = (await this.#json()) as unknown as ArchiveHead;
    if (head.format !== ARCHIVE_FORMAT)
      throw new OperatorError("The file is no backup of an organisation that this version reads.");
    return head;
  }

  /** The next part, or null after the last, once the rest of the file proves intact. */
  async next(): Promise<Section | null> {
    const section = await this.#json();
    if (section["end"] !== true) return section as unknown as Section;
    while (await this.#more());
    return null;
  }

  /** The rows of a table, in whole lines. */
  async *rows(): AsyncGenerator<Buffer> {
    for (;;) {
      const end = this.#endOfRows();
      if (end >= 0) {
        if (end > 0) yield this.#rest.subarray(0, end);
        this.#rest = this.#rest.subarray(end + END_OF_ROWS.length + 1);
        return;
      }
      const last = this.#rest.lastIndexOf(LINE_FEED);
      if (last > 0) {
        yield this.#rest.subarray(0, last + 1);
        this.#rest = this.#rest.subarray(last + 1);
      }
      if (!(await this.#more())) throw new OperatorError("The backup is damaged: it ends early; nothing was restored.");
    }
  }

  /** Where the line that ends the rows begins; -1 if it is not there yet. */
  #endOfRows(): number {
    const line = `${END_OF_ROWS}\n`;
    if (this.#rest.toString("latin1", 0, 3) === line) return 0;
    const at = this.#rest.indexOf(`\n${line}`);
    return at < 0 ? -1 : at + 1;
  }

  /** The bytes of a file. */
  async *bytes(length: number): AsyncGenerator<Buffer> {
    for (let left = length; left > 0; ) {
      if (this.#rest.length === 0 && !(await this.#more()))
        throw new OperatorError("The backup is damaged: it ends early; nothing was restored.");
      const part = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(part.length);
      left -= part.length;
      yield part;
    }
  }

  /** Stops reading. */
  async close(): Promise<void> {
    await this.#source.return?.();
  }
}

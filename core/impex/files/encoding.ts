import { breathing } from "../../threads/breath.ts";
import { ImportRefused } from "../refused.ts";

/** The bytes of a file, readable more than once. */
export type Source = () => AsyncIterable<Uint8Array>;

/** Bytes that are read at a time: a few milliseconds of a parser's work. */
export const PIECE = 16 * 1024;

/** The pieces of a text or of bytes; others are let in between them. */
export async function* piecesOf<T extends string | Uint8Array>(whole: T): AsyncGenerator<T, void, undefined> {
  const pieceAt = (from: number) =>
    typeof whole === "string" ? whole.slice(from, from + PIECE) : whole.subarray(from, from + PIECE);
  for await (const index of breathing(Array(Math.ceil(whole.length / PIECE)).keys())) yield pieceAt(index * PIECE) as T;
}

/** Bytes in memory as a source. */
export const sourceOf =
  (bytes: Uint8Array): Source =>
  () =>
    piecesOf(bytes);

export type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "windows-1252";

/** Byte order marks of UTF-16. */
const MARKS = new Map<string, Encoding>([
  ["fffe", "utf-16le"],
  ["feff", "utf-16be"],
]);
/** Bytes that Windows-1252 leaves undefined, and NUL, which its texts do not contain. */
const NOT_WINDOWS_1252 = [0x00, 0x81, 0x8d, 0x8f, 0x90, 0x9d];

const refused = () =>
  new ImportRefused("The file is neither UTF-8, UTF-16 with its mark, nor Windows-1252: save it as 'CSV UTF-8'.");

/** Detects the encoding of a file from all its bytes: UTF-16 by its byte order mark, otherwise UTF-8 or Windows-1252. */
class EncodingFinder {
  #marked: Encoding | undefined;
  #head = Buffer.alloc(0);
  #utf8: InstanceType<typeof TextDecoder> | null = new TextDecoder("utf-8", { fatal: true });
  #mayBeWindows = true;

  look(bytes: Uint8Array): void {
    if (this.#head.length < 2) {
      this.#head = Buffer.concat([this.#head, bytes.subarray(0, 2)]).subarray(0, 2);
      this.#marked = MARKS.get(this.#head.toString("hex"));
    }
    if (this.#marked) return;
    this.#decode(bytes, true);
    this.#mayBeWindows &&= !NOT_WINDOWS_1252.some((byte) => bytes.includes(byte));
  }

  #decode(bytes: Uint8Array, stream: boolean): void {
    try {
      this.#utf8?.decode(bytes, { stream });
    } catch {
      this.#utf8 = null;
    }
  }

  /** @throws ImportRefused for any other encoding */
  get found(): Encoding {
    if (this.#marked) return this.#marked;
    this.#decode(new Uint8Array(), false);
    if (this.#utf8) return "utf-8";
    if (this.#mayBeWindows) return "windows-1252";
    throw refused();
  }
}

/** The encoding of a source; reads it to its end. @throws ImportRefused for an unknown one */
export async function encodingOf(source: Source): Promise<Encoding> {
  const finder = new EncodingFinder();
  for await (const bytes of source()) finder.look(bytes);
  return finder.found;
}

/** The text of a source in pieces, without byte order mark. @throws ImportRefused for an incomplete character at the end */
export async function* decoded(source: Source, encoding: Encoding): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const piece = (bytes: Uint8Array, stream: boolean): string => {
    try {
      return decoder.decode(bytes, { stream });
    } catch {
      throw refused();
    }
  };
  for await (const bytes of source()) {
    for (let from = 0; from < bytes.length; from += PIECE) yield piece(bytes.subarray(from, from + PIECE), true);
  }
  yield piece(new Uint8Array(), false);
}
/** The text of complete bytes. @throws ImportRefused for an unknown encoding */
export function decode(bytes: Uint8Array): string {
  const finder = new EncodingFinder();
  finder.look(bytes);
  try {
    return new TextDecoder(finder.found, { fatal: true }).decode(bytes);
  } catch (error) {
    throw error instanceof ImportRefused ? error : refused();
  }
}

import { breathing } from "../../threads/breath.ts";

/** Bytes allocated at a time. */
const CHUNK = 1024 * 1024;

/**
 * A list of plain values outside the heap: each is stored as JSON bytes and parsed again at each access. A hundred thousand rows take the
 * size of their text, not ten times that. Iterating over it lets other work in.
 */
export class PackedList<T> implements AsyncIterable<T> {
  readonly #chunks: Buffer[] = [];
  readonly #chunkOf: number[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  #used = 0;
  #bytes = 0;

  get length(): number {
    return this.#starts.length;
  }

  /** Total bytes of all values. */
  get bytes(): number {
    return this.#bytes;
  }

  add(value: T): void {
    const text = JSON.stringify(value);
    // UTF-8 needs at most three bytes per UTF-16 unit.
    const room = (this.#chunks.at(-1)?.length ?? 0) - this.#used;
    const size = text.length * 3 <= room ? text.length : Buffer.byteLength(text);
    if (size > room) {
      this.#chunks.push(Buffer.allocUnsafeSlow(Math.max(CHUNK, size)));
      this.#used = 0;
    }
    const written = (this.#chunks.at(-1) as Buffer).write(text, this.#used);
    this.#chunkOf.push(this.#chunks.length - 1);
    this.#starts.push(this.#used);
    this.#ends.push((this.#used += written));
    this.#bytes += written;
  }

  /** @throws RangeError for an index outside the list */
  at(index: number): T {
    const chunk = this.#chunks[this.#chunkOf[index] ?? -1];
    if (!chunk) throw new RangeError(`the list has no index ${index}`);
    return JSON.parse(chunk.toString("utf8", this.#starts[index], this.#ends[index])) as T;
  }

  async some(test: (value: T) => boolean): Promise<boolean> {
    for await (const value of this) if (test(value)) return true;
    return false;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const index of breathing(this.#starts.keys())) yield this.at(index);
  }
}

import { randomBytes } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";

/** Packets of at least this many bytes are compressed: NATS takes 1 MiB, and the registry of a node with all actors is larger. */
const LARGE = 256 * 1024;
/** The first bytes of a gzip member (RFC 1952 §2.3.1); a JSON packet never starts with them. */
const GZIP = Buffer.from([0x1f, 0x8b]);
/** Packets still larger than this are split. */
const PIECE = 768 * 1024;
/** The first bytes of a piece. Then follow the packet's id (16 bytes), the piece's index and the number of pieces, 32 bits each. */
const PIECE_MARK = Buffer.from([0x00, 0x4b, 0x50, 0x01]);
const HEAD = PIECE_MARK.length + 16 + 8;
/** How long an incomplete packet is kept, in milliseconds. */
const PATIENCE = 60_000;
/** Largest packet in bytes, uncompressed, and the most that all incomplete packets of a node can hold together. */
export const LARGEST = 256 * 1024 * 1024;

const begins = (data: Buffer, mark: Buffer): boolean => data.subarray(0, mark.length).equals(mark);

/** Splits a packet into pieces small enough for NATS. */
function cut(data: Buffer): Buffer[] {
  const id = randomBytes(16);
  const count = Math.ceil(data.length / PIECE);
  return Array.from({ length: count }, (_, index) => {
    const numbers = Buffer.alloc(8);
    numbers.writeUInt32BE(index, 0);
    numbers.writeUInt32BE(count, 4);
    return Buffer.concat([PIECE_MARK, id, numbers, data.subarray(index * PIECE, (index + 1) * PIECE)]);
  });
}

/**
 * A packet as the messages that NATS takes: whole, compressed if it is large, and in pieces if it still is.
 * @throws RangeError above 256 MiB, which no node would accept
 */
export function toMessages(packet: Buffer, largest = LARGEST): Buffer[] {
  if (packet.length < LARGE) return [packet];
  if (packet.length > largest) throw new RangeError(`a packet of ${packet.length} bytes exceeds the limit of ${largest}`);
  const compressed = gzipSync(packet, { level: 1 });
  return compressed.length <= PIECE ? [compressed] : cut(compressed);
}

/**
 * Puts the packets of other nodes together. Pieces of one connection arrive in order; those of several senders may interleave. It works
 * synchronously, so that a node's packets keep their order.
 */
export class Pieces {
  readonly #open = new Map<string, { parts: Buffer[]; since: number }>();
  readonly #largest: number;
  #bytes = 0;

  /** @param largest bytes of one packet, and of all incomplete packets together */
  constructor(largest = LARGEST) {
    this.#largest = largest;
  }

  /**
   * Returns the packet with its last message, null before.
   * @throws RangeError if it inflates to more than the limit, of which no more is inflated
   */
  take(message: Buffer): Buffer | null {
    const packet = begins(message, PIECE_MARK) ? this.#join(message) : message;
    if (packet === null || !begins(packet, GZIP)) return packet;
    return gunzipSync(packet, { maxOutputLength: this.#largest });
  }

  #join(piece: Buffer): Buffer | null {
    if (piece.length < HEAD) return null;
    this.#forgetOld();
    const id = piece.toString("hex", PIECE_MARK.length, PIECE_MARK.length + 16);
    const index = piece.readUInt32BE(HEAD - 8);
    const count = piece.readUInt32BE(HEAD - 4);
    const packet = this.#open.get(id) ?? { parts: [], since: Date.now() };
    // This node missed the first pieces: the packet can never be complete.
    if (index !== packet.parts.length) {
      this.#forget(id);
      return null;
    }
    packet.parts.push(piece.subarray(HEAD));
    this.#bytes += piece.length - HEAD;
    this.#open.set(id, packet);
    if (packet.parts.length === count) {
      this.#forget(id);
      return Buffer.concat(packet.parts);
    }
    // The oldest packet gives way: its sender is the likeliest to have gone.
    while (this.#bytes > this.#largest) this.#forget(this.#open.keys().next().value as string);
    return null;
  }

  #forget(id: string): void {
    for (const part of this.#open.get(id)?.parts ?? []) this.#bytes -= part.length;
    this.#open.delete(id);
  }

  #forgetOld(): void {
    for (const [id, { since }] of this.#open) if (Date.now() - since > PATIENCE) this.#forget(id);
  }
}

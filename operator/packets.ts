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

type Send = (topic: string, data: Buffer, meta: Record<string, unknown>) => unknown;
type Receive = (command: string, data: Buffer, source: unknown) => unknown;

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

/** Reassembles packets. Pieces of one connection arrive in order; those of several senders may interleave. */
class Pieces {
  readonly #open = new Map<string, { parts: Buffer[]; since: number }>();

  /** Returns the packet with its last piece, null before. */
  take(piece: Buffer): Buffer | null {
    this.#forgetOld();
    const id = piece.toString("hex", PIECE_MARK.length, PIECE_MARK.length + 16);
    const index = piece.readUInt32BE(HEAD - 8);
    const count = piece.readUInt32BE(HEAD - 4);
    const packet = this.#open.get(id) ?? { parts: [], since: Date.now() };
    // This node missed the first pieces: the packet can never be complete.
    if (index !== packet.parts.length) {
      this.#open.delete(id);
      return null;
    }
    packet.parts.push(piece.subarray(HEAD));
    if (packet.parts.length === count) {
      this.#open.delete(id);
      return Buffer.concat(packet.parts);
    }
    this.#open.set(id, packet);
    return null;
  }

  #forgetOld(): void {
    for (const [id, { since }] of this.#open) if (Date.now() - since > PATIENCE) this.#open.delete(id);
  }
}

/**
 * Compresses large packets and, if that is not enough, splits them. It works synchronously, so that a node's packets keep their order.
 * Uncompressed, whole packets are accepted too, so that nodes of earlier versions interoperate.
 */
export const packetMiddleware = () => {
  const pieces = new Pieces();
  return {
    name: "Packets",
    transporterSend:
      (next: Send): Send =>
      (topic, data, meta) => {
        const sent = data.length < LARGE ? data : gzipSync(data, { level: 1 });
        if (sent.length <= PIECE) return next(topic, sent, meta);
        return Promise.all(cut(sent).map((piece) => next(topic, piece, meta)));
      },
    transporterReceive:
      (next: Receive): Receive =>
      (command, data, source) => {
        const packet = begins(data, PIECE_MARK) ? pieces.take(data) : data;
        if (packet === null) return undefined;
        return next(command, begins(packet, GZIP) ? gunzipSync(packet) : packet, source);
      },
  };
};

import { randomBytes } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";

/** Packets of this many bytes and more are sent compressed: NATS takes 1 MiB, and the registry of a node with all actors is larger. */
const LARGE = 256 * 1024;
/** The first bytes of a gzip member (RFC 1952 §2.3.1); a packet of JSON never begins with them. */
const GZIP = Buffer.from([0x1f, 0x8b]);
/** What is still larger than this travels in pieces. */
const PIECE = 768 * 1024;
/** The first bytes of a piece: then 16 bytes that name the packet, the number of the piece and how many there are, 32 bits each. */
const PIECE_MARK = Buffer.from([0x00, 0x4b, 0x50, 0x01]);
const HEAD = PIECE_MARK.length + 16 + 8;
/** Longest a packet is waited for whose sender is gone, in milliseconds. */
const PATIENCE = 60_000;

type Send = (topic: string, data: Buffer, meta: Record<string, unknown>) => unknown;
type Receive = (command: string, data: Buffer, source: unknown) => unknown;

const begins = (data: Buffer, mark: Buffer): boolean => data.subarray(0, mark.length).equals(mark);

/** The pieces of a packet, each small enough for NATS. */
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

/** Joins the pieces of packets. Pieces of a connection arrive in order; those of several senders may alternate. */
class Pieces {
  readonly #open = new Map<string, { parts: Buffer[]; since: number }>();

  /** Returns the packet with its last piece, null before that. */
  take(piece: Buffer): Buffer | null {
    this.#forgetOld();
    const id = piece.toString("hex", PIECE_MARK.length, PIECE_MARK.length + 16);
    const index = piece.readUInt32BE(HEAD - 8);
    const count = piece.readUInt32BE(HEAD - 4);
    const packet = this.#open.get(id) ?? { parts: [], since: Date.now() };
    // The first pieces went by before this node listened: the packet can never be whole.
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
 * Sends large packets compressed and, where that is not enough, in pieces. Synchronously, so that the packets of a node keep their order.
 * A packet that comes uncompressed and whole is read as it is, so that nodes of earlier versions are understood.
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

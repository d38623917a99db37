import { gunzipSync, gzipSync } from "node:zlib";

/** Packets of this many bytes and more are sent compressed: NATS takes 1 MiB, and a node that tells of all its actors has more to say. */
const LARGE = 256 * 1024;
/** With which a gzip member begins (RFC 1952 §2.3.1), and no packet of JSON. */
const GZIP = Buffer.from([0x1f, 0x8b]);

type Send = (topic: string, data: Buffer, meta: Record<string, unknown>) => unknown;
type Receive = (command: string, data: Buffer, source: unknown) => unknown;

/**
 * Sends large packets compressed. In one step, so that the packets of a node keep their order; what comes uncompressed is read as it is, so
 * that nodes of a version that compressed nothing are understood.
 */
export const packetMiddleware = () => ({
  name: "Packets",
  transporterSend:
    (next: Send): Send =>
    (topic, data, meta) =>
      next(topic, data.length < LARGE ? data : gzipSync(data, { level: 1 }), meta),
  transporterReceive:
    (next: Receive): Receive =>
    (command, data, source) =>
      next(command, data.subarray(0, GZIP.length).equals(GZIP) ? gunzipSync(data) : data, source),
});

import { type Message, readMessage } from "./eml.ts";

/** Reads a saved message; null if the bytes are not a message. Runs on a worker thread. */
export default (bytes: Uint8Array): Promise<Message | null> =>
  readMessage(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), Date.now());

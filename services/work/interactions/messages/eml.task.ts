import { type Message, readMessage } from "./eml.ts";

/** A message of a mail program, or null for bytes that are no message. A task for threads. */
export default (bytes: Uint8Array): Promise<Message | null> =>
  readMessage(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));

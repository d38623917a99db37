import { runtime } from "../../../../core/config/runtime.ts";
import { cleanName } from "../../../../core/files/file-name.ts";
import { OUTLOOK_TYPE } from "../../../../core/files/file-types.ts";
import { typeOfBytes } from "../../../../core/files/sniffing.ts";
import { stageBytes } from "../../../../core/files/staged-uploads.ts";
import { request, type StagedUpload } from "../../../../core/request/context.ts";
import { offThread } from "../../../../core/threads/off-thread.ts";
import { TaskFailed } from "../../../../core/threads/thread-pool.ts";
import type { Message } from "./eml.ts";

/** Maximum number of files kept from one message. */
const MOST_ATTACHMENTS = 20;
/** CPU time allowed to read one message, in milliseconds. */
const MOST_MILLISECONDS = 10_000;

const readMessage = offThread<Uint8Array, Message | null>(new URL("./eml.task.ts", import.meta.url), MOST_MILLISECONDS);

/** A message's file in the store, before its row exists. */
export type KeptAttachment = StagedUpload & { name: string; type: string };

/** Reads a whole message on a worker thread, because its author is untrusted. Null if it is not a message or takes too long. */
export function readApart(bytes: Buffer): Promise<Message | null> {
  return readMessage(request().organisation.id, bytes).catch((error: unknown) => {
    if (error instanceof TaskFailed) return null;
    throw error;
  });
}

/** Stores the files of a message that obey the rules for uploads; skips the others. */
export async function stageAttachments({ attachments }: Message): Promise<KeptAttachment[]> {
  const kept: KeptAttachment[] = [];
  for (const { name, type: declared, bytes } of attachments.slice(0, MOST_ATTACHMENTS)) {
    if (bytes.length === 0 || bytes.length > runtime().config.uploadLimit) continue;
    const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const type = await typeOfBytes(content, declared, name);
    if (type !== null && type !== OUTLOOK_TYPE) kept.push({ ...(await stageBytes(content)), name: cleanName(name), type });
  }
  return kept;
}

import { runtime } from "../../../../core/config/runtime.ts";
import { cleanName } from "../../../../core/files/file-name.ts";
import { typeOfBytes } from "../../../../core/files/sniffing.ts";
import { stageBytes } from "../../../../core/files/staged-uploads.ts";
import type { StagedUpload } from "../../../../core/files/storage.ts";
import { request } from "../../../../core/request/context.ts";
import { offThread } from "../../../../core/threads/off-thread.ts";
import { TaskFailed } from "../../../../core/threads/thread-pool.ts";
import type { Message } from "./eml.ts";

/** The most files of one message that are kept. */
const MOST_ATTACHMENTS = 20;
/** Processor time that reading one message may take, in milliseconds. */
const MOST_MILLISECONDS = 10_000;

const readMessage = offThread<Uint8Array, Message | null>(new URL("./eml.task.ts", import.meta.url), MOST_MILLISECONDS);

/** A file of a message in the store, before its row. */
export type KeptAttachment = StagedUpload & { name: string; type: string };

/** A whole message, read off the request's thread: who wrote it is a stranger. Null for one that is none, or takes too long. */
export function readApart(bytes: Buffer): Promise<Message | null> {
  return readMessage(request().organisation.id, bytes).catch((error: unknown) => {
    if (error instanceof TaskFailed) return null;
    throw error;
  });
}

/** The files of a message that obey the rules of uploads, in the store; the others are left out. */
export async function stageAttachments({ attachments }: Message): Promise<KeptAttachment[]> {
  const kept: KeptAttachment[] = [];
  for (const { name, type: declared, bytes } of attachments.slice(0, MOST_ATTACHMENTS)) {
    if (bytes.length === 0 || bytes.length > runtime().config.uploadLimit) continue;
    const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const type = await typeOfBytes(content, declared, name);
    if (type !== null) kept.push({ ...(await stageBytes(content)), name: cleanName(name), type });
  }
  return kept;
}

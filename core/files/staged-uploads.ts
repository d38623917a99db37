import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { newId } from "../database/model.ts";
import { request } from "../request/context.ts";
import { type Place, storeOf, stores } from "./storage.ts";

/** Bytes in the store that no row refers to yet. Everything in it was measured here, never claimed by a caller. */
export interface Draft extends Place {
  /** Bytes. */
  size: number;
  /** In hexadecimal. */
  sha256: string;
}

/** A file of this machine, outside of the store, and what was measured while it was written. */
export interface Spooled {
  file: string;
  size: number;
  sha256: string;
}

/**
 * Writes a stream to a file of this machine, a chunk at a time, and measures it. No database connection should be held meanwhile.
 * @throws what the stream or the disk fails with; then there is no file
 */
export async function spool(source: Readable): Promise<Spooled> {
  const { spoolFolder } = stores();
  await mkdir(spoolFolder, { recursive: true, mode: 0o700 });
  const file = path.join(spoolFolder, newId());
  const hash = createHash("sha256");
  let size = 0;
  async function* measured(chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      size += chunk.length;
      hash.update(chunk);
      yield chunk;
    }
  }
  try {
    await pipeline(source, measured, createWriteStream(file, { flags: "wx", mode: 0o600, flush: true }));
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
  return { file, size, sha256: hash.digest("hex") };
}

/** Hands a spooled file to the store. What never gets a row is removed by the nightly maintenance. */
export async function putDraft(organisationId: string, { file, size, sha256 }: Spooled): Promise<Draft> {
  const { writing } = stores();
  const draft = { organisationId, id: newId(), backend: writing.backend, size, sha256 };
  try {
    await writing.put(organisationId, draft.id, file);
  } finally {
    await rm(file, { force: true });
  }
  return draft;
}

/**
 * Puts bytes that a handler made into the store, before its transaction opens. Unless the request makes them a file (`keepFile`) or its
 * answer (`draftFile`), they are removed when it ends.
 */
export async function makeDraft(source: Readable | Buffer): Promise<Draft> {
  const { organisation, drafts } = request();
  const stream = Buffer.isBuffer(source) ? Readable.from([source], { objectMode: false }) : source;
  const draft = await putDraft(organisation.id, await spool(stream));
  drafts.push(draft);
  return draft;
}

/** Gives a content whose bytes were lost those of a draft that are equal to them. */
async function mend(draft: Draft, contentId: string): Promise<void> {
  const store = storeOf(draft.backend);
  const found = await store.open(draft.organisationId, contentId);
  if (found) return void found.bytes.destroy();
  const spare = await store.open(draft.organisationId, draft.id);
  if (spare) await store.put(draft.organisationId, contentId, (await spool(spare.bytes)).file);
}

/**
 * Ends the drafts of a request that was committed: what became a content stays, everything else is removed. Never throws.
 * @param kept the content each kept draft became, by its id
 */
export async function endDrafts(drafts: readonly Draft[], kept: ReadonlyMap<string, string>): Promise<void> {
  for (const draft of drafts) {
    const contentId = kept.get(draft.id);
    if (contentId !== undefined && contentId !== draft.id) await mend(draft, contentId).catch(() => {});
  }
  await discard(drafts.filter(({ id }) => kept.get(id) !== id));
}

/** Removes what a process that died left in the spool folder an hour ago or longer. Never throws. */
export async function cleanSpool(now = Date.now()): Promise<void> {
  const { spoolFolder } = stores();
  for (const name of await readdir(spoolFolder).catch(() => [])) {
    const file = path.join(spoolFolder, name);
    const found = await stat(file).catch(() => null);
    if (found && found.mtimeMs < now - 3_600_000) await rm(file, { force: true }).catch(() => {});
  }
}

/** Removes drafts. Never throws: what stays is removed by the nightly maintenance. */
export async function discard(drafts: readonly Place[]): Promise<void> {
  await Promise.allSettled(drafts.map(async ({ organisationId, id, backend }) => storeOf(backend).remove(organisationId, id)));
}

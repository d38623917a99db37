import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { newId } from "../database/model.ts";
import { type ContentLocation, request, type StagedUpload } from "../request/context.ts";
import { makeFolder } from "./make-folder.ts";
import { storeOf, stores } from "./storage.ts";

/** A local file outside the store, with its size and digest. */
export interface Spooled {
  file: string;
  size: number;
  sha256: string;
}

/**
 * Writes a stream to a local file, chunk by chunk, and measures it. Hold no database connection meanwhile.
 * @throws the error of the stream or the disk; no file remains
 */
export async function spool(source: Readable): Promise<Spooled> {
  const { spoolFolder } = stores();
  await makeFolder(spoolFolder, 0o700);
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
  const sink = createWriteStream(file, { flags: "wx", mode: 0o600, flush: true });
  try {
    await pipeline(source, measured, sink);
  } catch (error) {
    // A source that fails at once may fail before the file exists.
    if (!sink.closed) await new Promise<void>((resolve) => sink.once("close", resolve));
    await rm(file, { force: true });
    throw error;
  }
  return { file, size, sha256: hash.digest("hex") };
}

/** Moves a spooled file into the store. The nightly maintenance removes uploads that never get a row. */
export async function stageUpload(organisationId: string, { file, size, sha256 }: Spooled): Promise<StagedUpload> {
  const { writing } = stores();
  const staged = { organisationId, id: newId(), backend: writing.backend, size, sha256 };
  try {
    await writing.put(organisationId, staged.id, file);
  } finally {
    await rm(file, { force: true });
  }
  return staged;
}

/**
 * Puts a handler's bytes into the store, before its transaction opens. They are removed when the request ends, unless it attaches them to a
 * record (`keepFile`) or sends them (`stagedFile`).
 */
export async function stageBytes(source: Readable | Buffer): Promise<StagedUpload> {
  const { organisation, stagedUploads } = request();
  const stream = Buffer.isBuffer(source) ? Readable.from([source], { objectMode: false }) : source;
  const staged = await stageUpload(organisation.id, await spool(stream));
  stagedUploads.push(staged);
  return staged;
}

/** Restores the lost bytes of a content from an equal staged upload. */
async function repair(staged: StagedUpload, contentId: string): Promise<void> {
  const store = storeOf(staged.backend);
  const found = await store.open(staged.organisationId, contentId);
  if (found) return void found.bytes.destroy();
  const spare = await store.open(staged.organisationId, staged.id);
  if (spare) await store.put(staged.organisationId, contentId, (await spool(spare.bytes)).file);
}

/**
 * Ends the staged uploads of a committed request: those that became a content stay, all others are removed. Never throws.
 * @param kept the content of each kept upload, by the upload's id
 */
export async function endStagedUploads(stagedUploads: readonly StagedUpload[], kept: ReadonlyMap<string, string>): Promise<void> {
  for (const staged of stagedUploads) {
    const contentId = kept.get(staged.id);
    if (contentId !== undefined && contentId !== staged.id) await repair(staged, contentId).catch(() => {});
  }
  await discard(stagedUploads.filter(({ id }) => kept.get(id) !== id));
}

/** Removes files of dead processes from the spool folder, if older than an hour. Never throws. */
export async function cleanSpool(now = Date.now()): Promise<void> {
  const { spoolFolder } = stores();
  for (const name of await readdir(spoolFolder).catch(() => [])) {
    const file = path.join(spoolFolder, name);
    const found = await stat(file).catch(() => null);
    if (found && found.mtimeMs < now - 3_600_000) await rm(file, { force: true }).catch(() => {});
  }
}

/** Removes staged uploads. Never throws: the nightly maintenance removes any that remain. */
export async function discard(stagedUploads: readonly ContentLocation[]): Promise<void> {
  await Promise.allSettled(
    stagedUploads.map(async ({ organisationId, id, backend }) => storeOf(backend).remove(organisationId, id)),
  );
}

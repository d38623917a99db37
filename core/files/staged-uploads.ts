import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { newId } from "../database/model.ts";
import { request } from "../request/context.ts";
import { makeFolder } from "./make-folder.ts";
import { type Place, type StagedUpload, storeOf, stores } from "./storage.ts";

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
    // A source that fails at once may be ahead of the file being made.
    if (!sink.closed) await new Promise<void>((resolve) => sink.once("close", resolve));
    await rm(file, { force: true });
    throw error;
  }
  return { file, size, sha256: hash.digest("hex") };
}

/** Hands a spooled file to the store. What never gets a row is removed by the nightly maintenance. */
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
 * Puts bytes that a handler made into the store, before its transaction opens. Unless the request makes them a file (`keepFile`) or its
 * answer (`stagedFile`), they are removed when it ends.
 */
export async function stageBytes(source: Readable | Buffer): Promise<StagedUpload> {
  const { organisation, stagedUploads } = request();
  const stream = Buffer.isBuffer(source) ? Readable.from([source], { objectMode: false }) : source;
  const staged = await stageUpload(organisation.id, await spool(stream));
  stagedUploads.push(staged);
  return staged;
}

/** Gives a content whose bytes were lost those of a staged that are equal to them. */
async function repair(staged: StagedUpload, contentId: string): Promise<void> {
  const store = storeOf(staged.backend);
  const found = await store.open(staged.organisationId, contentId);
  if (found) return void found.bytes.destroy();
  const spare = await store.open(staged.organisationId, staged.id);
  if (spare) await store.put(staged.organisationId, contentId, (await spool(spare.bytes)).file);
}

/**
 * Ends the stagedUploads of a request that was committed: what became a content stays, everything else is removed. Never throws.
 * @param kept the content each kept staged became, by its id
 */
export async function endStagedUploads(stagedUploads: readonly StagedUpload[], kept: ReadonlyMap<string, string>): Promise<void> {
  for (const staged of stagedUploads) {
    const contentId = kept.get(staged.id);
    if (contentId !== undefined && contentId !== staged.id) await repair(staged, contentId).catch(() => {});
  }
  await discard(stagedUploads.filter(({ id }) => kept.get(id) !== id));
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

/** Removes stagedUploads. Never throws: what stays is removed by the nightly maintenance. */
export async function discard(stagedUploads: readonly Place[]): Promise<void> {
  await Promise.allSettled(
    stagedUploads.map(async ({ organisationId, id, backend }) => storeOf(backend).remove(organisationId, id)),
  );
}

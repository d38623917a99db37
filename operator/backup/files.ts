import { constants } from "node:fs";
import { copyFile, rm } from "node:fs/promises";
import path from "node:path";
import type pg from "pg";
import type { Config } from "../../core/config/config.ts";
import { makeFolder } from "../../core/files/make-folder.ts";
import type { ObjectStore } from "../../core/files/storage.ts";
import { drain } from "../../core/jobs/drain.ts";
import { configuredStores } from "../../core/providers/storage/stores.ts";
import type { Backend } from "../../core/request/context.ts";
import { OperatorError } from "../organisations.ts";
import { writeMeasured } from "./copy.ts";
import type { FileParts, Manifest } from "./manifest.ts";

interface ContentLocation {
  organisation: string;
  id: string;
  backend: Backend;
}

interface Content extends ContentLocation {
  /** In hex. */
  sha256: string;
}

/** Contents copied concurrently; each waits for the disk. */
const AT_ONCE = 8;

/** Lists the contents the snapshot refers to. */
export async function contentsOf(client: pg.ClientBase): Promise<Content[]> {
  const { rows: there } = await client.query("select to_regclass('public.file_contents') is not null as yes");
  if (!there[0].yes) return [];
  const { rows } = await client.query<Content>(
    "select organisation_id as organisation, id, backend, encode(sha256, 'hex') as sha256 from file_contents order by organisation_id, id",
  );
  return rows;
}

/**
 * Copies contents after the snapshot that refers to them. Contents never change, and are removed a day after their last reference at the
 * earliest, so everything the snapshot needs still exists.
 * @param includeS3 also copies contents stored on S3
 */
export async function keepFiles(
  contents: readonly Content[],
  config: Config,
  folder: string,
  includeS3: boolean,
): Promise<FileParts> {
  const found: FileParts = { parts: [], left_out: 0, missing: [] };
  const stores = new Map(configuredStores(config).all.map((store) => [store.backend, store]));
  const wanted = contents.filter(({ backend }) => includeS3 || backend !== "s3");
  found.left_out = contents.length - wanted.length;
  for (const under of new Set(wanted.map(({ backend, organisation }) => path.join("files", backend, organisation))))
    await makeFolder(path.join(folder, under), 0o700);
  await drain(wanted, { atOnce: AT_ONCE }, async ({ organisation, id, backend, sha256 }) => {
    const file = `files/${backend}/${organisation}/${id}`;
    const content = await storeFor(stores, backend).open(organisation, id);
    const kept = content && (await writeMeasured(content.bytes, path.join(folder, file)));
    if (kept?.sha256 === sha256) found.parts.push({ file, ...kept });
    else {
      await rm(path.join(folder, file), { force: true });
      found.missing.push(file);
    }
  });
  found.parts.sort((one, other) => (one.file < other.file ? -1 : 1));
  return found;
}

function storeFor(stores: ReadonlyMap<Backend, ObjectStore>, backend: Backend): ObjectStore {
  const store = stores.get(backend);
  if (store) return store;
  throw new OperatorError("The backup includes files on S3: set SERVICE_FILES_BUCKET and its related settings.");
}

const placeOf = (file: string): ContentLocation => {
  const [, backend, organisation, id] = file.split("/") as [string, Backend, string, string];
  return { backend, organisation, id };
};

/** @throws OperatorError if the backup includes or refers to contents of a store that is not configured here */
export function checkFiles(config: Config, { files }: Manifest): void {
  const stores = new Map(configuredStores(config).all.map((store) => [store.backend, store]));
  if (files.left_out > 0) storeFor(stores, "s3");
  for (const { file } of files.parts) storeFor(stores, placeOf(file).backend);
}

/** Restores the contents to the stores they came from. */
export async function restoreFiles(config: Config, folder: string, { files }: Manifest): Promise<void> {
  const { all, spoolFolder } = configuredStores(config);
  const stores = new Map(all.map((store) => [store.backend, store]));
  if (files.parts.length > 0) await makeFolder(spoolFolder, 0o700);
  await drain(files.parts, { atOnce: AT_ONCE }, async ({ file }) => {
    const { backend, organisation, id } = placeOf(file);
    const spooled = path.join(spoolFolder, `restore-${organisation}-${id}`);
    await copyFile(path.join(folder, file), spooled, constants.COPYFILE_FICLONE);
    await storeFor(stores, backend).put(organisation, id, spooled);
  });
}

/**
 * Deletes the records of contents that the backup could not find and no file refers to, such as one reclaimed during the backup. Otherwise
 * the next upload of the same bytes would be deduplicated against missing content.
 */
export async function forgetLost(client: pg.ClientBase, { files }: Manifest): Promise<void> {
  if (files.missing.length === 0) return;
  await client.query(
    "delete from file_contents c where id = any ($1) and not exists (select 1 from files f where (f.organisation_id, f.content_id) = (c.organisation_id, c.id))",
    [files.missing.map((file) => placeOf(file).id)],
  );
}

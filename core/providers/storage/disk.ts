import { createReadStream } from "node:fs";
import { open, readdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { makeFolder } from "../../files/make-folder.ts";
import type { ObjectStore, StoredObject } from "../../files/storage.ts";

const isMissing = (error: unknown): boolean => ["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "");

/** Syncs a folder, so that its entries survive a power cut. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Creates a folder with its parents, and syncs each. */
async function makeLasting(folder: string): Promise<void> {
  const first = await makeFolder(folder, 0o700);
  for (let made = folder; first !== undefined && made.length >= first.length; made = path.dirname(made))
    await syncFolder(path.dirname(made));
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/**
 * Stores files in a local folder, or one shared by several machines: one folder per organisation, divided by the last two characters of the
 * id, which are random.
 * @param root on the same file system as the spool folder, so that storing a file is one rename
 */
export function diskStore(root: string): ObjectStore {
  const folderOf = (organisationId: string, id: string) => path.join(root, organisationId, id.slice(-2));
  const fileOf = (organisationId: string, id: string) => path.join(folderOf(organisationId, id), id);

  return {
    backend: "disk",

    async put(organisationId, id, file) {
      const folder = folderOf(organisationId, id);
      await makeLasting(folder);
      await rename(file, path.join(folder, id));
      await syncFolder(folder);
    },

    async open(organisationId, id) {
      try {
        const handle = await open(fileOf(organisationId, id), "r");
        const { size } = await handle.stat();
        return { bytes: createReadStream("", { fd: handle, highWaterMark: 65_536 }), size };
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },

    remove: (organisationId, id) => rm(fileOf(organisationId, id), { force: true }),

    async *list(organisationId) {
      for (const part of await namesIn(path.join(root, organisationId))) {
        const folder = path.join(root, organisationId, part);
        const objects: StoredObject[] = [];
        for (const id of await namesIn(folder)) {
          const found = await stat(path.join(folder, id)).catch(() => null);
          if (found) objects.push({ id, changedAt: found.mtime });
        }
        for (let first = 0; first < objects.length; first += 1000) yield objects.slice(first, first + 1000);
      }
    },
  };
}
